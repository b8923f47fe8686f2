"""How to learn, as the user has chosen it."""

from __future__ import annotations

from dataclasses import dataclass

RANGES = {
    "seed": (0, 10**15),
    "restarts": (1, 1000),
    "tol": (0.0, 1e15),
    "max_iter": (0, 10**15),
    "prior": (1.0, 1e15),
    "width": (1e-15, 1e15),
    "hold_out": (0.0, 0.9),
    "hold_out_seed": (0, 10**15),
}
"""The least and the most that a number may be, wherever it is from."""


@dataclass(frozen=True)
class Settings:
    """How to learn: what the next run is started with.

    Attributes
    ----------
    methods : tuple of str
        Keys of :data:`engine.learning.methods.METHODS`; they race from the same start.
    start : {"random", "uniform", "current"}
    """

    methods: tuple[str, ...] = ("d-em",)
    start: str = "random"
    seed: int = 0
    restarts: int = 1
    tol: float = 1e-4
    criterion: str = "likelihood"
    max_iter: int = 1000
