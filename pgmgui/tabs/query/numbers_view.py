"""The numbers of evidence on one to three variables, to be typed: a likelihood, or a target of all of them together."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import panel as pn

from engine.inference.query import Evidence, query_joint
from engine.inference.targets.target import ROUNDING
from engine.model.arrays import Floats
from engine.model.errors import PgmError
from engine.model.network import Network, table_shape
from pgmgui.board.beside import work_beside
from pgmgui.components.choices.choices import Choice, Choices, Group
from pgmgui.components.grid.grid import Column, Grid, Source
from pgmgui.components.plain_text import PlainText
from pgmgui.project.numbers import parse_number, show_number
from pgmgui.project.wanted import MOST_CELLS, MOST_TOGETHER, find_kind
from pgmgui.state.inquiries import Inquiries, Subject
from pgmgui.state.session import Session

TARGET, LIKELIHOOD, NOW = "Target", "Likelihood", "Probable now"
HOW = {
    TARGET: "Type other numbers; they sum to 1.",
    LIKELIHOOD: "Type other numbers: how probable what was seen is in each state.",
    NOW: "Type numbers that sum to 1 to make them a target, or press As target.",
}

BUTTONS = (
    Choice("take", "As target", "These numbers shall be the posterior", look="plain"),
    Choice("scale", "Normalise", "Divide the numbers by their sum, and make them a target", look="plain"),
    Choice("drop", "Remove target", "Let the model speak again", look="plain"),
)


@dataclass(frozen=True, eq=False)
class Numbers:
    """What a table is of, and its numbers, an axis for each variable."""

    kind: str
    names: tuple[str, ...]
    table: Floats


class NumbersView(pn.viewable.Viewer):
    """A small table, what is to be done about it, and buttons for what can be."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._shown: Numbers | None = None
        self._draft: Floats | None = None
        self._inquiries = Inquiries(session, work_beside, solve_joint, lambda: choose_together(session))
        self._words = PlainText(margin=(4, 8, 0, 0))
        self._grid = Grid(on_edit=self._edit, shown=6, sizing_mode="stretch_width", margin=(2, 8, 2, 0))
        self._buttons = Choices(label="Numbers", on_press=lambda key: self._press(key), margin=(0, 8, 2, 0))
        self._view = pn.Column(self._words, self._grid, self._buttons, sizing_mode="stretch_width", margin=0)
        self._inquiries.param.watch(lambda *_: self.update(), "found")

    def look(self, looked_at: bool) -> None:
        """Find what is probable now, while the view is in sight."""
        self._inquiries.look(looked_at)

    def update(self) -> None:
        """Show the numbers of the selection; those that were typed stay while they are not taken."""
        session, found, before = self._session, self._inquiries.fitting, self._shown
        shown = find_numbers(session, None if found is None else found.result)
        self._grid.visible = self._buttons.visible = shown is not None
        if shown is None:
            self._shown = self._draft = None
            self._words.write(*([found.trouble] if found is not None and found.trouble else []))
            return
        same = before is not None and (before.kind, before.names) == (shown.kind, shown.names)
        draft = self._draft if self._draft is not None and same and self._is_open else shown.table.copy()
        self._shown, self._draft = shown, draft
        self._grid.source = make_source(session.network, shown, draft)
        self._tell()

    # --- what is typed

    @property
    def _is_open(self) -> bool:
        """Whether the numbers that were typed are not taken yet."""
        draft, shown = self._draft, self._shown
        return draft is not None and shown is not None and shown.kind != LIKELIHOOD and abs(draft.sum() - 1) > ROUNDING

    def _tell(self) -> None:
        shown, draft = self._shown, self._draft
        if shown is None or draft is None:
            return
        total = float(draft.sum())
        off = f"They sum to {show_number(total)}, and a target sums to 1: change another number, or press Normalise."
        *rows, last = shown.names
        whose = f"{', '.join(rows)} (rows) and {last} (columns) together" if rows else last
        self._words.write(f"{shown.kind}: {whose}. {off if self._is_open else HOW[shown.kind]}")
        useful = {
            "take": shown.kind != TARGET and not self._is_open and total > 0,
            "scale": self._is_open and total > 0,
            "drop": shown.kind == TARGET,
        }
        self._buttons.groups = [Group("", tuple(button for button in BUTTONS if useful[button.key]))]

    def _press(self, key: str) -> None:
        {"take": self._make_target, "scale": self._normalise, "drop": self._remove}[key]()

    def _edit(self, row: int, column: int, text: str) -> bool:
        shown, draft = self._shown, self._draft
        if shown is None or draft is None:
            return False
        try:
            value = parse_number(text, "a likelihood" if shown.kind == LIKELIHOOD else "a probability")
        except PgmError as error:
            self._session.refuse(error)
            return False
        flat = draft.reshape(-1, draft.shape[-1])
        flat[row, column - (draft.ndim - 1)] = value
        if shown.kind == LIKELIHOOD:
            self._session.suppose(shown.names[0], draft.tolist())
        elif not self._is_open:
            self._make_target()
        self.update()
        return True

    def _normalise(self) -> None:
        if self._draft is not None:
            self._draft /= self._draft.sum()
            self._make_target()

    def _make_target(self) -> None:
        shown, draft = self._shown, self._draft
        if shown is not None and draft is not None:
            numbers = draft / draft.sum() if shown.kind == LIKELIHOOD else draft
            self._session.want(shown.names, numbers.reshape(-1).tolist())
            self.update()

    def _remove(self) -> None:
        if self._shown is not None:
            self._session.want(self._shown.names, None)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def choose_together(session: Session) -> Subject | None:
    """The variables whose joint distribution is asked for: up to three that are selected, if their table is small."""
    names = order(session)
    if not 1 <= len(names) <= MOST_TOGETHER:
        return None
    shape = table_shape(session.network.variables, [session.network.index[name] for name in names])
    return names if int(np.prod(shape)) <= MOST_CELLS else None


def order(session: Session) -> tuple[str, ...]:
    """The selected variables in the order of the network, as targets have them."""
    return tuple(sorted(session.selected, key=session.network.index.__getitem__))


def solve_joint(network: Network, evidence: Evidence, subject: Subject) -> Floats:
    """How probable the combinations of some variables' states are."""
    return query_joint(network, evidence, subject)


def find_numbers(session: Session, now: Floats | None) -> Numbers | None:
    """The numbers of the selection: what is supposed, or else what is probable now; None where neither is known."""
    names = order(session)
    if choose_together(session) is None:
        return None
    shape = table_shape(session.network.variables, [session.network.index[name] for name in names])
    target = session.wanted.tables.get(names)
    if target is not None:
        return Numbers(TARGET, names, np.array(target).reshape(shape))
    kind, numbers = find_kind(session.supposed, names[0])
    if len(names) == 1 and kind == "likelihood":
        return Numbers(LIKELIHOOD, names, np.array(numbers))
    return None if now is None or now.shape != shape else Numbers(NOW, names, now)


def make_source(network: Network, shown: Numbers, draft: Floats) -> Source:
    """A row for each combination of states of all variables but the last, a column for each state of that."""
    *given, last = (network.variables[network.index[name]] for name in shown.names)
    rows = list(itertools.product(*(variable.states for variable in given)))
    flat = draft.reshape(-1, draft.shape[-1])
    heads = [Column(variable.name, "head", "", 84) for variable in given]
    about = f"{shown.kind.lower()} of {last.name} = {{}}"
    titles = [f"{last.name} = {state}" if given else state for state in last.states]
    columns = [
        Column(title, "number", about.format(state), editable=True)
        for title, state in zip(titles, last.states, strict=True)
    ]
    return Source(
        (*heads, *columns),
        len(rows),
        lambda first, end: [[*rows[k], *map(show_number, flat[k].tolist())] for k in range(first, end + 1)],
        f"{shown.kind} of {', '.join(shown.names)}",
    )
