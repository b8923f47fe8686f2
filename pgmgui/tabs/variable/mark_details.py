"""What is known of the selection: its role in the data, its mark, and the numbers of the mark."""

from __future__ import annotations

from collections.abc import Callable

import panel as pn

from engine.model.errors import PgmError
from pgmgui.board.mark_bar import WATCHED, MarkButtons
from pgmgui.components.fields import make_field, make_select
from pgmgui.components.plain_text import PlainText
from pgmgui.project.marks import MECHANISMS, Mark, Partial, Soft, describe_mark, describe_role
from pgmgui.project.numbers import parse_fraction, show_number
from pgmgui.project.words import cut
from pgmgui.state.session import Session
from pgmgui.tabs.variable.sensor import SensorTable


class MarkDetails(pn.viewable.Viewer):
    """Marks the selection, and sets how much is missing or how good the sensor is.

    Parameters
    ----------
    several : bool
        For selections of several variables; otherwise for one, which can have a sensor with a table of its own.
    """

    def __init__(self, session: Session, several: bool = False) -> None:
        super().__init__()
        self._session = session
        self._several = several
        self._facts, hint = PlainText(margin=(4, 0)), PlainText(margin=(8, 0))
        hint.write("A mark covers the data and never changes it: take it off and all is seen again.")
        self._fraction = make_field(
            "Fraction missing", "How much of the values is missing, from 0 to 1.", self._set_fraction, 140
        )
        words = {text: mechanism for mechanism, text in MECHANISMS.items()}
        self._mechanism = make_select("Missing", "What decides which values go.", words, self._set_mechanism)
        self._reliability = make_field(
            "Reliability", "How often the sensor reports the true state, from 0 to 1.", self._set_reliability, 140
        )
        self._partial = pn.Row(self._fraction, self._mechanism, margin=0, sizing_mode="stretch_width")
        self._view = pn.Column(
            self._facts,
            MarkButtons(session, with_table=not several),
            self._partial,
            self._reliability,
            *([] if several else [SensorTable(session)]),
            hint,
            sizing_mode="stretch_width",
            margin=(4, 0),
        )
        session.param.watch(lambda *_: self._update(), WATCHED)
        self._update()

    # --- what is shown

    def _update(self) -> None:
        if (len(self._session.selected) > 1) != self._several:
            self._facts.write()
            return
        marks = self._marks()
        self._partial.visible = bool(marks) and all(isinstance(mark, Partial) for mark in marks)
        self._reliability.visible = bool(marks) and all(isinstance(mark, Soft) for mark in marks)
        self._fraction.value = show_number(self._shown_partial.fraction)
        self._mechanism.value = self._shown_partial.mechanism
        self._reliability.value = show_number(self._shown_soft.reliability)
        self._facts.write(*self._describe())

    def _marks(self) -> list[Mark | None]:
        return [self._session.marks.get(name) for name in self._session.selected]

    @property
    def _shown_partial(self) -> Partial:
        """The partial mark that all selected variables have, or the next one's numbers."""
        found = {mark for mark in self._marks() if isinstance(mark, Partial)}
        return found.pop() if len(found) == 1 else self._session.partial

    @property
    def _shown_soft(self) -> Soft:
        found = {mark for mark in self._marks() if isinstance(mark, Soft)}
        return found.pop() if len(found) == 1 else self._session.soft

    def _describe(self) -> list[str]:
        session = self._session
        if session.data is None or session.seen is None:
            return ["There is no data to mark. Open or simulate some in the Data tab."]
        if len(session.selected) != 1:
            return [f"{cut(session.selected, 6)}: a mark is given to all of them."] if session.selected else []
        (name,) = session.selected
        column = session.network.index[name]
        lines = [f"In the data it is {describe_role(session.data.dataset, column)}."]
        if name in session.marks:
            lines.append(f"Marked: {describe_mark(session.marks[name])}.")
            lines.append(f"So it is {describe_role(session.seen, column)}.")
        return lines

    # --- what the fields do; they are also called when a field is set from here, and then nothing is new

    def _set_fraction(self, text: str) -> None:
        shown = self._shown_partial
        if text != show_number(shown.fraction):
            self._try(lambda: Partial(parse_fraction(text, "a fraction"), shown.mechanism))

    def _set_mechanism(self, mechanism: str) -> None:
        shown = self._shown_partial
        if mechanism != shown.mechanism:
            self._try(lambda: Partial(shown.fraction, mechanism))

    def _set_reliability(self, text: str) -> None:
        if text != show_number(self._shown_soft.reliability):
            self._try(lambda: Soft(parse_fraction(text, "a reliability")))

    def _try(self, make: Callable[[], Partial | Soft]) -> None:
        """Give the selection a mark, or say why not; the fields then show what holds."""
        try:
            mark = make()
        except PgmError as error:
            self._session.refuse(error)
        else:
            if self._session.mark(self._session.selected, mark):
                self._session.prepare(mark)
        self._update()

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
