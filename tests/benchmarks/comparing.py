"""Tools compared on one problem: what they reach first, and how long they take only where that is the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from tests.benchmarks.clock import measure
from tests.benchmarks.report import Report, ratio, seconds

SAME = 1e-3
"""Nats: likelihoods that are no further apart are the same."""
ENOUGH = 2.0
"""Seconds: what takes longer is not done again."""
T = TypeVar("T")
COLUMNS = ("problem, tool", "log-likelihood", "from ours", "seconds", "as long as ours", "why there is no ratio")


class PeerError(Exception):
    """A tool did not do what it was asked for; the text says why."""


@dataclass(frozen=True)
class Attempt:
    """What a tool made of a problem.

    Attributes
    ----------
    reached : float, optional
        The log-likelihood of what it has learned, in nats, as we compute it; None if it learned nothing.
    reason : str
        Why it learned nothing, or is known to learn something else.
    """

    tool: str
    seconds: float = 0.0
    reached: float | None = None
    reason: str = ""


def let_learn(
    tool: str, work: Callable[[], T], judge: Callable[[T], float], *, reason: str = "", repeats: int = 3
) -> Attempt:
    """Let a tool learn, several times unless that takes long, and judge what it has learned, off its time."""
    learnt: list[T] = []
    try:
        took = measure(lambda: learnt.append(work()), repeats, most_seconds=ENOUGH)
    except PeerError as error:
        return Attempt(tool, reason=str(error))
    return Attempt(tool, took, judge(learnt[0]), reason)


def compare(ours: Attempt, other: Attempt) -> list[str]:
    """The cells of a tool: no ratio where it has reached another likelihood than ours, but the reason."""
    if ours.reached is None:
        raise ValueError(f"ours has learned nothing: {ours.reason}")
    if other.reached is None:
        return ["—", "—", "—", "—", other.reason]
    difference = other.reached - ours.reached
    cells = [f"{other.reached:,.3f}", f"{difference:+.1e}", seconds(other.seconds)]
    if not abs(difference) <= SAME:  # also where it is no number
        return [*cells, "—", other.reason or "another likelihood"]
    return [*cells, ratio(other.seconds / ours.seconds), ""]


def print_comparisons(report: Report, problems: Iterable[tuple[str, Iterable[Attempt]]]) -> None:
    """A table of attempts, each as soon as it is made, of every problem ours first."""
    with report.table(COLUMNS) as table:
        for title, attempts in problems:
            ours: Attempt | None = None
            for attempt in attempts:
                ours = ours or attempt
                table.row(f"{title}: {attempt.tool}", *compare(ours, attempt))
