"""How close a run is to the best possible, in words: the one place where certificates are worded."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from engine.learning.bounding import AnyBounds
from engine.learning.bounds import CERTIFIED
from engine.learning.markov_bounds import MarkovBounds
from engine.learning.snapshot import Snapshot
from engine.model.network import MarkovNetwork
from pgmgui.project.words import count, cut, show_nats

CLOSE = 1.0
"""Nats: all data together are at most e times as probable under the best parameters, which no data could tell."""
MUCH_LARGER = 10.0
"""A gap so many times the spread of restarts is rather the bound's than the run's."""
MOST_OPEN = 5
"""Components named that are not certified."""


def certify(bounds: AnyBounds, reached: Snapshot) -> str:
    """How far the best restart of a snapshot is from the bounds of its problem, in sentences."""
    return certify_gaps(find_gaps(bounds, reached), reached)


def find_gaps(bounds: AnyBounds, reached: Snapshot) -> list[float]:
    """How far the best restart is below its bounds: per component, or once where components are coupled."""
    objective = reached.objective[reached.best]
    if isinstance(bounds, MarkovBounds):
        return [bounds.total - float(objective.sum())]
    gaps: list[float] = (bounds.imap - objective)[:-1].tolist()
    return gaps


def certify_gaps(gaps: Sequence[float], reached: Snapshot) -> str:
    """The same from the gaps: of each component, or the one of a whole whose components are coupled."""
    rows = reached.task.decomposition.dataset.total_weight
    whole = isinstance(reached.task.network, MarkovNetwork) or reached.task.has_moving_targets
    return describe_certificate(gaps, rows, _list_ends(reached, sum(gaps)), whole)


def _list_ends(reached: Snapshot, gap: float) -> list[float] | None:
    """The objectives at which restarts have ended; None while they go on, or if the best has some of the gap to go."""
    if not reached.stop:
        return None
    if reached.stop != "converged":
        to_go, settled = reached.distance[reached.best], reached.converged[reached.best]
        left = to_go[~settled] if to_go.shape == settled.shape else to_go
        if left.sum() > gap / MUCH_LARGER:
            return None
    return [float(total) for total in reached.objective.sum(axis=1) if math.isfinite(total)]


def describe_certificate(
    gaps: Sequence[float], rows: float, ends: Sequence[float] | None = None, whole: bool = False
) -> str:
    """How far below its bounds an objective is, in sentences.

    Parameters
    ----------
    gaps : sequence of float
        For each component, or one for the whole.
    ends : sequence of float, optional
        Where restarts have ended; None if they have not.
    whole : bool
        Whether the bound is one of the whole.
    """
    open_ones = [str(k + 1) for k, gap in enumerate(gaps) if gap > CERTIFIED]
    if not open_ones:
        at = "the objective is at its upper bound" if whole else "every component is at its upper bound"
        return f"Certified: {at}, so no parameters are better."
    gap = sum(max(0.0, one) for one in gaps)
    noun, verb = ("component", "is") if len(open_ones) == 1 else ("components", "are")
    which = "" if whole else f"; {noun} {cut(open_ones, MOST_OPEN)} {verb} not certified"
    if gap <= CLOSE:
        return f"Within {show_nats(gap)} nats of the best possible ({show_nats(gap / rows, 2)} per row){which}."
    said = f"At most {show_nats(gap / rows, 2)} nats per row below the best possible ({show_nats(gap)} in all){which}."
    return f"{said} {judge_bound(gap, ends)}".rstrip()


def judge_bound(gap: float, ends: Iterable[float] | None) -> str:
    """Whether a gap is rather the bound's than the run's, as far as restarts can tell, in a sentence.

    Nothing if they have not ended. Restarts that end at one height to the last digit were one start.
    """
    if ends is None:
        return ""
    heights = list(ends)
    spread = max(heights, default=0.0) - min(heights, default=0.0)
    if not spread:
        return "Whether the run is poor or the bound is loose, the bound cannot tell: restarts can."
    restarts = f"{count(len(heights), 'restart')} ended"
    if gap > MUCH_LARGER * spread:
        return f"{restarts} within {show_nats(spread)} nats of each other: rather the bound is loose than the run poor."
    return f"{restarts} up to {show_nats(spread)} nats apart: another start may end higher."
