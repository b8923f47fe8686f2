"""The lines of the live plot, from curves and bounds to numbers: pure functions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
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
from pgmgui.state.places import find_places

BOUNDS = (
    "upper bound (I-map)",
    "bound by components",
    "naive bound",
    "certified",
    "upper bound (closed form)",
    "upper bound (proven)",
    "bound by cliques",
)
"""Names of the lines that stand still."""
LEFT_OUT = 10
"""The first of so many parts of the curves may leave the picture below: a random start is far down."""
FAR = 1.0
"""A bound farther from the curves than so many times their own height may leave the picture: it would flatten them."""
LEAST = 0.01
"""Nats that the picture is high at least: less is noise."""


@dataclass(frozen=True, eq=False)
class Line:
    """The points of a line."""

    x: Floats
    y: Floats


def make_lines(curves: Mapping[str, Curve], bounds: AnyBounds | None, axes: Axes) -> dict[str, Line]:
    """The line of every learner and of the bounds, by their names; bounds are as long as the runs."""
    lines = {
        LEARNERS[name]: Line(find_places(curve.points, axes), _up(curve.points, bounds, axes))
        for name, curve in curves.items()
    }
    longest = max((line.x.max(initial=0.0) for line in lines.values()), default=0.0) or 1.0
    ends = np.array([0.0, longest])
    levels = {} if bounds is None else _levels(bounds, axes)
    return {**lines, **{name: Line(ends, np.full(2, level)) for name, level in levels.items()}}


def cut_lines(lines: Mapping[str, Line], place: float | None) -> dict[str, Line]:
    """The lines as far as a place from left to right, the bounds whole; all of them to their ends without one."""
    if place is None:
        return dict(lines)
    return {name: line if name in BOUNDS else _cut(line, place) for name, line in lines.items()}


def _cut(line: Line, place: float) -> Line:
    passed = line.x <= place
    if passed.all() or not passed.any():
        return line if passed.all() else Line(line.x[:1], line.y[:1])
    x = np.append(line.x[passed], place)
    return Line(x, np.append(line.y[passed], np.interp(place, line.x, line.y)))


def find_frame(lines: Mapping[str, Line], axes: Axes) -> tuple[Floats, Floats]:
    """The corners of what is to be in the picture: bounds, and curves from their start or, on a linear scale, later."""
    right = max((line.x.max(initial=0.0) for line in lines.values()), default=0.0) or 1.0
    log = axes.up == "log gap"
    first = 0.0 if log or axes.fit == "all" else right / LEFT_OUT
    curves = _finite(_late(line, first) for name, line in lines.items() if name not in BOUNDS)
    levels = _finite(line.y for name, line in lines.items() if name in BOUNDS)
    if curves.size and axes.fit == "curves":
        low, high = float(curves.min()), float(curves.max())
        levels = levels[[_is_near(level, low, high, log) for level in levels.tolist()]]
        curves = np.append(curves, [] if log else min(low, high - LEAST))
    heights = np.concatenate([curves, levels])
    low, high = (heights.min(), heights.max()) if heights.size else (0.0, 1.0)
    return np.array([0.0, right]), np.array([low, high])


def find_unseen(lines: Mapping[str, Line], heights: Floats) -> set[str]:
    """The bounds that lie outside of a picture from one height to another."""
    bounds = {name: float(line.y[0]) for name, line in lines.items() if name in BOUNDS}
    return {name for name, level in bounds.items() if not heights[0] <= level <= heights[-1]}


def _late(line: Line, first: float) -> Floats:
    late = line.y[line.x >= first]
    return late if late.size else line.y[-1:]


def _finite(heights: Iterable[Floats]) -> Floats:
    found: Floats = np.concatenate([np.empty(0), *heights])
    finite: Floats = found[np.isfinite(found)]
    return finite


def _is_near(level: float, low: float, high: float, log: bool) -> bool:
    """Whether a bound is so near to the curves that they can still be told apart beside it."""
    if log:
        level, low, high = (math.log10(height) for height in (level, low, high))
    # A curve without any height yet, as at its first step, has nothing to be told apart.
    return high == low or max(level - high, low - level) <= FAR * max(high - low, LEAST)


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
        return {**levels, **looser} if axes.fit == "bounds" else levels
    levels = {lowest: bounds.total}
    looser = {by_components: float(bounds.decomposition.sum()), naive: bounds.naive}
    return {**levels, **looser} if axes.fit == "bounds" else levels


def _up(points: Sequence[Point], bounds: AnyBounds | None, axes: Axes) -> Floats:
    values = np.array([point.objective for point in points], dtype=np.float64)
    values[~np.isfinite(values)] = np.nan
    if axes.up == "log gap" and bounds is not None:
        # What is certified lies on the floor: the logarithm of nothing is nowhere.
        return np.maximum(bounds.total - values, CERTIFIED)
    return values
