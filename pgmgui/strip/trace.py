"""The live plot: each learner's objective climbing towards the bounds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import panel as pn
from panel.io import unlocked

from engine.learning.bounding import AnyBounds
from pgmgui.components.later import call_later
from pgmgui.components.plot_picture.plot_picture import PlotPicture
from pgmgui.components.switch import make_switch
from pgmgui.project.axes import ACROSS, FITS, UP, Axes
from pgmgui.state.curve import Curve
from pgmgui.state.places import find_iteration, find_place
from pgmgui.state.session import Session
from pgmgui.strip.plot import Plot
from pgmgui.strip.plot_lines import Line, make_lines
from pgmgui.strip.row_lines import make_row_lines
from pgmgui.strip.row_plot import RowPlot

UP_ABOUT = (
    "The objective; how far it is below the bound, on a log scale; or the mean log-likelihood of a row: solid of those "
    "learned from, dashed of those held out, if any are (Options)."
)
FIT = (
    "Curves: where they end, and the bound if it is near. Bounds: looser ones too, however far above: by components "
    "(Theorem 2), which knows of no independence inside them, and the naive one, which knows no components; in a "
    "Markov network by cliques (Definition 2). All: the curves from their start, and the bound."
)
# In a small window, what is above the plot moves together.
_NARROW = """
@media (max-width: 1400px) {
  :host { margin-right: 6px !important; }
  .MuiFormControl-root { gap: 2px !important; }
  .MuiFormLabel-root svg { width: 14px; margin-left: 1px; }
  .MuiToggleButton-root { padding: 1px 4px !important; }
}
"""
# Where the player is: in the lower left corner, beside the name of the axis.
_LEFT = {"position": "absolute", "left": "8px", "bottom": "2px"}
_CORNER = {"position": "absolute", "right": "8px", "bottom": "6px", "background": "var(--panel-surface-color)"}
"""Where the buttons for pictures are: below the legend, where the plot leaves room."""
PATIENCE = 2.0
"""Seconds after which a browser that does not answer is sent more all the same."""


class Trace(pn.viewable.Viewer):
    """Objective or gap, by iterations, inferences or seconds; one line a learner, and the bounds.

    Attributes
    ----------
    moment : (Curve, int), optional
        The iteration of a curve that is marked; the user may drag the mark, which calls ``on_travel(iteration)``.
    until : float, optional
        How far from left to right the curves are drawn; the mark is there.

    The player is put into the lower left corner.
    """

    def __init__(self, session: Session, on_travel: Callable[[int], None], player: pn.viewable.Viewer) -> None:
        super().__init__()
        self._session = session
        self.moment: tuple[Curve, int] | None = None
        self.until: float | None = None
        self._on_travel = on_travel
        self._curves: Mapping[str, Curve] = {}
        self._bounds: AnyBounds | None = None
        self._showing = False
        self._sent, self._sent_at = 0, 0.0
        self._across = make_switch("x", list(ACROSS), "What the plot counts from left to right.")
        self._up = make_switch("y", list(UP), UP_ABOUT)
        self._fit = make_switch("fit", list(FITS), FIT)
        controls = (self._across, self._up, self._fit)
        for control in controls:
            control.stylesheets = [*control.stylesheets, _NARROW]
        # Where they do not fit beside each other, in several lines: the figure has what is left.
        wrapped = {"align-items": "center", "flex-wrap": "wrap", "row-gap": "4px"}
        self._top = pn.Row(*controls, margin=(4, 0, 0, 8), sizing_mode="stretch_width", styles=wrapped)
        self._large = False
        self._is_loaded = pn.state.curdoc is None
        self._plots: dict[str, Plot] = {}
        self._shown = ""
        self._place = pn.Column(sizing_mode="stretch_both", margin=0, styles={"min-height": "0"})
        self._picture = PlotPicture(margin=0, styles=_CORNER)
        self._view = pn.Column(
            self._top,
            self._place,
            self._picture,
            pn.Column(player, margin=0, styles=_LEFT),
            sizing_mode="stretch_both",
            margin=0,
            styles={"position": "relative"},
        )
        self._show_axes()
        for control in controls:
            control.param.watch(lambda *_: self._choose(), "value")
        session.param.watch(lambda *_: self._show_axes(), "axes")
        call_later(self._begin)

    def draw(self, curves: Mapping[str, Curve], bounds: AnyBounds | None) -> None:
        """Show these curves under these bounds."""
        self._curves, self._bounds = curves, bounds
        self._redraw()

    @property
    def is_ready(self) -> bool:
        """Whether the browser has taken what was sent last. One that is behind is not sent more: what answers a
        click would wait behind it."""
        taken = self._plot(self._axes.up).taken
        return taken >= self._sent or time.monotonic() > self._sent_at + PATIENCE

    def follow(self, curves: Mapping[str, Curve]) -> None:
        """Draw how far the curves have come, in the document's own turn: from a periodic callback."""
        self._curves = curves
        self._fill(self._axes)

    def enlarge(self, large: bool) -> None:
        """Use large type, or the usual."""
        self._large = large
        pn.state.execute(self._enlarge_plots, schedule=True)

    def _enlarge_plots(self) -> None:
        with unlocked():
            for plot in self._plots.values():
                plot.enlarge(self._large)

    def _choose(self) -> None:
        """The user has chosen what the plot shows."""
        if not self._showing:
            self._session.show_axes(Axes(self._across.value, self._up.value, self._fit.value))

    def _show_axes(self) -> None:
        """Show what was chosen, here or by what was opened."""
        axes, self._showing = self._axes, True  # three fields, one choice
        self._across.value, self._up.value, self._fit.value = axes.across, axes.up, axes.fit
        self._showing = False
        self._redraw()

    def _redraw(self) -> None:
        # A click's event does not wait for the document's turn, and Bokeh's models, unlike Panel's, may only be
        # touched in it.
        pn.state.execute(lambda: self._fill(self._axes), schedule=True)

    def _begin(self) -> None:
        """Draw for the first time, once the page is there: Bokeh would lay the figure out again with all that comes."""
        self._is_loaded = True
        self._fill(self._axes)

    def _fill(self, axes: Axes) -> None:
        if not self._is_loaded:
            return
        self._sent, self._sent_at = self._sent + 1, time.monotonic()
        place = self.until
        if place is None and self.moment is not None:
            place = find_place(self.moment[0].points, self.moment[1], axes)
        with unlocked():
            self._plot(axes.up).fill(self._make_lines(axes), axes, self._sent, place, self.until)
            if self._shown != axes.up:
                self._shown = axes.up
                self._place[:] = [self._plots[axes.up].figure]
            self._picture.param.update(figure=self._plots[axes.up].figure.name, file=f"{axes.up} by {axes.across}")

    def _make_lines(self, axes: Axes) -> dict[str, Line]:
        if axes.up == "per row":
            return make_row_lines(self._curves, axes)
        return make_lines(self._curves, self._bounds, axes)

    def _plot(self, up: str) -> Plot:
        """The plot of a quantity, made when it is first looked at."""
        if up not in self._plots:
            self._plots[up] = (RowPlot if up == "per row" else Plot)(up, self._travel)
            self._plots[up].enlarge(self._large)
        return self._plots[up]

    def _travel(self, place: float) -> None:
        if self.moment is not None:
            self._on_travel(find_iteration(self.moment[0].points, place, self._axes))

    @property
    def _axes(self) -> Axes:
        return self._session.axes

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
