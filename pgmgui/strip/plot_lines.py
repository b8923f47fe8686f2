"""The lines of the live plot, from curves and bounds to numbers: pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.learning.bounding import AnyBounds
from engine.learning.bounds import CERTIFIED
from engine.learning.markov_bounds import MarkovBounds
from engine.model.arrays import Floats
from pgmgui.project.axes import Axes
from pgmgui.project.results import Point
from pgmgui.project.words import LEARNERS
from pgmgui.state.curve import Curve

BOUNDS = (
    "upper bound (I-map)",
    "bound by components",
    "naive bound",
    "certified",
    "bound, in closed form",
    "bound, certified",
    "bound by cliques",
)
"""Names of the lines that stand still."""
LEFT_OUT = 20
"""The first of so many parts of the curves may leave the picture below: a random start is far down."""


@dataclass(frozen=True, eq=False)
class Line:
    """The points of a line."""

    x: Floats
    y: Floats


def make_lines(curves: Mapping[str, Curve], bounds: AnyBounds | None, axes: Axes) -> dict[str, Line]:
    """The line of every learner and of the bounds, by their names; bounds are as long as the runs."""
    lines = {
        LEARNERS[name]: Line(find_across(curve.points, axes), _up(curve.points, bounds, axes))
        for name, curve in curves.items()
    }
    longest = max((line.x.max(initial=0.0) for line in lines.values()), default=0.0) or 1.0
    ends = np.array([0.0, longest])
    levels = {} if bounds is None else _levels(bounds, axes)
    return {**lines, **{name: Line(ends, np.full(2, level)) for name, level in levels.items()}}


def find_place(points: Sequence[Point], iteration: int, axes: Axes) -> float:
    """Where an iteration of a curve lies from left to right; that of the point nearest to it."""
    at = int(np.argmin(np.abs(np.array([point.iteration for point in points]) - iteration)))
    return float(find_across(points, axes)[at])


def find_iteration(points: Sequence[Point], place: float, axes: Axes) -> int:
    """The iteration of a curve that lies nearest to a place from left to right."""
    return points[int(np.argmin(np.abs(find_across(points, axes) - place)))].iteration


def find_frame(lines: Mapping[str, Line], axes: Axes) -> tuple[Floats, Floats]:
    """The corners of what is to be in the picture: all bounds, and the curves but for their beginnings."""
    right = max((line.x.max(initial=0.0) for line in lines.values()), default=0.0) or 1.0
    first = 0.0 if axes.up == "log gap" else right / LEFT_OUT
    heights = [np.empty(0)]
    for line in lines.values():
        late = line.y[line.x >= first]
        heights.append(late if late.size else line.y[-1:])
    finite = np.concatenate(heights)
    finite = finite[np.isfinite(finite)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    return np.array([0.0, right]), np.array([low, high])


def _levels(bounds: AnyBounds, axes: Axes) -> dict[str, float]:
    lowest, by_components, naive, certified, closed, proven, by_cliques = BOUNDS
    if axes.up == "log gap":
        return {certified: CERTIFIED}
    if isinstance(bounds, MarkovBounds):
        levels = {closed if bounds.kind == "exact" else proven: bounds.total}
        looser = {naive: bounds.naive}
        cliques = bounds.cliques
        if cliques is not None and cliques.kind != "estimate" and cliques.value > bounds.total + CERTIFIED:
            looser[by_cliques] = cliques.value
        return {**levels, **looser} if axes.looser else levels
    levels = {lowest: bounds.total}
    looser = {by_components: float(bounds.decomposition.sum()), naive: bounds.naive}
    return {**levels, **looser} if axes.looser else levels


def find_across(points: Sequence[Point], axes: Axes) -> Floats:
    """Where the points of a curve lie from left to right."""
    attribute = {"iterations": "iteration"}.get(axes.across, axes.across)
    return np.array([getattr(point, attribute) for point in points], dtype=np.float64)


def _up(points: Sequence[Point], bounds: AnyBounds | None, axes: Axes) -> Floats:
    values = np.array([point.objective for point in points], dtype=np.float64)
    values[~np.isfinite(values)] = np.nan
    if axes.up == "log gap" and bounds is not None:
        # What is certified lies on the floor: the logarithm of nothing is nowhere.
        return np.maximum(bounds.total - values, CERTIFIED)
    return values
