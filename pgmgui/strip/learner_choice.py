"""Choosing the learners that race."""

from __future__ import annotations

import panel as pn
import panel_material_ui as pmui

from engine.learning.methods import METHODS
from pgmgui.components.popup import make_popup_button
from pgmgui.project.words import LEARNERS, cut
from pgmgui.state.race import offered
from pgmgui.state.session import Session

GROUPS = {"Decomposed": True, "Whole network": False}
"""The methods whose components stop on their own, and those that go on until all do."""
_DENSE = {"& .MuiCheckbox-root": {"padding": "3px 8px"}}
MOST_SHOWN = 2


class LearnerChoice(pn.viewable.Viewer):
    """A button that says which learners are chosen, and opens the list of all."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._is_showing = False
        self._groups = {
            title: pmui.CheckBoxGroup(label=title, options=[], value=[], width=210, margin=(8, 12), sx=_DENSE)
            for title in GROUPS
        }
        form = pn.Row(*self._groups.values(), margin=4)
        self._button = make_popup_button(
            "Learners",
            "",
            form,
            (480, 236),
            sizing_mode="stretch_width",
            margin=(4, 8, 0, 0),
            end_icon="arrow_drop_up",
            sx={"textTransform": "none", "justifyContent": "space-between", "whiteSpace": "nowrap"},
        )
        for group in self._groups.values():
            group.param.watch(lambda *_: self._choose(), "value")
        session.param.watch(lambda *_: self._show(), ["settings", "derived"])
        self._show()

    def _choose(self) -> None:
        if self._is_showing:  # one group after another: what they hold meanwhile is nobody's choice
            return
        titles = [title for group in self._groups.values() for title in group.value or []]
        methods = tuple(name for name, title in LEARNERS.items() if title in titles)
        if set(methods) != set(self._session.settings.methods) & set(self._offered()):
            self._session.configure(methods=methods)

    def _offered(self) -> list[str]:
        return [*LEARNERS] if self._session.parts is None else offered(self._session.parts)

    def _show(self) -> None:
        chosen = [name for name in self._offered() if name in self._session.settings.methods]
        self._is_showing = True
        for title, group in self._groups.items():
            names = [name for name in self._offered() if METHODS[name].decomposed is GROUPS[title]]
            group.param.update(
                options=[LEARNERS[name] for name in names],
                value=[LEARNERS[name] for name in names if name in chosen],
            )
        self._is_showing = False
        told = cut([LEARNERS[name] for name in chosen], MOST_SHOWN) or "none"
        self._button.param.update(
            label=f"Learners: {told}",
            description=f"Learners: {told}. Choose one or several; they race from the same start",
        )

    def __panel__(self) -> pn.viewable.Viewable:
        return self._button
