"""The restarts of a run: a dot each, by its final objective, under the bound (Fig. 26 [bound])."""

from __future__ import annotations

from typing import Any

import numpy as np
import panel as pn
from bokeh.models import ColumnDataSource, FixedTicker, NumeralTickFormatter
from bokeh.models.annotations import Span
from bokeh.plotting import figure
from panel.io import unlocked

from engine.insight.relabelling import group_restarts
from engine.learning.bounding import AnyBounds
from engine.learning.bounds import CERTIFIED
from engine.learning.snapshot import Snapshot
from pgmgui.components.grid.grid import Cell, Column, Grid, Source
from pgmgui.components.hover import make_hover
from pgmgui.components.plain_text import PlainText
from pgmgui.project.certificate import judge_bound
from pgmgui.project.words import count, show_nats
from pgmgui.state.travel import Traveller

MARKERS = ("circle", "square", "triangle", "diamond", "hex", "inverted_triangle", "star", "plus")
COLOURS = ("#2f86d1", "#e0701a", "#1fa37a", "#c96aa3", "#b8960c", "#8c6bd1", "#8a5a3c", "#868686")
"""Solutions' dots: both tell them apart; the eighth and all after it are alike."""
COLUMNS = (
    Column("Restart", "head", "counted from 1", 70),
    Column("Solution", "number", "restarts with the same number found the same, up to the names of hidden states", 82),
    Column("Objective", "number", "where it ended, in nats", 110),
    Column("Gap", "number", "how far below the bound, in nats", 90),
    Column("Iterations", "number", "of its slowest component", 86),
)
HEIGHT = 150


class Restarts(pn.viewable.Viewer):
    """Dots and a table; a click on either loads the restart. Nothing where there is only one."""

    def __init__(self, traveller: Traveller) -> None:
        super().__init__()
        self._traveller = traveller
        self._shown: Snapshot | None = None
        self._bounds: AnyBounds | None = None
        self._order: list[int] = []
        self._words = PlainText(margin=(8, 8, 0, 0))
        self._dots = ColumnDataSource({"x": [], "y": [], "colour": [], "marker": [], "restart": [], "solution": []})
        self._bound = Span(location=0.0, dimension="width", line_color="#868686", line_dash="dashed", line_width=2)
        self._figure = self._make_figure()
        self._grid = Grid(shown=6, on_pick=self._pick, sizing_mode="stretch_width", margin=(4, 8, 4, 0))
        self._pane = pn.pane.Bokeh(self._figure, height=HEIGHT, sizing_mode="stretch_width", margin=(4, 8, 0, 0))
        self._view = pn.Column(sizing_mode="stretch_width", margin=0)
        self._dots.selected.on_change("indices", self._tap)

    def _make_figure(self) -> Any:
        hover = make_hover(("restart", "@restart"), ("solution", "@solution"), ("objective", "@y{0,0.0000}"))
        plot: Any = figure(
            height=HEIGHT,
            sizing_mode="stretch_width",
            x_axis_label="restart",
            y_axis_label="objective (nats)",
            tools=["tap", hover],
            toolbar_location=None,
            min_border=2,
        )
        plot.scatter("x", "y", source=self._dots, size=10, color="colour", marker="marker", nonselection_alpha=0.5)
        plot.add_layout(self._bound)
        plot.xaxis.ticker = FixedTicker(ticks=[])
        plot.yaxis.formatter = NumeralTickFormatter(format="0,0.[00]")
        return plot

    def follow(self, snapshot: Snapshot, bounds: AnyBounds | None) -> None:
        """Show the restarts of a run that has ended or goes on."""
        if snapshot is self._shown and bounds is self._bounds:
            return
        self._bounds = bounds
        ended = np.isfinite(snapshot.objective.sum(axis=1))
        if len(snapshot.theta) == 1 or not ended.all() or not snapshot.stop:
            self.clear()
            self._shown = snapshot
            return
        self._shown = snapshot
        totals = snapshot.objective.sum(axis=1)
        solutions = np.array(group_restarts(snapshot))
        self._order = np.argsort(-totals, kind="stable").tolist()
        total = None if bounds is None else bounds.total
        self._words.write(*describe_restarts(totals, solutions, total))
        self._grid.source = _make_source(snapshot, solutions, total, self._order)
        pn.state.execute(lambda: self._draw(snapshot, solutions, total), schedule=True)

    def clear(self) -> None:
        """Show nothing: a figure that is drawn while it cannot be seen trips over its own size."""
        self._shown = None
        pn.state.execute(self._empty, schedule=True)

    def _empty(self) -> None:
        if len(self._view):
            self._view[:] = []

    def _draw(self, snapshot: Snapshot, solutions: Any, total: float | None) -> None:
        """Bokeh's models may only be touched in their document's turn."""
        if snapshot is not self._shown:
            return
        totals = snapshot.objective.sum(axis=1)
        kinds = np.minimum(solutions, len(MARKERS) - 1)
        with unlocked():
            self._dots.data = {
                "x": np.arange(1, len(totals) + 1),
                "y": totals,
                "colour": [COLOURS[k] for k in kinds],
                "marker": [MARKERS[k] for k in kinds],
                "restart": np.arange(1, len(totals) + 1),
                "solution": solutions + 1,
            }
            self._figure.xaxis.ticker.ticks = _choose_ticks(len(totals))
            top = max(totals.max(), total) if total is not None else totals.max()
            room = 0.08 * max(top - totals.min(), 1e-6)
            self._figure.y_range.update(start=totals.min() - room, end=top + room)
            self._figure.x_range.update(start=0.4, end=len(totals) + 0.6)
            self._bound.update(location=total or 0.0, visible=total is not None)
            if not len(self._view):
                self._view[:] = [self._words, self._pane, self._grid]

    def _tap(self, _attribute: str, _old: object, chosen: list[int]) -> None:
        if chosen:
            self._load(chosen[0])

    def _pick(self, row: int) -> None:
        self._load(self._order[row])

    def _load(self, restart: int) -> None:
        self._grid.picked = [self._order.index(restart)]
        self._traveller.load(restart)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def describe_restarts(totals: Any, solutions: Any, bound: float | None) -> list[str]:
    """How many solutions the restarts have found, and how good the best is, in sentences."""
    n_solutions = int(solutions.max()) + 1
    best = int((solutions == 0).sum())
    lines = [
        f"{count(len(totals), 'restart')} found {count(n_solutions, 'solution')}, up to the names of hidden states; "
        f"{best:,} ended in the best."
    ]
    if bound is not None:
        gap = max(0.0, bound - float(totals.max()))
        lines.append(
            "The dashed line is the bound, and the best restart is at it: no other can be better."
            if gap <= CERTIFIED
            else f"The dashed line is the bound: the best restart is {show_nats(gap)} nats below it. "
            f"{judge_bound(gap, totals.tolist())} Click one to load it."
        )
    return lines


def _make_source(snapshot: Snapshot, solutions: Any, bound: float | None, order: list[int]) -> Source:
    totals = snapshot.objective.sum(axis=1)

    def cells(first: int, last: int) -> list[list[Cell]]:
        return [
            [
                f"{r + 1}",
                f"{solutions[r] + 1}",
                f"{totals[r]:,.4f}",
                "" if bound is None else show_nats(max(0.0, bound - totals[r])),
                f"{int(snapshot.iterations[r].max()):,}",
            ]
            for r in order[first : last + 1]
        ]

    return Source(COLUMNS, len(order), cells, "Restarts")


def _choose_ticks(restarts: int) -> list[int]:
    return sorted({round(tick) for tick in np.linspace(1, restarts, min(restarts, 10)).tolist()})
