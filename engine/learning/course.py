"""What a learner that searches by itself has done, for whoever wants to know."""

from __future__ import annotations

from dataclasses import dataclass

ENDS = ("", "counted", "certified", "settled")
"""Why no more was done: its data is complete, it is at its bound, or nothing moves. Empty if more could be."""


@dataclass(frozen=True)
class Course:
    """What was done for a component, or for the whole where components are coupled.

    Attributes
    ----------
    restarts : int
    tried, better : int
        Candidates beside the restarts, which are variations of the best and new starts; how often one took its place.
    polished_by : str
        The learner, by its title; empty if none was needed.
    end : str
        One of ``ENDS``.
    """

    restarts: int
    tried: int
    better: int
    polished_by: str
    end: str
