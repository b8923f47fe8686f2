"""Components of open variables: what is left to sum in a row once its observed variables are indices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.inference.graphs import Graph, components
from engine.model.arrays import Bools, Ints
from engine.model.distinct import distinct_rows


class Patterns:
    """Which variables are open, in the rows of a block: rows with the same ones open share a pattern.

    Parameters
    ----------
    variables : sequence of int
    open_cells : array (variables, rows)
    """

    def __init__(self, variables: Sequence[int], open_cells: Bools) -> None:
        representative, pattern = distinct_rows(open_cells.view(np.int8), open_cells.shape[1])
        is_open = np.zeros((len(representative), max(variables) + 1), dtype=bool)
        is_open[:, variables] = open_cells[:, representative].T
        packed = np.packbits(is_open, axis=1, bitorder="little")
        self.masks = [int.from_bytes(line, "little") for line in packed]
        self._order = np.argsort(pattern, kind="stable")
        self._starts = np.searchsorted(pattern[self._order], np.arange(len(representative) + 1)).tolist()

    def find_components(self, graph: Graph) -> dict[int, list[int]]:
        """For each distinct component of open variables, as a bit set, the patterns it occurs in."""
        found: dict[int, list[int]] = {}
        for k, mask in enumerate(self.masks):
            for component in components(graph, mask):
                found.setdefault(component, []).append(k)
        return found

    def rows(self, patterns: Sequence[int]) -> Ints:
        """The rows that have one of some patterns."""
        return np.concatenate([self._order[self._starts[k] : self._starts[k + 1]] for k in patterns])
