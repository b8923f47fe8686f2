"""Questions that are answered beside the page: of those that wait, only the newest."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import param

from pgmgui.project.troubles import explain
from pgmgui.state.session import Session


class Newest(param.Parameterized):
    """Answers found in a thread, one at a time.

    A kind of question says how to :meth:`_find` its answer, in the thread, and what to do with it: :meth:`_take`.

    Parameters
    ----------
    beside : callable
        Does something in a thread, and calls what it returns once the page may be changed.
    """

    busy = param.Boolean(default=False, doc="Whether a newer answer is on its way.")
    doing: ClassVar[str]
    """What is done, in words, for when it fails."""

    def __init__(self, session: Session, beside: Callable[[Callable[[], Callable[[], object]]], None]) -> None:
        super().__init__()
        self._session, self._beside = session, beside
        self._next: Any = None

    def _ask(self, question: object) -> None:
        """Have this answered next, in place of what waits."""
        self._next = question
        if not self.busy:
            self.busy = True
            self._go_on()

    def _find(self, question: Any) -> object:
        raise NotImplementedError

    def _take(self, found: Any) -> None:
        raise NotImplementedError

    def _go_on(self) -> None:
        """Answer what was asked last, if that has not been done."""
        question, self._next = self._next, None
        if question is None:
            self.busy = False
        else:
            self._beside(partial(self._work, question))

    def _work(self, question: object) -> Callable[[], object]:
        """Answer a question, in a thread; what is to be done with the answer."""
        try:
            take: Callable[[], object] = partial(self._take, self._find(question))
        except Exception as error:  # whatever it is, it must reach the user
            take = partial(self._session.say, explain(self.doing, error))
        return partial(self._finish, take)

    def _finish(self, take: Callable[[], object]) -> None:
        take()
        self._go_on()
