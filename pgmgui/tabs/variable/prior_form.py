"""The prior of the selected variable: the common Dirichlet exponent, one of its own, or a table; and what it makes of
the counts."""

from __future__ import annotations

import numpy as np
import panel as pn

from engine.model.arrays import Floats
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork
from engine.model.table_prior import describe_table_prior
from pgmgui.components.fields import make_field, make_select
from pgmgui.components.grid.grid import Grid
from pgmgui.components.plain_text import PlainText
from pgmgui.project.numbers import parse_number, show_number
from pgmgui.state.session import Session
from pgmgui.tabs.variable.estimates import Estimates
from pgmgui.tabs.variable.rows import find_decimals, number_cells, table_source

_KINDS = {"The common exponent": "common", "A number of its own": "number", "A table of its own": "table"}


class PriorEditor(pn.viewable.Viewer):
    """Chooses where the exponents come from, and edits them."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._name = ""
        self._text = PlainText(margin=(6, 0, 0, 0))
        self._kind = make_select("Exponents", "Where the exponents of this variable come from.", _KINDS, self._choose)
        self._number = make_field(
            "Exponent", "1 is maximum likelihood, 2 Laplace smoothing; below 1 nothing works.", self._set_number, 140
        )
        self._grid = Grid(on_edit=self._edit, shown=8, sizing_mode="stretch_width", margin=(4, 0, 2, 0))
        choice = pn.Row(self._kind, self._number, margin=0, sizing_mode="stretch_width")
        self._editing = pn.Column(choice, self._grid, sizing_mode="stretch_width", margin=0)
        self._view = pn.Column(self._text, self._editing, Estimates(session), sizing_mode="stretch_width", margin=0)
        session.param.watch(lambda *_: self._update(), ["selected", "scene"])
        self._update()

    # --- what is shown

    def _update(self) -> None:
        session = self._session
        self._name = session.selected[0] if len(session.selected) == 1 else ""
        usable = bool(self._name) and isinstance(session.network, BayesianNetwork)
        self._editing.visible = usable
        if not usable:
            self._grid.source = None
            self._text.write(
                "Dirichlet exponents belong to the tables of Bayesian networks. "
                "A Markov network has one prior on all its factors: it is among the run's Options."
            )
            return
        kind = self._shown_kind
        self._kind.value = kind
        self._number.visible = kind != "table"
        self._number.value = self._shown_number
        network = session.network
        exponents = self._exponents.reshape(-1, self._exponents.shape[-1])
        decimals = find_decimals(exponents)
        self._grid.source = table_source(
            network,
            network.scopes[network.index[self._name]],
            lambda row: number_cells(exponents[row], decimals),
            f"Exponents of {self._name}",
            "the exponent",
        )
        prior = session.scene.table_prior
        if prior is not None:
            self._text.write(
                f"Not used now: the run's Options have {describe_table_prior(prior)}, in place of all exponents."
            )
            return
        where = {
            "common": "The number is that of all variables without one of their own. ",
            "number": "",
            "table": "Each parameter has its own. ",
        }[kind]
        self._text.write(f"{where}An exponent ψ counts as ψ − 1 rows seen before the data.")

    @property
    def _own(self) -> float | Floats | None:
        return self._session.scene.prior.get(self._name)

    @property
    def _shown_kind(self) -> str:
        return "common" if self._own is None else "table" if np.ndim(self._own) else "number"

    @property
    def _shown_number(self) -> str:
        own = self._own
        return show_number(self._session.scene.common_prior if own is None or np.ndim(own) else float(own))

    @property
    def _exponents(self) -> Floats:
        network, scene = self._session.network, self._session.scene
        shape = network.tables[network.index[self._name]].shape
        own = scene.prior.get(self._name, scene.common_prior)
        return np.broadcast_to(np.asarray(own, dtype=np.float64), shape)

    # --- what the user does; the fields also call this when they are set from here, and then nothing is new

    def _choose(self, kind: str) -> None:
        if not self._name or kind == self._shown_kind:
            return
        exponents = self._exponents
        chosen = {"common": None, "number": float(exponents.mean()), "table": exponents}[kind]
        self._session.set_prior(self._name, chosen)
        self._update()

    def _set_number(self, text: str) -> None:
        if not self._name or text == self._shown_number:
            return
        try:
            value = parse_number(text, "an exponent")
        except PgmError as error:
            self._session.refuse(error)
        else:
            if self._shown_kind == "common":
                self._session.set_common_prior(value)
            else:
                self._session.set_prior(self._name, value)
        self._update()

    def _edit(self, row: int, column: int, text: str) -> None:
        exponents = self._exponents.copy()
        flat = exponents.reshape(-1, exponents.shape[-1])
        try:
            flat[row, column - exponents.ndim + 1] = parse_number(text, "an exponent")
        except PgmError as error:
            self._session.refuse(error)
        else:
            self._session.set_prior(self._name, exponents)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
