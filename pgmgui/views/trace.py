"""The live plot: each learner's objective climbing towards the bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import panel as pn
from bokeh.models import ColumnDataSource, HoverTool, NumeralTickFormatter
from bokeh.plotting import figure

from engine.bounds import Bounds
from pgmgui.runner import Point

STYLES = (("#0072b2", "solid"), ("#d55e00", "dashed"), ("#009e73", "dotdash"), ("#cc79a7", "dotted"))
"""Colours and dashes of the learners' lines: both tell them apart."""
BOUND_COLOUR = "#808080"


class Trace(pn.viewable.Viewer):
    """Objective by iteration, one line a learner, under the decomposition bound and the bound with patterns."""

    def __init__(self) -> None:
        super().__init__()
        self._sources: dict[str, ColumnDataSource] = {}
        self._bounds = {name: ColumnDataSource({"x": [], "y": []}) for name in ("bound", "decomposition bound")}
        self._figure = figure(
            height=230,
            sizing_mode="stretch_both",
            x_axis_label="iteration",
            y_axis_label="objective (nats)",
            tools="pan,wheel_zoom,box_zoom,reset",
            toolbar_location="above",
            min_border=4,
            output_backend="canvas",
        )
        self._figure.toolbar.logo = None
        self._figure.yaxis.formatter = NumeralTickFormatter(format="0,0.[00]")
        self._figure.add_tools(HoverTool(tooltips=[("iteration", "@x"), ("objective", "@y{0,0.0000}")]))
        for (name, source), dash in zip(self._bounds.items(), ("solid", "dashed"), strict=True):
            self._figure.line(
                "x", "y", source=source, color=BOUND_COLOUR, line_dash=dash, legend_label=name, line_width=2
            )
        self._figure.legend.location = "bottom_right"
        self._figure.legend.background_fill_alpha = 0.6
        self._figure.legend.label_text_font_size = "12px"
        self._pane = pn.pane.Bokeh(self._figure, sizing_mode="stretch_both", margin=0)

    def begin(self, methods: Sequence[str], bounds: Bounds | None) -> None:
        """Clear the plot for new runs."""
        self._sources = {method: ColumnDataSource({"x": [], "y": []}) for method in methods}
        # A button's or a list's event may come while the document is not locked, and Bokeh's own models,
        # unlike Panel's, must then not be touched: wait for our turn.
        pn.state.execute(partial(self._attach, self._sources, bounds), schedule=True)

    def _attach(self, sources: dict[str, ColumnDataSource], bounds: Bounds | None) -> None:
        kept = len(self._bounds)
        self._figure.renderers = self._figure.renderers[:kept]
        self._figure.legend[0].items = self._figure.legend[0].items[:kept]
        for k, (method, source) in enumerate(sources.items()):
            colour, dash = STYLES[k % len(STYLES)]
            self._figure.line(
                "x", "y", source=source, color=colour, line_dash=dash, legend_label=method, line_width=2.5
            )
        self._draw_bounds(bounds)

    def _draw_bounds(self, bounds: Bounds | None) -> None:
        """The bounds as lines as long as the runs are; a Span would not widen the plot's range."""
        values = (math.nan, math.nan)
        if bounds is not None:
            values = (float(bounds.patterns.sum()), float(bounds.decomposition.sum()))
        longest = max((source.data["x"][-1] for source in self._sources.values() if len(source.data["x"])), default=1)
        for source, value in zip(self._bounds.values(), values, strict=True):
            source.data = {"x": [0, max(longest, 1)], "y": [value, value]}

    def add(self, method: str, points: Sequence[Point], bounds: Bounds) -> None:
        """Draw what a learner has found since."""
        # A start from random parameters lies far below: it would flatten all that follows.
        shown = [point for point in points if point.iteration > 0]
        if shown:
            self._sources[method].stream(
                {"x": [p.iteration for p in shown], "y": [p.objective for p in shown]}, rollover=20_000
            )
            self._draw_bounds(bounds)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._pane
