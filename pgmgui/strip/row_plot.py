"""The figure of log-likelihoods per row: two lines a learner, solid and dashed, that end in the same mark."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from bokeh.core.properties import value
from bokeh.models import ColumnDataSource

from pgmgui.project.axes import Axes
from pgmgui.strip.plot import BOUND_COLOUR, COLOURS, Plot, Series
from pgmgui.strip.plot_lines import Line, cut_lines
from pgmgui.strip.row_lines import HELD_OUT

MARKERS = ("circle", "square", "triangle", "diamond", "hex", "inverted_triangle")
"""At the ends of a learner's lines: with the colours, they tell learners apart."""


class RowPlot(Plot):
    """A figure of learners on the rows they learn from, solid, and on those held out, dashed."""

    def __init__(self, *arguments: Any) -> None:
        self._held_out: list[Series] = []
        self._ends: list[ColumnDataSource] = []
        self._key: Series | None = None
        super().__init__(*arguments)

    def fill(
        self,
        lines: Mapping[str, Line],
        axes: Axes,
        number: int,
        moment: float | None,
        until: float | None = None,
    ) -> None:
        """Draw lines, as :meth:`Plot.fill` does."""
        super().fill(lines, axes, number, moment, until)
        learners = self._name_learners(lines)
        lines = cut_lines(lines, until)
        for k, (series, ends) in enumerate(zip(self._held_out, self._ends, strict=True)):
            name = learners[k] if k < len(learners) else ""
            pair = [lines.get(name), lines.get(name + HELD_OUT)]
            series.draw(name + HELD_OUT, pair[1])
            drawn = [line for line in pair if line is not None and line.x.size]
            ends.data = {"x": [line.x[-1] for line in drawn], "y": [line.y[-1] for line in drawn]}
        if self._key is not None:
            self._key.item.visible = any(name.endswith(HELD_OUT) for name in lines)

    def enlarge(self, large: bool) -> None:
        """Use large or the usual type and lines."""
        super().enlarge(large)
        for series in self._held_out:
            series.renderer.glyph.line_width = self._width

    def _name_learners(self, lines: Mapping[str, Line]) -> list[str]:
        return [name for name in super()._name_learners(lines) if not name.endswith(HELD_OUT)]

    def _add_learner(self, k: int) -> Series:
        colour, ends = COLOURS[k % len(COLOURS)], ColumnDataSource({"x": [], "y": []})
        self._held_out.append(self._add(colour, "dashed", "glyph"))
        self._ends.append(ends)
        marks = self.figure.scatter(
            "x", "y", source=ends, size=9, color=colour, marker=MARKERS[k % len(MARKERS)], level="glyph"
        )
        series = self._add(colour, "solid", "glyph")
        series.item.renderers = [series.renderer, marks]
        return series

    def _add_missing(self, bounds: list[str], learners: int) -> None:
        known = len(self._learners)
        super()._add_missing(bounds, learners)
        if len(self._learners) == known:
            return
        if self._key is None:
            self._key = self._add(BOUND_COLOUR, "dashed", "underlay")
            # It is there for the legend alone, which draws nothing of a line that has no points at all.
            self._key.renderer.data_source.data = {"x": [math.nan], "y": [math.nan]}
            self._key.renderer.visible = True
            self._key.item.label = value("held out")
        self._legend.items = [*self._legend.items, self._key.item]
        self._hover.renderers = [*self._hover.renderers, *(series.renderer for series in self._held_out)]
