"""Every route in every state of the table with every role: the answers agree with the table in `docs/security.md`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.benchmarks.reliability.report import Outcome
from tests.support.known_tables import MarkedTables
from tests.support.route_walk import STATES, Walk
from tests.support.scratch import scratch_folder
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.doorkeeper.host_key import HostKey
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.app import create_app
from tilekeeper.engine.rules.editions import rule_set

DOCUMENT = Path(__file__).parents[3] / "docs" / "security.md"


def measure(count: int, _seed: int = 1) -> Outcome:
    """Walk through the first `count` states; the whole table is compared only after all of them (0)."""
    outcome, walked = Outcome(), Walk()
    for state in list(STATES)[: count or None]:
        outcome.cases[f"state: {state}"] += 1
        with scratch_folder() as folder:
            settings = Settings(rule_set("large-numbers"), NoSource(), MarkedTables(), "No camera", folder)
            app = create_app(replace(settings, host_key=HostKey(state)))
            try:
                app.testing = True
                walked.add(state, app)
            finally:
                parts(app).close()
    outcome.counts["requests"] = walked.requests
    if outcome.cases.total() == len(STATES):
        text = DOCUMENT.read_text("utf-8")
        for row in walked.table().splitlines():
            if row not in text:
                outcome.trouble(f"docs/security.md has no such row: {row[:200]}")
    return outcome
