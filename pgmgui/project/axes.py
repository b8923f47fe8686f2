"""What the plot of a run shows, as the user has chosen it."""

from __future__ import annotations

from dataclasses import dataclass

ACROSS = {
    "iterations": "iteration",
    "inferences": "inferences: rows propagated",
    "seconds": "seconds of computing",
}
"""What the plot can count from left to right, and the axis' label."""
UP = {
    "objective": "objective (nats)",
    "log gap": "gap to the bound (nats)",
    "per row": "nats per row",
}
"""What it can show from bottom to top."""


@dataclass(frozen=True)
class Axes:
    """What the plot shows: keys of :data:`ACROSS` and :data:`UP`, and whether looser bounds are drawn too."""

    across: str = "iterations"
    up: str = "objective"
    looser: bool = False
