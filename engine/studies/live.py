"""How one problem of a study is watched live: which learners race on it, and what to look at.

The problem itself is not described again: it is a cell of the study's quick form, see :meth:`Study.pose_live`.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.model.network import Network
from engine.simulation.generators import random_dag

STAND_IN = "a random network of 20 variables"
"""What is watched where none of a study's networks is to be had."""


def draw_stand_in(random_state: int) -> Network:
    """That network."""
    return random_dag(20, random_state=random_state)


@dataclass(frozen=True)
class Live:
    """Learners that race from the same start.

    Attributes
    ----------
    methods : tuple of str
        Keys of :data:`engine.learning.methods.METHODS`; those that the study runs.
    look : str
        What to look at, in a sentence or two.
    tol : float
        When they end, by ``criterion``; 0 lets them make all iterations of the quick form.
    restarts : int
        How many starts each makes.
    across, up, fit : str
        What the plot counts from left to right, what it shows from bottom to top, and how much of it: "iterations",
        "inferences" or "seconds"; "objective" or "log gap"; "curves" or "bounds".
    """

    methods: tuple[str, ...]
    look: str
    tol: float = 1e-4
    criterion: str = "likelihood"
    restarts: int = 1
    across: str = "iterations"
    up: str = "objective"
    fit: str = "curves"
