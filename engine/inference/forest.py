"""Propagation of many small trees side by side: all cliques that are equally far from the leaves at a time.

The messages are those of a :class:`~engine.inference.tape.Tape`, whose operations take longer to call than to do where
a clique has a handful of cells. Here the cells of all cliques in all rows stand in one array, and lists of places say
which are multiplied with which, and which are added up. What one row's numbers are does not touch those of another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from engine.inference.forest_places import NOWHERE, find_starts, make_levels, place_nodes, place_pieces
from engine.inference.operations import Scope
from engine.inference.plan import Part
from engine.inference.tape import SMALLEST, TINY
from engine.model.arrays import Floats, Ints, find_ranges, weighted_counts


class Forest:
    """All rows of some parts, those of one part after those of the other. Used like a tape.

    Parameters
    ----------
    parts : sequence of Part
    pool : array
        Parameters and evidence, read at every run: refill it in place to change them.
    fringes : sequence of sequence of int, optional
        Of each part, the cliques that are in the forest, with all that are below them; all unless given.

    Attributes
    ----------
    rows : int
    starts : tuple of int
        Where chunks begin: there is only one.
    span : slice
        The parameters that lie between the first and the last that are read.
    messages : array
        What each clique in the forest tells the one above it.
    known : array
        What is known above of each cell of the messages that leave the forest: to be written between :meth:`collect`
        and :meth:`distribute`.
    """

    def __init__(self, parts: Sequence[Part], pool: Floats, fringes: Sequence[Sequence[int]] | None = None) -> None:
        fringes = [range(len(part.tree.cliques)) for part in parts] if fringes is None else fringes
        rows = [part.rows for part in parts]
        self.rows, self.starts = sum(rows), (0,)
        self._parts, self._first_rows = parts, find_starts(np.array(rows))
        nodes = self._nodes = place_nodes(parts, fringes)
        pieces = self._pieces = place_pieces(nodes, parts, fringes)
        self._levels = make_levels(nodes, parts, fringes, pieces.products, self.rows)
        first, last = pieces.counted.min(initial=len(pool)), pieces.counted.max(initial=-1) + 1
        self.span = slice(int(first), int(last)) if last else slice(0, 0)
        self._counted = pieces.counted - self.span.start
        n_cells, n_messages = nodes.n_cells, nodes.n_messages
        # The tables; the weights, which the posteriors of roots sum to; what is known of messages that leave.
        self._tables = np.zeros(n_cells + self.rows + n_messages)
        self._weights = self._tables[n_cells : n_cells + self.rows]
        self.known, self.messages = self._tables[n_cells + self.rows :], np.empty(n_messages)
        self._products, self._scales = np.ones(n_cells), np.empty(len(nodes.size))
        self._gathered = np.empty(len(pieces.index))
        self._pool = pool
        self._exact: list[tuple[Ints, Floats]] = []

    # --- running

    def run(self, start: int, weights: Floats | float = 1.0, check: Callable[[], object] | None = None) -> Floats:
        """Propagate all rows, as :meth:`Tape.run <engine.inference.tape.Tape.run>` does; too quick to be checked."""
        log_z = self.collect(weights)
        self.distribute()
        return log_z

    def collect(self, weights: Floats | float) -> Floats:
        """Make the messages, leaves first: what of log Z they leave out."""
        self._exact.clear()
        self._weights[:] = weights
        self._multiply_pieces()
        for level in self._levels:
            table = self._tables[level.cells]
            self._products.take(level.products, out=table, mode="clip")
            for index in level.below:
                some = table[: len(index)]
                np.multiply(some, self.messages.take(index), some)
            message, scales = self.messages[level.messages], self._scales[level.nodes]
            message[:] = weighted_counts(level.message_of, table, len(message))
            np.maximum.reduceat(message, level.starts, 0, None, scales)
            np.divide(message, scales.take(level.node_of), message)
        return weighted_counts(self._nodes.row, np.log(self._scales), self.rows)

    def _multiply_pieces(self) -> None:
        """The product of the pieces of each clique: first those of all that have one, then of those that have two, …"""
        self._pool.take(self._pieces.index, out=self._gathered, mode="clip")
        for slot in self._pieces.slots:
            some = self._products[: slot.stop - slot.start]
            np.multiply(some if slot.start else 1.0, self._gathered[slot], some)

    def distribute(self) -> None:
        """Turn each clique's table into its posterior, given the parent's: roots first."""
        for level in reversed(self._levels):
            table, message = self._tables[level.cells], self.messages[level.messages]
            marginal = weighted_counts(level.above_of, self._tables.take(level.above), len(message))
            # Where the message is zero the marginal is zero too: divide by anything else. Others do not feel it.
            np.add(message, SMALLEST, message)
            np.divide(marginal, message, marginal)
            np.divide(marginal, self._scales[level.nodes].take(level.node_of), marginal)
            np.multiply(table, marginal.take(level.message_of), table)

    def find_doubtful(self) -> Ints | None:
        """The rows of the last run that must be computed in log space, as a tape finds them; None if there are none."""
        if np.minimum.reduce(self._scales) >= TINY and math.isfinite(np.add.reduce(self._tables)):
            return None
        nodes = self._nodes
        has_numbers = np.logical_and.reduceat(np.isfinite(self._tables[: nodes.n_cells]), nodes.cell)
        rows = np.unique(nodes.row[~(has_numbers & (self._scales >= TINY))])
        return rows if rows.size else None

    def counts(self) -> Floats:
        """What the last run adds to the expected counts of the parameters in :attr:`span`."""
        size = self.span.stop - self.span.start
        counts = weighted_counts(self._counted, self._tables.take(self._pieces.counted_cells), size)
        for index, exact in self._exact:
            counts += weighted_counts(index, exact, size)
        return counts

    def clear_rows(self, rows: Ints) -> None:
        """Have some rows of the last run count nothing."""
        is_cleared = np.zeros(self.rows, dtype=bool)
        is_cleared[rows] = True
        some = is_cleared[self._nodes.row]
        self._tables[find_ranges(self._nodes.cell[some], self._nodes.size[some])] = 0.0

    def count_exactly(self, number: int, rows: Ints, marginals: dict[Scope, Floats]) -> None:
        """Count posteriors of some rows of a part, times their weights, beside those of the last run."""
        index, exact = list_marginals(self._parts[number], rows, marginals)
        self._exact.append((index - self.span.start, exact))

    def split_rows(self, rows: Ints) -> list[tuple[int, int, Ints]]:
        """The part of some rows, in order: its number and its first row, and those of the rows that are its."""
        of_part = np.searchsorted(self._first_rows, rows, "right") - 1
        return [(int(k), int(self._first_rows[k]), rows[of_part == k]) for k in np.unique(of_part)]

    # --- for what is above the forest

    def find_messages(self, number: int) -> Ints:
        """Where the message of a clique begins in each row of the only part: that of this number in its fringe."""
        nodes = self._nodes.first[number] + np.arange(self.rows)
        return np.asarray(self._nodes.message[nodes])


def list_marginals(part: Part, rows: Ints, marginals: dict[Scope, Floats]) -> tuple[Ints, Floats]:
    """The parameters that some rows of a part read, and the posteriors of these."""
    factors = [piece for piece in part.pieces if piece.factor >= 0]
    index = [(piece.offsets[:, None] + piece.base[rows]).reshape(-1) for piece in factors]
    exact = [marginals[piece.scope].reshape(-1) for piece in factors]
    return np.concatenate([NOWHERE, *index]), np.concatenate([np.empty(0), *exact])
