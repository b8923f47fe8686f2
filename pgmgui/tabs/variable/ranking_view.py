"""All tables of the network by how far they moved, kept up to date beside the page while somebody looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import panel as pn
import param

from engine.learning.snapshot import Snapshot
from engine.learning.task import LearningTask
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork, Network
from pgmgui.board.beside import work_beside
from pgmgui.components.fields import make_select
from pgmgui.components.grid.grid import Grid
from pgmgui.components.plain_text import PlainText
from pgmgui.state.newest import Newest
from pgmgui.state.session import Session
from pgmgui.tabs.variable.comparing import CURRENT, LEARNED, SOURCES, choose_pair
from pgmgui.tabs.variable.ranking import Ranking, describe_ranking, list_comparable, rank, ranking_source

NOTHING = "There is nothing to compare with yet: learn, simulate data or change a table."


@dataclass(frozen=True, eq=False)
class _Question:
    networks: Mapping[str, Network]
    pair: tuple[str, str]
    task: LearningTask | None
    reached: Snapshot | None


class Ranker(Newest):
    """The newest ranking."""

    found = param.ClassSelector(class_=(Ranking, str), allow_None=True, doc="The ranking, or why there is none.")
    doing = "Comparing all tables"

    def ask(self, networks: Mapping[str, Network], pair: tuple[str, str]) -> None:
        """Have the tables of two networks ranked."""
        parts = self._session.parts
        self._ask(_Question(networks, pair, None if parts is None else parts.task, self._session.reached))

    def _find(self, question: _Question) -> Ranking | str:
        try:
            return rank(question.networks, question.pair, question.task, question.reached)
        except PgmError as error:
            return f"These networks cannot be compared: {error}."

    def _take(self, found: Ranking | str) -> None:
        self.found = found


class RankingView(pn.viewable.Viewer):
    """Two networks, chosen from all there are, and a list of the tables by how far they are apart.

    Parameters
    ----------
    on_pick : callable
        Called with the name of a variable whose tables shall be compared.
    """

    def __init__(self, session: Session, on_pick: Callable[[str], object]) -> None:
        super().__init__()
        self._session, self._on_pick = session, on_pick
        self._ranker = Ranker(session, work_beside)
        self._pair = (CURRENT, LEARNED)
        self._choosing = self._looked_at = False
        self._text = PlainText(margin=(4, 0))
        self._from = make_select("From", "The network that is compared.", {}, lambda key: self._choose(0, key))
        self._to = make_select("To", "The network that it is compared with.", {}, lambda key: self._choose(1, key))
        self._pairing = pn.Row(self._from, self._to, margin=0, sizing_mode="stretch_width")
        self._grid = Grid(on_pick=self._pick, shown=14, sizing_mode="stretch_width", margin=(4, 0, 2, 0))
        self._view = pn.Column(self._pairing, self._text, self._grid, sizing_mode="stretch_width", margin=0)
        session.param.watch(self._update, ["scene", "learned", "moment"])
        self._ranker.param.watch(self._show, "found")

    def look(self, looked_at: bool) -> None:
        """Say whether the list is in view: nothing is computed while it is not."""
        if looked_at != self._looked_at:
            self._looked_at = looked_at
            self._update()

    def _choose(self, which: int, key: str) -> None:
        if not self._choosing and key and key != self._pair[which]:
            self._pair = (key, self._pair[1]) if which == 0 else (self._pair[0], key)
            self._update()

    def _update(self, *_events: Any) -> None:
        if not self._looked_at:
            return
        networks = list_comparable(self._session)
        several = len(networks) > 1
        self._pairing.visible = self._grid.visible = several
        if not several:
            self._text.write(NOTHING)
            return
        pair = choose_pair(list(networks), self._pair)
        options = {key: key for key in SOURCES if key in networks}
        self._choosing = True  # the lists are set from here, which is no choice of the user's
        self._from.param.update(options=options, value=pair[0])
        self._to.param.update(options=options, value=pair[1])
        self._choosing = False
        self._ranker.ask(networks, pair)

    def _show(self, *_events: Any) -> None:
        found = self._ranker.found
        if isinstance(found, Ranking):
            self._text.write(*describe_ranking(found))
            self._grid.source = ranking_source(found)
        else:
            self._text.write(found or "")
            self._grid.source = None

    def _pick(self, row: int) -> None:
        found = self._ranker.found
        if isinstance(found, Ranking):
            network, table = found.network, found.movements[row].table
            variable = table if isinstance(network, BayesianNetwork) else network.scopes[table][-1]
            self._on_pick(network.variables[variable].name)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
