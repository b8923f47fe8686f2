"""The bar above the canvas: say what is known of the selected variables."""

from __future__ import annotations

import panel as pn

from engine.model.network import MarkovNetwork
from pgmgui.components.choices.choices import Choice, Choices, Group
from pgmgui.components.plain_text import PlainText
from pgmgui.project.marks import (
    READINGS,
    ROLES,
    Absent,
    Given,
    Hidden,
    Mark,
    Partial,
    ReadAs,
    Sensor,
    Soft,
    confusion,
    describe_mark,
    list_readings,
)
from pgmgui.project.words import cut, describe_briefly
from pgmgui.state.session import Session

WATCHED = ["selected", "scene", "derived", "partial", "soft"]
"""What the marks of the selection depend on."""
_KINDS = {Hidden: "hidden", Partial: "partial", Soft: "soft", Sensor: "sensor", Given: "given", Absent: "absent"}
_GIVEN = "learn the others given the selected variables, which must be seen in every row (a conditional random field)"
_READINGS = {
    "target": ("As targets", "read the likelihoods in the data as targets: what the posterior shall be"),
    "likelihood": ("As likelihoods", "read the targets in the data as likelihoods, which the rest of a row outweighs"),
}
_NEVER_GIVEN = "for Markov networks only; a Bayesian network learns each table given its parents as it is"


class MarkButtons(pn.viewable.Viewer):
    """Buttons that mark the selection at once; the current mark's button is pressed in.

    Parameters
    ----------
    with_table : bool
        Offer a sensor with a confusion table of its own too; without, it counts as soft.
    """

    def __init__(self, session: Session, with_table: bool = False) -> None:
        super().__init__()
        self._session = session
        self._with_table = with_table
        self._choices = Choices(label="What is known of the selection", on_press=self._press, margin=0)
        session.param.watch(lambda *_: self._update(), WATCHED)
        self._update()

    def _update(self) -> None:
        session = self._session
        idle = not session.selected or session.data is None
        is_markov = isinstance(session.network, MarkovNetwork)
        current = None if idle else self._current()
        texts = {
            "": ("As in the data", "forget the marks of the selected variables"),
            "hidden": ("Hide", "the selected variables are never seen (key: h)"),
            "partial": ("Partial", describe_mark(session.partial)),
            "soft": ("Soft", describe_mark(session.soft)),
            "given": ("Given", _GIVEN if is_markov else _NEVER_GIVEN),
            **{meaning: _READINGS[meaning] for meaning in ([] if idle else self._list_readings())},
        }
        if self._with_table and len(session.selected) == 1:
            texts["sensor"] = ("Sensor table", "a sensor with a table of its own: what it reports of each state")
        items = tuple(
            Choice(key, text, f"{text}: {about}", key == current, idle or (key == "given" and not is_markov))
            for key, (text, about) in texts.items()
        )
        self._choices.groups = [Group("", items)]

    def _list_readings(self) -> list[str]:
        """As what the data of the selection can be read otherwise, or is."""
        found = {meaning for name in self._session.selected for meaning in find_readings(self._session, name)}
        return [meaning for meaning in READINGS if meaning in found]

    def _current(self) -> str | None:
        """The kind of mark that all selected variables have; None if they differ."""
        kinds = {kind_of(self._session.marks.get(name)) for name in self._session.selected}
        if not self._with_table:
            kinds = {"soft" if kind == "sensor" else kind for kind in kinds}
        return kinds.pop() if len(kinds) == 1 else None

    def _press(self, kind: str) -> None:
        session = self._session
        if kind == self._current():
            kind = ""  # pressed once more, a mark is taken off
        session.mark(session.selected, self._make(kind))

    def _make(self, kind: str) -> Mark | None:
        session = self._session
        if kind == "sensor":
            (name,) = session.selected
            states = session.network.variables[session.network.index[name]].cardinality
            mark = session.marks.get(name)
            table = confusion(states, mark if isinstance(mark, Soft | Sensor) else session.soft)
            return Sensor(tuple(tuple(row) for row in table.tolist()))
        return make_mark(session, kind)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._choices


class MarksBar(pn.viewable.Viewer):
    """The buttons, and what is known of the selection in words."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._text = PlainText(margin=(0, 0), cut=True)
        # Beside the buttons if there is room, else below them.
        words = pn.Column(
            self._text, sizing_mode="stretch_width", margin=0, align="center", styles={"flex": "1 1 20rem"}
        )
        buttons = pn.Column(MarkButtons(session), margin=(4, 0), align="center", styles={"flex": "0 0 auto"})
        wrapped = {"align-items": "center", "flex-wrap": "wrap", "column-gap": "12px", "min-height": "44px"}
        self._row = pn.Row(buttons, words, margin=(0, 16), sizing_mode="stretch_width", styles=wrapped)
        session.param.watch(lambda *_: self._update(), WATCHED)
        self._update()

    def _update(self) -> None:
        session = self._session
        if session.data is None:
            self._text.write("No data here: marks need some.")
        elif session.selected:
            self._text.write(f"Selected: {cut(session.selected, 4)}.", self._describe())
        elif session.parts is not None:
            self._text.write(*describe_briefly(session.parts.task))
        else:
            self._text.write("Click variables to say what is known of them.")

    def _describe(self) -> str:
        """What the data says of the selected variables, and how they are marked."""
        session = self._session
        assert session.data is not None
        known = session.data.dataset.roles
        roles = {ROLES[known[session.network.index[name]]] for name in session.selected}
        marks = {session.marks.get(name) for name in session.selected}
        said = f"In the data {roles.pop() if len(roles) == 1 else 'different'}; "
        if len(marks) > 1:
            return f"{said}marked differently."
        (mark,) = marks
        return f"{said}no mark." if mark is None else f"{said}marked: {describe_mark(mark)}."

    def __panel__(self) -> pn.viewable.Viewable:
        return self._row


def make_mark(session: Session, kind: str) -> Mark | None:
    """The mark of a kind that needs no more than the session's numbers; KeyError for another."""
    marks: dict[str, Mark | None] = {"": None, "hidden": Hidden(), "given": Given()}
    marks |= {meaning: ReadAs(meaning) for meaning in READINGS}
    return (marks | {"partial": session.partial, "soft": session.soft})[kind]


def find_readings(session: Session, name: str) -> list[str]:
    """As what the data of a variable can be read otherwise, or is by its mark."""
    if session.data is None:
        return []
    offered = {*list_readings(session.data.dataset, session.network.index[name]), kind_of(session.marks.get(name))}
    return [meaning for meaning in READINGS if meaning in offered]


def kind_of(mark: Mark | None) -> str:
    """The kind of a mark as a word for programs; empty for none."""
    if isinstance(mark, ReadAs):
        return mark.meaning
    return "" if mark is None else _KINDS[type(mark)]
