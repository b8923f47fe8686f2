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
FITS = ("curves", "bounds", "all")
"""What the picture shows: the end of the curves, and a bound that is near; looser bounds too, however far; or the
curves from their start, and the bound."""


@dataclass(frozen=True)
class Axes:
    """What the plot shows: keys of :data:`ACROSS` and :data:`UP`, and one of :data:`FITS`."""

    across: str = "iterations"
    up: str = "objective"
    fit: str = "curves"
