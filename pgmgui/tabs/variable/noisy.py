"""The small table of a noisy-MAX: what each parent causes on its own, and the leak."""

from __future__ import annotations

import numpy as np
import panel as pn

from engine.model.arrays import Floats
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork
from engine.model.noisy_max import SAME, NoisyMax, fit_noisy_max, stack, unstack
from pgmgui.components.fields import make_narrow_button
from pgmgui.components.grid.grid import Column
from pgmgui.components.plain_text import PlainText
from pgmgui.state.session import Session
from pgmgui.tabs.variable.draft_table import DraftTable

LEAK = "Leak"
"""What the last row is called."""


class NoisyEditor(pn.viewable.Viewer):
    """Declares the one selected variable a noisy-MAX, and edits its numbers; the whole table follows."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._name = ""
        self._about = PlainText(margin=(2, 0))
        self._make = make_narrow_button("Make noisy-MAX", "a small table in place of the whole one", self._declare)
        self._table = DraftTable(session, "Normalise causes", "", self._store, shown=12)
        drop = make_narrow_button("Keep the whole table", "and forget the small one", self._forget)
        self._small = pn.Column(self._table, drop, sizing_mode="stretch_width", margin=0)
        self._view = pn.Column(self._about, self._make, self._small, sizing_mode="stretch_width", margin=(4, 0))
        session.param.watch(lambda *_: self._update(), ["selected", "scene"])
        self._update()

    @property
    def _noisy(self) -> NoisyMax | None:
        return self._session.document.noisy.get(self._name)

    def _update(self) -> None:
        selected = self._session.selected
        self._name = selected[0] if len(selected) == 1 else ""
        noisy, lines = self._noisy, self._describe()
        self._make.visible = noisy is None and len(lines) > 1
        self._small.visible = noisy is not None
        self._about.write(*lines)
        if noisy is None:
            self._table.clear()
        else:
            self._show_rows(noisy)

    def _describe(self) -> list[str]:
        """What there is to say; more than a line where it can be made a noisy-MAX, or is one."""
        network = self._session.network
        if not self._name:
            return []
        if not isinstance(network, BayesianNetwork):
            return ["A Markov network has factors and no tables given parents: it has no noisy-MAX."]
        v = network.index[self._name]
        if not network.parents[v]:
            return ["A noisy-MAX needs causes: draw arrows to this variable first."]
        *strong, weakest = network.variables[v].states
        meaning = (
            f"Each parent causes a state by itself, and the strongest is seen: {', '.join(strong)} before {weakest}. "
            "A row that is 1 in the last column does nothing."
        )
        if self._noisy is not None:
            return [meaning, "The Table section shows the whole table that follows; to change it there makes it plain."]
        table = network.tables[v]
        apart = float(np.abs(fit_noisy_max(table).expand() - table).max())
        change = "Its table is one already."
        if apart > SAME:
            change = f"Its table would change by up to {apart:.4f}."
        return [meaning, f"{change} Last states of parents do nothing. Undo brings the table back."]

    def _show_rows(self, noisy: NoisyMax) -> None:
        network = self._session.network
        *parents, v = network.scopes[network.index[self._name]]
        causes = [network.variables[p] for p in parents]
        names = [(cause.name, state) for cause in causes for state in cause.states]
        self._table.fill(
            f"Noisy-MAX of {self._name}: what each parent causes on its own",
            stack(noisy),
            [Column("Cause", "head"), Column("State", "text")],
            [*names, (LEAK, "all else")],
            [
                Column(state, "number", f"how often it causes {state!r}", editable=True)
                for state in network.variables[v].states
            ],
        )

    # --- what the user does

    def _declare(self) -> None:
        network = self._session.network
        self._session.set_noisy(self._name, fit_noisy_max(network.tables[network.index[self._name]]))

    def _forget(self) -> None:
        self._session.set_noisy(self._name, None)

    def _store(self, rows: Floats) -> bool:
        noisy = self._noisy
        if noisy is None:
            return False
        try:
            new = unstack(rows, [len(cause) for cause in noisy.causes])
        except PgmError as error:
            self._session.refuse(error)
            return False
        return self._session.set_noisy(self._name, new)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
