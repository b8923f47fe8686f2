"""Passes over rows that workers count: a share of the rows each, added up in the order of the rows."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from dataclasses import replace
from itertools import pairwise

import numpy as np

from engine.learning.objective import Objective, Term
from engine.learning.team import POLL_SECONDS, Team
from engine.learning.workspace import Chunk, Counted, Share, Workspace
from engine.model.arrays import Floats
from engine.model.errors import Cancelled

MOST_KEPT = 2
"""Problems that a worker keeps: those that it was sent last."""

Answer = list[Counted] | None


class SharedRows(Workspace):
    """A workspace whose rows are propagated by workers.

    Every chunk is propagated as it would be here, and its counts come back by themselves: results are the same to the
    last bit. What a worker fails to do is done here.

    Attributes
    ----------
    trouble : Exception, optional
        Why something was done here.
    """

    def __init__(self, objective: Objective, team: Team, other: Workspace | None = None) -> None:
        super().__init__(objective, other)
        self.trouble: Exception | None = None
        self._team, self._key = team, uuid.uuid4().hex

    def _propagate(
        self,
        term: Term,
        found: list[Floats],
        counts: Floats,
        cancelled: Callable[[], bool],
        visit: Callable[[Chunk], object] | None,
    ) -> None:
        if term.sign < 0 or not term.jobs or visit is not None:
            super()._propagate(term, found, counts, cancelled, visit)
            return
        chunks = [len(self._find_run(job, term.sign).chunks) for job in term.jobs]
        for span, counted, weighted in self._collect(_split(term, chunks, self._team.size), term, cancelled):
            counts[span] += counted
            found.append(weighted)

    def _collect(self, shares: list[Share], term: Term, cancelled: Callable[[], bool]) -> Iterator[Counted]:
        """What the chunks of a term count, in their order. Whoever does not have the problem yet is sent it."""
        parameters = self._pool[: self.objective.n_parameters].copy()
        own = replace(self.objective, terms=(term,))
        asked = [self._submit(share, None, parameters) for share in shares]
        for k, share in enumerate(shares):
            if self._await(asked[k], share, cancelled) is None:
                asked[k] = self._submit(share, own, parameters)
        for share, future in zip(shares, asked, strict=True):
            answer = self._await(future, share, cancelled)
            yield from self.count_chunks(term, share, cancelled) if answer is None else answer

    def _submit(self, share: Share, objective: Objective | None, parameters: Floats) -> Future[Answer] | None:
        try:
            return self._team.submit(count_share, self._key, objective, share, parameters)
        except RuntimeError as error:  # nobody is left
            self.trouble = error
            return None

    def _await(self, future: Future[Answer] | None, share: Share, cancelled: Callable[[], bool]) -> Answer:
        """What a worker has counted, if it has."""
        if future is None:
            return None
        while not wait([future], POLL_SECONDS).done:
            if cancelled():
                raise Cancelled
            if self._team.gone:
                self.trouble = RuntimeError(self._team.gone)
                return None
        try:
            answer = future.result()
        except Exception as error:  # if it is not the worker's fault, it comes up here again
            self.trouble = error
            return None
        first, last = share
        return answer if answer is not None and len(answer) == last - first else None


def _split(term: Term, chunks: list[int], size: int) -> list[Share]:
    """So many shares, or fewer, each of about as long."""
    each = np.repeat([job.part.seconds / number for job, number in zip(term.jobs, chunks, strict=True)], chunks)
    ends, size = np.cumsum(each), min(size, len(each))
    cuts = np.searchsorted(ends, ends[-1] * np.arange(1, size) / size)
    places = sorted({0, *(int(cut) + 1 for cut in cuts), len(each)})
    return list(pairwise(places))


_kept: dict[str, list[Workspace]] = {}
"""In a worker: the workspaces of a problem that nobody works in."""


def count_share(key: str, objective: Objective | None, share: Share, parameters: Floats) -> Answer:
    """A worker's job: what a share of the rows counts; None if it was not sent the problem, and does not have it."""
    free = _kept.get(key)
    if objective is not None:
        while len(_kept) >= MOST_KEPT and key not in _kept:
            _kept.pop(next(iter(_kept)), None)
        free = _kept.setdefault(key, [])
        free.append(Workspace(objective))
    try:
        work = (free or []).pop()  # by this thread alone, if there are several
    except IndexError:
        return None
    work.read_parameters(parameters)
    with np.errstate(all="ignore"):
        found = list(work.count_chunks(work.objective.terms[0], share))
    _kept.get(key, []).append(work)
    return found
