"""A figure with lines that are made when they are first needed, and drawn with ever other numbers.

A new figure each time would stay in the browser's memory. Bokeh's models may only be touched in the turn of
their document: see :meth:`Plot.fill`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bokeh.core.properties import value
from bokeh.events import Tap
from bokeh.models import ColumnDataSource, CustomJS, DataRange1d, HoverTool, NoOverlap, NumeralTickFormatter
from bokeh.models.annotations import Legend, LegendItem, Span
from bokeh.plotting import figure

from pgmgui.project.axes import ACROSS, UP, Axes
from pgmgui.strip.plot_lines import BOUNDS, Line, cut_lines, find_frame, find_unseen

COLOURS = ("#2f86d1", "#e0701a", "#1fa37a", "#c96aa3", "#b8960c", "#8c6bd1")
DASHES = ("solid", "dashed", "dotdash", "dotted", "dashdot")
"""Learners' lines: both tell them apart, on white and on black."""
BOUND_COLOUR = "#868686"
BOUND_DASHES = dict(zip(BOUNDS, ("solid", "dashed", "dotted", "solid", "solid", "solid", "dashed"), strict=True))
# Besides, what was drawn when the figure was last shown no longer counts: Bokeh would keep it in the picture for ever.
_RECEIPT = """
receipt.data = {number: [frame.data.number[0]]}
for (const {_plot_bounds: bounds} of ranges)
  for (const view of bounds.keys()) if (view.is_destroyed) bounds.delete(view)
"""
OUTSIDE = {"objective": "↑", "log gap": "↓"}
"""Where a bound is that is not in the picture."""
NUMBERS = "0,0.[0000]"
"""As many digits as tell the ticks of a short stretch apart; none that are 0."""
_Sizes = Mapping[str, tuple[str | int, str | int]]
# Bokeh wipes but half of the first column of pixels: remains of labels stayed there. Tooltips may leave on other sides.
_CLIPPED: dict[str, str | None] = {"clip-path": "inset(-100vh -100vw -100vh 1px)"}
_AXIS_TYPE: _Sizes = {"axis_label_text_font_size": ("13px", "18px"), "major_label_text_font_size": ("11px", "15px")}
_LEGEND_TYPE: _Sizes = {
    "label_text_font_size": ("12px", "17px"),
    "label_height": (14, 20),
    "glyph_height": (14, 20),
    "spacing": (2, 1),
}
"""The usual and the large type."""
_SIZES = {size for sizes in (_AXIS_TYPE, _LEGEND_TYPE) for both in sizes.values() for size in both}


@dataclass(frozen=True, eq=False)
class Series:
    """A line of the figure and its entry in the legend."""

    renderer: Any
    item: LegendItem

    def draw(self, name: str, line: Line | None, label: str = "") -> None:
        if line is not None:
            self.renderer.data_source.data = {"x": line.x, "y": line.y}
        self.renderer.update(name=name, visible=line is not None)
        self.item.update(label=value(label or name), visible=line is not None)


class Plot:
    """A figure of learners' curves and bounds.

    Attributes
    ----------
    figure : bokeh figure
    taken : int
        The number of the last drawing that the browser has taken.

    ``on_travel(place)`` is called with where, from left to right, the user wants to look.
    """

    def __init__(self, up: str, on_travel: Callable[[float], None]) -> None:
        self.taken = 0
        self._on_travel = on_travel
        self._placing = False
        self._width = 2.5
        self.figure = _make_empty(up)
        self._legend = Legend()
        self._legend.update(padding=4)
        self._legend.border_line_alpha = self._legend.background_fill_alpha = 0
        self.figure.add_layout(self._legend, "right")
        self._hover = HoverTool(renderers=[])
        self.figure.add_tools(self._hover)
        self._bounds: dict[str, Series] = {}
        self._learners: list[Series] = []
        self._frame = ColumnDataSource({"x": [0, 1], "y": [0, 1], "number": [0, 0]})
        frame = self.figure.line("x", "y", source=self._frame, line_alpha=0)
        # Only the frame counts: a curve's beginning, far below, would flatten all that follows.
        self.figure.x_range.renderers = self.figure.y_range.renderers = [frame]
        self._moment = self._add_moment()
        self._ask_for_receipts(up)
        self._large = False
        axes = dict.fromkeys((*self.figure.xaxis, *self.figure.yaxis), _AXIS_TYPE)
        self._type: dict[Any, _Sizes] = {**axes, self._legend: _LEGEND_TYPE}
        for model, sizes in self._type.items():
            for name in sizes:
                model.on_change(name, self._insist)

    def fill(
        self,
        lines: Mapping[str, Line],
        axes: Axes,
        number: int,
        moment: float | None,
        until: float | None = None,
    ) -> None:
        """Draw lines, and an upright one at the moment that is looked at; the learners' lines perhaps only until some
        place, in the same picture.

        The browser's receipt will have this number. To be called in the document's turn.
        """
        self._placing = True  # only what the user moves is a journey
        self._moment.update(visible=moment is not None, **({} if moment is None else {"location": moment}))
        self._placing = False
        self.figure.xaxis.axis_label = ACROSS[axes.across]
        self._hover.tooltips = [("", "$name"), (axes.across, "@x{0,0.[000]}"), (axes.up, "@y{0,0.0000}")]
        learners = self._name_learners(lines)
        self._add_missing([name for name in lines if name in BOUNDS], len(learners))
        x, y = find_frame(lines, axes)
        unseen = find_unseen(lines, y)
        lines = cut_lines(lines, until)
        for name, series in self._bounds.items():
            series.draw(name, lines.get(name), f"{name} {OUTSIDE[axes.up]}" if name in unseen else name)
        for k, series in enumerate(self._learners):
            name = learners[k] if k < len(learners) else ""
            series.draw(name, lines.get(name))
        self._frame.data = {"x": x, "y": y, "number": [number, number]}

    def enlarge(self, large: bool) -> None:
        """Use large or the usual type and lines. To be called in the document's turn."""
        self._large = large
        for model, sizes in self._type.items():
            model.update(**{name: size[large] for name, size in sizes.items()})
        self._width = 4.0 if large else 2.5
        for series in (*self._bounds.values(), *self._learners):
            series.renderer.glyph.line_width = self._width

    def _insist(self, _attribute: str, _old: object, new: object) -> None:
        """The type stays as it is: with each theme, the browser sets sizes of its own."""
        if new not in _SIZES:
            self.enlarge(self._large)

    def _add_missing(self, bounds: list[str], learners: int) -> None:
        """Make the lines that were not needed before: those of bounds, below all others, and of learners."""
        known = len(self._bounds) + len(self._learners)
        for name in bounds:
            if name not in self._bounds:
                self._bounds[name] = self._add(BOUND_COLOUR, BOUND_DASHES[name], "underlay")
        for k in range(len(self._learners), learners):
            self._learners.append(self._add_learner(k))
        series = [*(self._bounds[name] for name in BOUNDS if name in self._bounds), *self._learners]
        if len(series) > known:
            self._legend.items = [one.item for one in series]
            self._hover.renderers = [one.renderer for one in series]

    def _name_learners(self, lines: Mapping[str, Line]) -> list[str]:
        """The names of those lines that are of learners, each of another one."""
        return [name for name in lines if name not in BOUNDS]

    def _add_learner(self, k: int) -> Series:
        """Make the line of a learner."""
        return self._add(COLOURS[k % len(COLOURS)], DASHES[k % len(DASHES)], "glyph")

    def _add(self, colour: str, dash: str, level: str) -> Series:
        source = ColumnDataSource({"x": [], "y": []})
        drawn = self.figure.line(
            "x", "y", source=source, color=colour, line_dash=dash, line_width=self._width, visible=False, level=level
        )
        return Series(drawn, LegendItem(label=value(""), renderers=[drawn], visible=False))

    def _add_moment(self) -> Span:
        """An upright line that can be dragged; a click on the plot brings it there."""
        line = Span(dimension="height", location=0.0, editable=True, visible=False, level="overlay")
        line.update(line_color="#d0451b", line_width=3, line_dash="solid", hover_line_color="#d0451b")
        line.hover_line_width = 6
        self.figure.add_layout(line)
        line.on_change("location", lambda _attribute, _old, place: self._travel(place))
        self.figure.on_event(Tap, lambda event: self._travel(event.x))
        return line

    def _travel(self, place: object) -> None:
        if not self._placing and self._moment.visible and isinstance(place, int | float) and math.isfinite(place):
            self._on_travel(float(place))

    def _ask_for_receipts(self, up: str) -> None:
        """Have the browser say which drawing it has taken."""
        receipt = ColumnDataSource({"number": [0]}, name=f"receipt: {up}")
        ranges = [self.figure.x_range, self.figure.y_range]
        arguments = {"frame": self._frame, "receipt": receipt, "ranges": ranges}
        self._frame.js_on_change("data", CustomJS(args=arguments, code=_RECEIPT))

        def take(_attribute: str, _old: object, data: Mapping[str, list[int]]) -> None:
            self.taken = data["number"][0]

        receipt.on_change("data", take)


def _make_empty(up: str) -> Any:
    log = up == "log gap"
    plot: Any = figure(
        name=f"plot of {up}",
        sizing_mode="stretch_both",
        min_height=60,
        x_axis_label="",
        y_axis_label=UP[up],
        x_range=DataRange1d(range_padding=0.02),
        y_range=DataRange1d(range_padding=0.08),
        y_axis_type="log" if log else "linear",
        tools="pan,wheel_zoom,box_zoom,reset",
        toolbar_location="right",
        min_border=2,
        styles=_CLIPPED,
    )
    plot.toolbar.update(logo=None, autohide=True)
    plot.xaxis.formatter = NumeralTickFormatter(format=NUMBERS)
    plot.xaxis.major_label_policy = NoOverlap(min_distance=8)
    plot.yaxis.major_label_policy = NoOverlap(min_distance=2)
    if not log:
        plot.yaxis.formatter = NumeralTickFormatter(format=NUMBERS)
    return plot
