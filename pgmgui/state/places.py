"""Where the points of curves lie from left to right, by what the plot counts: pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from engine.model.arrays import Floats
from pgmgui.project.axes import Axes
from pgmgui.project.results import Point
from pgmgui.state.curve import Curve


def find_places(points: Sequence[Point], axes: Axes) -> Floats:
    """Where points lie from left to right."""
    attribute = {"iterations": "iteration"}.get(axes.across, axes.across)
    return np.array([getattr(point, attribute) for point in points], dtype=np.float64)


def find_place(points: Sequence[Point], iteration: int, axes: Axes) -> float:
    """Where an iteration of a curve lies from left to right; that of the point nearest to it."""
    at = int(np.argmin(np.abs(np.array([point.iteration for point in points]) - iteration)))
    return float(find_places(points, axes)[at])


def find_iteration(points: Sequence[Point], place: float, axes: Axes) -> int:
    """The iteration of a curve that lies nearest to a place from left to right."""
    return points[int(np.argmin(np.abs(find_places(points, axes) - place)))].iteration


def find_end(curves: Iterable[Curve], axes: Axes) -> float:
    """Where the longest of some curves ends; 1 where there is none."""
    return max((float(find_places(curve.points[-1:], axes).max(initial=0.0)) for curve in curves), default=0.0) or 1.0
