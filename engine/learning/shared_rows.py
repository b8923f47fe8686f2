"""Passes over rows that workers count: some chunks each, added up in the order of the rows."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import replace
from itertools import pairwise

import numpy as np

from engine.learning.groves import Grove
from engine.learning.objective import Objective, Term
from engine.learning.team import POLL_SECONDS, Team
from engine.learning.workspace import Chunk, ChunkRange, Counted, Workspace
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

    def __init__(self, objective: Objective, team: Team) -> None:
        super().__init__(objective)
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
        groves = self.find_groves(term)
        numbers = [len(self._find_run(grove, term.sign).chunks) for grove in groves]
        for span, counted, weighted in self._collect(_split(groves, numbers, self._team.size), term, cancelled):
            counts[span] += counted
            found.append(weighted)

    def _collect(self, ranges: list[ChunkRange], term: Term, cancelled: Callable[[], bool]) -> Iterator[Counted]:
        """What the chunks of a term count, in their order. Whoever does not have the problem yet is sent it."""
        parameters = self._pool[: self.objective.n_parameters].copy()
        own = replace(self.objective, terms=(term,))
        asked = [self._submit(chunks, None, parameters) for chunks in ranges]
        for k, chunks in enumerate(ranges):
            if self._await(asked[k], chunks, cancelled) is None:
                asked[k] = self._submit(chunks, own, parameters)
        for chunks, future in zip(ranges, asked, strict=True):
            answer = self._await(future, chunks, cancelled)
            yield from self.count_chunks(term, chunks, cancelled) if answer is None else answer

    def _submit(self, chunks: ChunkRange, objective: Objective | None, parameters: Floats) -> Future[Answer] | None:
        try:
            return self._team.submit(count_range, self._key, objective, chunks, parameters)
        except RuntimeError as error:  # nobody is left
            self.trouble = error
            return None

    def _await(self, future: Future[Answer] | None, chunks: ChunkRange, cancelled: Callable[[], bool]) -> Answer:
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
        first, last = chunks
        return answer if answer is not None and len(answer) == last - first else None


def _split(groves: Sequence[Grove], numbers: list[int], size: int) -> list[ChunkRange]:
    """All chunks, so many of each grove, in as many ranges as the team has workers, or fewer, each of about as long."""
    seconds = [sum(job.part.seconds for job in grove) for grove in groves]
    each = np.repeat(np.array(seconds) / numbers, numbers)
    ends, size = np.cumsum(each), min(size, len(each))
    cuts = np.searchsorted(ends, ends[-1] * np.arange(1, size) / size)
    places = sorted({0, *(int(cut) + 1 for cut in cuts), len(each)})
    return list(pairwise(places))


_kept: dict[str, list[Workspace]] = {}
"""In a worker: the workspaces of a problem that nobody works in."""


def count_range(key: str, objective: Objective | None, chunks: ChunkRange, parameters: Floats) -> Answer:
    """A worker's job: what some chunks count; None if it was not sent the problem, and does not have it."""
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
        found = list(work.count_chunks(work.objective.terms[0], chunks))
    _kept.get(key, []).append(work)
    return found
