"""Mark all tests of benches, so that only `make check-long` runs them."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Add the marker `bench` to the tests below this folder; pytest hands over those of all folders."""
    for item in items:
        if item.path.is_relative_to(FOLDER):
            item.add_marker(pytest.mark.bench)
