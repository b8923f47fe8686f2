"""Which jobs are propagated together: the many small ones of a component, each of which is done before it is called."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from engine.inference.levels import SMALL
from engine.learning.jobs import Job

FEWEST_JOBS = 16
"""How many small jobs a component must have. Four are as quick in a forest, sixteen take a fifth of the time: where
there are fewer it does not matter, and learners that visit families make tapes anyway."""
MOST_CELLS = 2**16
"""Cells of a grove at most: they should stay in the cache, and workers have something to share."""
BYTES_PER_CELL = 128
"""A cell of a forest, with the lists of its places, its pieces and its share of messages."""

Grove = tuple[Job, ...]
"""Jobs that are propagated together; most often one by itself."""


def plant_groves(jobs: Sequence[Job], memory_limit: int) -> tuple[Grove, ...]:
    """The jobs of a term, each by itself, and after these the small ones of each component together.

    What is together depends on the jobs alone: not on who propagates them, nor on how many workers there are.
    """
    small: dict[int, list[Job]] = {}
    if len(jobs) >= FEWEST_JOBS:
        for job in jobs:
            if job.home >= 0 and job.targets is None and job.part.tree.largest * job.part.rows <= SMALL:
                small.setdefault(job.home, []).append(job)
    most = min(MOST_CELLS, memory_limit // BYTES_PER_CELL)
    groves = [grove for some in small.values() if len(some) >= FEWEST_JOBS for grove in _split(some, most)]
    together = set(itertools.chain.from_iterable(groves))
    return *((job,) for job in jobs if job not in together), *groves


def _split(jobs: Sequence[Job], most: int) -> list[Grove]:
    """Jobs in order, as many at a time as have no more cells; those that are alone are left out."""
    groves: list[list[Job]] = [[]]
    cells = 0
    for job in jobs:
        own = job.part.tree.cells * job.part.rows
        if groves[-1] and cells + own > most:
            groves.append([])
            cells = 0
        groves[-1].append(job)
        cells += own
    return [tuple(grove) for grove in groves if len(grove) > 1]
