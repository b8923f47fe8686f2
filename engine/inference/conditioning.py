"""Components of open variables: what is left to sum in a row once its observed variables are indices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

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
        self._variables, self._open_cells = variables, open_cells
        self._representative, self._pattern = distinct_rows(open_cells.view(np.int8), open_cells.shape[1])

    def __len__(self) -> int:
        return len(self._representative)

    @cached_property
    def _masks(self) -> list[int]:
        """Per pattern, the open variables as a bit set."""
        is_open = np.zeros((len(self), max(self._variables) + 1), dtype=bool)
        is_open[:, self._variables] = self._open_cells[:, self._representative].T
        return [int.from_bytes(line, "little") for line in np.packbits(is_open, axis=1, bitorder="little")]

    @cached_property
    def _rows(self) -> list[Ints]:
        """Per pattern, its rows."""
        order = np.argsort(self._pattern, kind="stable")
        return np.split(order, np.searchsorted(self._pattern[order], np.arange(1, len(self))))

    def find_components(self, graph: Graph) -> dict[int, list[int]]:
        """For each distinct component of open variables, as a bit set, the patterns it occurs in."""
        found: dict[int, list[int]] = {}
        for k, mask in enumerate(self._masks):
            for component in components(graph, mask):
                found.setdefault(component, []).append(k)
        return found

    def rows(self, patterns: Sequence[int]) -> Ints:
        """The rows that have one of some patterns."""
        return np.concatenate([self._rows[k] for k in patterns])
