"""How a race stands, in words: on the strip briefly, in reports in full."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Protocol

from engine.learning.bounds import CERTIFIED
from engine.learning.snapshot import Snapshot
from pgmgui.project.certificate import certify, find_gaps
from pgmgui.project.held_out_words import describe_tested
from pgmgui.project.scene import Parts
from pgmgui.project.target_words import describe_targets
from pgmgui.project.words import LEARNERS, cut, describe_distance, describe_run, describe_unseen, show_nats
from pgmgui.state.curve import Curve
from pgmgui.state.frames import Frame

STALE = "Stale: the model, the data or the marks have changed since this run. Start learns anew."
MOST_IN_FULL = 3
"""Learners that have a sentence each where there is little room."""


class Raced(Protocol):
    """What is told of a race."""

    curves: dict[str, Curve]
    parts: Parts | None
    stale: bool
    applied: bool

    @property
    def best(self) -> Snapshot | None: ...

    @property
    def goes_on_from(self) -> int | None: ...


def describe_race(race: Raced, moment: Frame | None = None, briefly: bool = False) -> list[str]:
    """How it stands, in sentences: first how close to the best possible.

    Parameters
    ----------
    moment : Frame, optional
        What is looked at, if that is not the best that was reached.
    briefly : bool
        Whether only the leader of many learners has a sentence of its own.
    """
    best, parts, curves = race.best, race.parts, rank(race.curves.values())
    runs = tell_leader(curves) if briefly and len(curves) > MOST_IN_FULL else tell_each(curves)
    if best is None or parts is None:
        return runs
    lines = [certify_shown(race, moment)]
    if race.stale:
        lines.insert(0, STALE)
    if race.applied:
        lines.insert(0, "Applied: the network has the learned parameters.")
    if not parts.is_tight:
        lines.append("A tighter bound is on its way.")
    if race.goes_on_from is not None:
        runs.append(f"Continue goes on from iteration {race.goes_on_from:,}.")
    notes = dict.fromkeys(curve.note for curve in curves)
    # Of a run that stands still, or was read from a file, there is nothing to tell; nor is an estimate above the bound.
    is_climbing = not race.stale and CERTIFIED < float(best.distance[best.best].sum()) < _find_gap(best, parts)
    distance = describe_distance(best) if is_climbing and moment is None else ""
    tests = [describe_tested(LEARNERS[curve.method], curve.tested) for curve in curves]
    about = [describe_targets(best.task), describe_unseen(best)]
    return [line for line in (*lines, *runs, *tests, distance, *notes, *about) if line]


def certify_shown(race: Raced, moment: Frame | None) -> str:
    """How close to the best possible a moment is, which it names, or else the best that was reached.

    Nothing where that is not known: of results that were kept without it.
    """
    snapshot, parts = race.best if moment is None else moment.snapshot, race.parts
    if snapshot is None or parts is None or not _is_known(snapshot, parts):
        return ""
    said = certify(parts.bounds, snapshot)
    return said if moment is None else f"At {moment.title}: {said[:1].lower()}{said[1:]}"


def _is_known(snapshot: Snapshot, parts: Parts) -> bool:
    """Whether what was reached is known of each component."""
    return len(snapshot.objective[snapshot.best]) == len(parts.task.decomposition.components) + 1


def _find_gap(snapshot: Snapshot, parts: Parts) -> float:
    """Nats between what was reached and its bound; infinite where that is not known."""
    return sum(find_gaps(parts.bounds, snapshot)) if _is_known(snapshot, parts) else math.inf


def rank(curves: Collection[Curve]) -> list[Curve]:
    """Curves, the highest first; those of which nothing is known yet last."""
    return sorted(curves, key=lambda curve: -curve.height)


def tell_each(curves: Collection[Curve]) -> list[str]:
    """A sentence on each learner."""
    return [describe_run(curve.method, curve.snapshot, curve.state) for curve in curves]


def tell_leader(curves: list[Curve]) -> list[str]:
    """A sentence on the first, and how far the others are behind it."""
    lines, top = tell_each(curves[:1]), curves[0].height
    behind = [_tell_behind(one, top) for one in curves[1:] if one.snapshot is not None]
    if behind:
        lines.append(f"Nats below it: {cut(behind, len(behind))}.")
    return lines + tell_each([one for one in curves[1:] if one.snapshot is None])


def _tell_behind(curve: Curve, top: float) -> str:
    state = "" if curve.state == "converged" else f" ({curve.state})"
    return f"{LEARNERS[curve.method]} {show_nats(top - curve.height)}{state}"
