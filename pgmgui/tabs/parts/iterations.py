"""How many iterations each component has made (Fig. 6.4 right [thesis])."""

from __future__ import annotations

from typing import Any

import numpy as np
import panel as pn
from bokeh.models import ColumnDataSource, FixedTicker, NumeralTickFormatter
from bokeh.plotting import figure
from panel.io import unlocked

from engine.model.network import MarkovNetwork
from pgmgui.components.hover import make_hover
from pgmgui.state.session import Session

COLOUR = "#2f86d1"
MOST_TICKS = 12
"""Components that are numbered below their bars; of more, some are."""


class Iterations(pn.viewable.Viewer):
    """A bar for each component with something to iterate: easy ones stop early."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._looked_at = False
        self._bars = ColumnDataSource({"number": [], "iterations": [], "place": []})
        self._ticker = FixedTicker(ticks=[])
        self._figure = self._make_figure()
        self._pane = pn.pane.Bokeh(self._figure, height=130, sizing_mode="stretch_width", margin=(4, 8, 0, 0))
        self._view = pn.Column(sizing_mode="stretch_width", margin=0)
        # Bokeh's models may only be touched in their document's turn.
        session.param.watch(lambda *_: pn.state.execute(self._fill, schedule=True), ["learned", "moment", "derived"])

    def look(self, looked_at: bool) -> None:
        """Say whether the bars are in view: a figure that is drawn while it cannot be seen trips over its own size."""
        self._looked_at = looked_at
        pn.state.execute(self._fill, schedule=True)

    def _make_figure(self) -> Any:
        plot: Any = figure(
            height=130,
            sizing_mode="stretch_width",
            x_axis_label="component",
            y_axis_label="iterations",
            tools=[make_hover(("component", "@number"), ("iterations", "@iterations{0,0}"))],
            toolbar_location=None,
            min_border=2,
        )
        plot.vbar(x="place", top="iterations", width=0.8, source=self._bars, color=COLOUR)
        plot.y_range.start, plot.xgrid.visible = 0, False
        plot.xaxis.ticker = self._ticker
        plot.yaxis.formatter = NumeralTickFormatter(format="0,0")
        return plot

    def _fill(self) -> None:
        parts, learned = self._session.parts, self._session.reached
        components = () if parts is None else parts.task.decomposition.components
        if isinstance(self._session.network, MarkovNetwork):
            components = ()  # which stop together
        busy = np.array([k for k, component in enumerate(components) if not component.is_complete], dtype=np.int64)
        made = np.zeros(len(busy)) if learned is None else learned.iterations[learned.best, busy]
        ticks = np.unique(np.linspace(0, max(len(busy) - 1, 0), MOST_TICKS).astype(int)).tolist() if busy.size else []
        with unlocked():
            shown = self._looked_at and learned is not None and busy.size > 0
            self._view[:] = [self._pane] if shown else []
            if not shown:
                return
            self._bars.data = {"number": busy + 1, "iterations": made, "place": np.arange(len(busy))}
            self._ticker.ticks = ticks
            self._figure.xaxis.major_label_overrides = {k: f"{busy[k] + 1}" for k in ticks}

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
