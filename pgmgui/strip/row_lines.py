"""The lines of the plot per row: each learner on the rows it learns from, and on those held out. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pgmgui.project.axes import Axes
from pgmgui.project.words import LEARNERS
from pgmgui.state.curve import Curve
from pgmgui.state.places import find_places
from pgmgui.strip.plot_lines import Line

HELD_OUT = ", held out"
"""Ends the name of a line of rows held out; what is before it is the learner's."""


def make_row_lines(curves: Mapping[str, Curve], axes: Axes) -> dict[str, Line]:
    """The mean log-likelihood of a row, by the iterations that are kept.

    There is no line where a row is impossible, nor of rows held out where none are.
    """
    lines = {}
    for name, curve in curves.items():
        if not curve.points:  # a run's thread keeps its first iteration before the page has heard of it
            continue
        tested = {one.iteration: one.test for one in curve.tested}
        for title, values in ((LEARNERS[name], _find_train(curve)), (LEARNERS[name] + HELD_OUT, tested)):
            if values:
                lines[title] = _draw(curve, values, axes)
    return lines


def _find_train(curve: Curve) -> dict[int, float]:
    """By iteration, the mean log-likelihood of the rows learned from."""
    found = {one.iteration: one.train for one in curve.tested}
    for frame in curve.frames.list():
        snapshot = frame.snapshot
        rows = snapshot.task.decomposition.dataset.total_weight
        found[frame.iteration] = float(snapshot.log_likelihood[snapshot.best].sum()) / rows
    return found


def _draw(curve: Curve, values: Mapping[int, float], axes: Axes) -> Line:
    iterations = sorted(values)
    places = np.interp(iterations, [point.iteration for point in curve.points], find_places(curve.points, axes))
    heights = np.array([values[iteration] for iteration in iterations])
    return Line(places, np.where(np.isfinite(heights), heights, np.nan))
