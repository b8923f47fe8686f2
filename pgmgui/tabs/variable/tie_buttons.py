"""Whether the selected variables share one table, in words, and buttons to tie and untie them."""

from __future__ import annotations

import panel as pn

from engine.model.network import BayesianNetwork
from pgmgui.components.choices.choices import Choice, Choices, Group
from pgmgui.components.plain_text import PlainText
from pgmgui.project.tying import describe_tie, find_tied
from pgmgui.project.words import cut
from pgmgui.state.session import Session

_TIE = (
    "Let the selected variables share one table: the one that some share already, or that of the first selected; their "
    "counts are added when it is learned."
)
_UNTIE = "Give each of the selected variables a table of its own again; it stays as it is."
_SELECT = "Select all that share this table."


class TieButtons(pn.viewable.Viewer):
    """Of one variable, only if it is tied; of several, always.

    Parameters
    ----------
    several : bool
        For selections of several variables; otherwise for one.
    """

    def __init__(self, session: Session, several: bool = False) -> None:
        super().__init__()
        self._session = session
        self._several = several
        self._text = PlainText(margin=(4, 0, 0, 0))
        self._choices = Choices(label="Shared table", on_press=self._press, margin=(2, 0))
        self._view = pn.Column(self._text, self._choices, visible=False, sizing_mode="stretch_width", margin=(4, 0))
        session.param.watch(lambda *_: self._update(), ["selected", "scene"])
        self._update()

    def _update(self) -> None:
        session = self._session
        names = session.selected
        groups = {find_tied(session.scene, name) for name in names}
        is_tied = any(groups)
        self._view.visible = is_tied or len(names) > 1
        if not self._view.visible or (len(names) > 1) != self._several:
            self._text.write()
            return
        is_one = is_tied and len(groups) == 1
        whole = is_one and len(names) == len(next(iter(groups)))
        self._text.write(self._describe(groups))
        items = []
        if len(names) > 1 and not is_one:
            idle = not isinstance(session.network, BayesianNetwork)
            items.append(Choice("tie", "Tie tables", _TIE, None, idle, "plain"))
        if is_tied:
            items.append(Choice("untie", "Untie", _UNTIE, None, False, "plain"))
        if is_tied and not whole:
            items.append(Choice("select", "Select all of them", _SELECT, None, False, "plain"))
        self._choices.groups = [Group("", tuple(items))]

    def _describe(self, groups: set[tuple[str, ...]]) -> str:
        names = self._session.selected
        if not isinstance(self._session.network, BayesianNetwork):
            return (
                "Only variables of a Bayesian network can share a table: factors of a Markov network are coupled by "
                "its partition function, and adding their counts does not solve a shared one."
            )
        if len(groups) > 1 or not any(groups):
            return "Each has a table of its own." if not any(groups) else "Not all of them share one table."
        (group,) = groups
        return describe_tie(group, names[0]) if len(names) == 1 else f"Tied: one table for {cut(list(group), 6)}."

    def _press(self, key: str) -> None:
        session = self._session
        if key == "tie":
            session.tie(session.selected)
        elif key == "untie":
            session.untie(session.selected)
        else:
            session.select([name for chosen in session.selected for name in find_tied(session.scene, chosen)])

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
