"""Limits of what runs the networks."""

from __future__ import annotations

from dataclasses import dataclass

from tilekeeper.vision.config.limit import Limits, limit


@dataclass(frozen=True, slots=True)
class RuntimeConfig(Limits):
    """Limits of what runs the networks."""

    # runtime/network.py
    spin_us: int = limit(50, unit="µs", least=0, most=100_000)
    """So long a thread waits busily for the next layer, which costs less than to wake it. Without an end a reading took
    1.6 times the processor's time on a busy machine: a thread that waits holds the core that the other one needs."""
