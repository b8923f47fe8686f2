"""Why a component's bound is where it is, and which variables are below it."""

from __future__ import annotations

import panel as pn

from engine.learning.bounds import Bounds
from pgmgui.components.grid.grid import Cell, Column, Grid, Source
from pgmgui.components.plain_text import PlainText
from pgmgui.project.words import describe_bound, describe_shares, show_gap
from pgmgui.state.session import Session

COLUMNS = (
    Column("Variable", "text", "those that are observed, in the order in which the bound takes them", 120),
    Column("Gap", "number", "how far it is below its bound, in nats", 78),
    Column("Reached", "number", "the log-probability of its values given those before it, in nats", 92),
    Column("Bound", "number", "no parameters lift that above this", 92),
)


class BoundView(pn.viewable.Viewer):
    """The bound of the component that is looked at, in words; and its gap by variable, once something was learned."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._words = PlainText(margin=(4, 8, 0, 0))
        self._grid = Grid(shown=6, sizing_mode="stretch_width", margin=(4, 8, 4, 0))
        self._view = pn.Column(self._words, self._grid, sizing_mode="stretch_width", margin=0)
        session.param.watch(lambda *_: self._update(), ["derived", "component", "learned", "moment", "slack"])
        self._update()

    def _update(self) -> None:
        session, parts, number = self._session, self._session.parts, self._session.component
        self._view.visible = parts is not None and number is not None and isinstance(parts.bounds, Bounds)
        if parts is None or number is None or not isinstance(parts.bounds, Bounds):
            return
        shares = session.gap_shares
        slack = session.slack
        trouble = slack.trouble if slack is not None and slack.component == number else ""
        names = [variable.name for variable in parts.task.network.variables]
        self._words.write(
            *describe_bound(parts.task, parts.bounds, number), *describe_shares(names, shares.values()), trouble
        )
        self._grid.visible = bool(shares)
        if shares:
            rows: list[list[Cell]] = [
                [names[share.variable], show_gap(share.gap), f"{share.reached:,.2f}", f"{share.bound:,.2f}"]
                for share in shares.values()
            ]
            label = f"Gap of component {number + 1} by variable"
            self._grid.source = Source(COLUMNS, len(rows), lambda first, last: rows[first : last + 1], label)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
