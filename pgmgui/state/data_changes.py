"""Edits of the session's data: small data at once, much data beside the page, in the order of typing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from engine.model.data_edits import DataEdit, SetCells, Several
from engine.model.dataset import Dataset
from engine.model.errors import PgmError
from pgmgui.project.counted_data import need_rows
from pgmgui.project.scene import Derived, Scene, derive, edit_scene
from pgmgui.project.troubles import explain
from pgmgui.project.words import count
from pgmgui.state.session import Session

AT_ONCE = 200_000
"""Cells of data up to which an edit is made while the page waits: some hundredths of a second."""

Beside = Callable[[Callable[[], Callable[[], object]]], None]

Make = Callable[[Dataset], DataEdit | None]
"""What makes an edit of data; None if there is nothing to change."""


class DataChanges:
    """What is typed into the data. What comes while an edit is being made waits, and is made after it as one step.

    Parameters
    ----------
    beside : callable
        Does something in a thread; what that returns is called once the page may be changed.
    """

    def __init__(self, session: Session, beside: Beside) -> None:
        self._session, self._beside = session, beside
        self._waiting: list[tuple[str, Make]] = []
        self._is_busy = self._moves_rows = False
        self.is_taking = False
        """Whether the session gets its edited data just now."""

    @property
    def is_busy(self) -> bool:
        """Whether something is still to come of what was typed."""
        return self._is_busy

    def edit(self, label: str, make: Make) -> bool:
        """Change the data, now or in a moment; False if it is refused."""
        session = self._session
        if session.data is None:
            return False
        try:
            dataset = need_rows(session.data.dataset, "the data cannot be edited")
            edit = make(dataset)
        except PgmError as error:
            session.refuse(error)
            return False
        moves_rows = not isinstance(edit, SetCells | None)
        if edit is None and not self._is_busy:
            return True
        if edit is not None and not self._is_busy and dataset.codes.size <= AT_ONCE:
            return self._commit(label, edit)
        if self._is_busy and (self._moves_rows or moves_rows):
            session.say("The data is just being changed: wait until its rows stand still, then try again.")
            return False
        self._moves_rows = moves_rows
        self._waiting.append((label, make))
        if not self._is_busy:
            self._start()
        return True

    def _commit(self, label: str, edit: DataEdit, scene: Scene | None = None, derived: Derived | None = None) -> bool:
        self.is_taking = True
        done = self._session.edit_data(label, edit, scene, derived)
        self.is_taking = False
        return done

    def _start(self) -> None:
        before, steps = self._session.scene, list(self._waiting)
        label = steps[0][0] if len(steps) == 1 else f"make {count(len(steps), 'change')} of the data"
        self._is_busy = True

        def work() -> Callable[[], None]:
            try:
                edit = _join(before, [make for _, make in steps])
                scene = edit_scene(before, edit)
                derived = derive(scene)
            except Exception as error:  # whatever it is, it must reach the user
                return partial(self._fail, explain("Changing the data", error))
            if derived.seen is not None:
                _ = derived.seen.roles, derived.seen.total_weight, derived.seen.shares_seen  # found once and remembered
            return partial(self._take, before, len(steps), label, edit, scene, derived)

        self._beside(work)

    def _fail(self, trouble: str) -> None:
        self._waiting, self._is_busy, self._moves_rows = [], False, False
        self._session.say(trouble)

    def _take(self, before: Scene, steps: int, label: str, edit: DataEdit, scene: Scene, derived: Derived) -> None:
        session, self._is_busy = self._session, False
        if session.scene is before:
            del self._waiting[:steps]
            self._commit(label, edit, scene, derived)
        elif session.data is not before.data:
            self._waiting = []
            session.say("The data has been changed otherwise meanwhile: what was typed last was not taken.")
        if self._waiting:  # perhaps the same rows, once more
            self._start()
        else:
            self._moves_rows = False


def _join(scene: Scene, makes: Sequence[Make]) -> DataEdit:
    """Edits of a scene's data that were asked for one after another, as one."""
    if scene.data is None:
        return Several([])
    dataset, edits = need_rows(scene.data.dataset, "the data cannot be edited"), list[DataEdit]()
    for make in makes:
        edit = make(dataset)
        if edit is not None:
            dataset = edit.apply(dataset)
            edits.append(edit)
    return Several(edits)
