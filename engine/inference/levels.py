"""Propagation of few rows through many small cliques and some large ones.

Small cliques that have only such below them are propagated as a :class:`~engine.inference.forest.Forest`. Large
cliques, and those above them, are the *core*: a tape propagates them, to which the messages from below are as good as
factors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from engine.inference.forest import Forest, list_marginals
from engine.inference.forest_places import find_heights, find_strides
from engine.inference.junction_tree import JunctionTree
from engine.inference.operations import Scope
from engine.inference.plan import MEMORY_LIMIT, Part
from engine.inference.pool import Piece, find_offsets
from engine.inference.tape import Tape, chunk_rows, find_span
from engine.model.arrays import Floats, Ints, weighted_counts

SMALL = 512
"""Cells of all rows up to which a clique is small: then operations on it take no longer than calling them."""
FEWEST_AT_A_TIME = 2
"""How many cliques a level must have, taken together, to be worth its lists of places."""


def find_fringe(part: Part, memory_limit: int = MEMORY_LIMIT) -> list[int]:
    """The cliques that are small and have only small ones below; none where they are not worth a level each."""
    tree = part.tree
    if chunk_rows(part, memory_limit) < part.rows:
        return []
    is_small = [size * part.rows <= SMALL for size in tree.sizes]
    for clique, parent in enumerate(tree.parents):  # children first
        if parent >= 0 and not is_small[clique]:
            is_small[parent] = False
    fringe, heights = [clique for clique, small in enumerate(is_small) if small], find_heights(tree)
    levels = 1 + max((heights[clique] for clique in fringe), default=0)
    return fringe if len(fringe) >= FEWEST_AT_A_TIME * levels else []


class Levels:
    """All rows of a part, those of its cliques that are in the fringe level by level. Used like a tape.

    Parameters
    ----------
    part : Part
    pool : array
        Parameters and evidence, read at every run: refill it in place to change them.
    fringe : list of int
        As :func:`find_fringe` finds it.

    Attributes
    ----------
    rows : int
    starts : tuple of int
        Where chunks begin: there is only one.
    span : slice
        The parameters that lie between the first and the last that are read.
    """

    def __init__(self, part: Part, pool: Floats, fringe: Sequence[int]) -> None:
        self.rows, self.starts, self.span = part.rows, (0,), find_span(part)
        self._part, self._pool = part, pool
        self._forest = Forest([part], pool, [fringe])
        self._whole_pool = np.concatenate([pool, self._forest.messages])
        self._core = self._make_core(fringe)
        self._exact: tuple[Ints, Floats] | None = None

    # --- running

    def run(self, start: int, weights: Floats | float = 1.0, check: Callable[[], object] | None = None) -> Floats:
        """Propagate all rows, as :meth:`Tape.run <engine.inference.tape.Tape.run>` does."""
        self._exact = None
        log_z = self._forest.collect(weights)
        if self._core is not None:
            self._whole_pool[: len(self._pool)] = self._pool
            self._whole_pool[len(self._pool) :] = self._forest.messages
            log_z += self._core.run(start, weights, check)
            self._forest.known[:] = self._count_core()[len(self._pool) :]
        self._forest.distribute()
        return log_z

    def _count_core(self) -> Floats:
        """What the core counts of the parameters, and of the messages to it."""
        counts = np.zeros(len(self._whole_pool))
        if self._core is not None:
            counts[self._core.span] = self._core.counts()
        return counts

    def find_doubtful(self) -> Ints | None:
        """The rows of the last run that must be computed in log space, as a tape finds them; None if there are none."""
        found = [tape.find_doubtful() for tape in (self._forest, self._core) if tape is not None]
        doubtful = [rows for rows in found if rows is not None]
        return np.unique(np.concatenate(doubtful)) if doubtful else None

    def counts(self) -> Floats:
        """What the last run adds to the expected counts of the parameters."""
        counts = self._count_core()
        counts[self._forest.span] += self._forest.counts()
        if self._exact is not None:
            counts += weighted_counts(*self._exact, len(counts))
        return counts[self.span]

    def replace_rows(self, rows: Ints, marginals: dict[Scope, Floats]) -> None:
        """Count other posteriors of some rows, times their weights, instead of those of the last run."""
        self._forest.clear_rows(rows)
        if self._core is not None:
            self._core.clear_rows(rows)
        self._exact = list_marginals(self._part, rows, marginals)

    # --- making the core

    def _make_core(self, fringe: Sequence[int]) -> Tape | None:
        """What propagates the cliques outside of the fringe."""
        tree, inside = self._part.tree, set(fringe)
        core = [clique for clique in range(len(tree.cliques)) if clique not in inside]
        if not core:
            return None
        number = {clique: k for k, clique in enumerate(core)} | {-1: -1}
        below = [(k, clique) for k, clique in enumerate(fringe) if number.get(tree.parents[clique], -1) >= 0]
        part = replace(
            self._part,
            tree=JunctionTree(
                tree.cardinalities,
                tuple(tree.cliques[clique] for clique in core),
                tuple(tree.separators[clique] for clique in core),
                tuple(number[tree.parents[clique]] for clique in core),
                tree.adds_edges,
            ),
            pieces=(
                *(self._message_piece(k, clique) for k, clique in below),
                *(piece for piece in self._part.pieces if tree.eliminated_in[piece.scope[0]] in number),
            ),
        )
        return Tape(part, self.rows, self._whole_pool, only_factors=True)

    def _message_piece(self, k: int, clique: int) -> Piece:
        """The message to the core of a clique, the k-th of the fringe, as a factor of the core."""
        scope = self._part.tree.separators[clique]
        sizes = self._part.tree.shape(scope)
        strides = find_strides(sizes)
        base = len(self._pool) + self._forest.find_messages(k)
        return Piece(0, scope, strides, find_offsets(strides, sizes), base)
