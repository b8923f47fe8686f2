"""Tables that a file implies without spelling out every number."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.formats.networks.tokens import Token
from engine.model.arrays import Floats
from engine.model.errors import FormatError
from engine.model.messages import shorten

MOST_IMPLIED_CELLS = 20_000_000
"""How many cells a file may imply in all: a few lines could otherwise fill the memory."""


class ImpliedTables:
    """Makes the tables of one file, flat with the child fastest, and keeps count of their cells."""

    def __init__(self) -> None:
        self._left = MOST_IMPLIED_CELLS

    def spend(self, cells: int, name: str, line: int | None) -> None:
        """Count cells that the table of a variable has without the file giving them."""
        self._left -= cells
        if self._left < 0:
            raise FormatError(
                f"with the table of {shorten(name)} the file implies more than {MOST_IMPLIED_CELLS:,} numbers "
                f"that it does not give",
                line,
            )

    def uniform(self, shape: Sequence[int], name: str, line: int | None) -> Floats:
        """The uniform distribution in every row; the child's cardinality is last in the shape."""
        cells = math.prod(shape)
        self.spend(cells, name, line)
        return np.full(cells, 1 / max(shape[-1], 1))

    def chosen(self, choices: Sequence[Token], states: Sequence[str], name: str, line: int | None) -> Floats:
        """The table of a deterministic variable, from the state of each row: its name, or ``#0``."""
        self.spend(len(choices) * len(states), name, line)
        codes = {f"#{code}": code for code in range(len(states))}
        codes |= {state: code for code, state in enumerate(states)}
        table = np.zeros((len(choices), len(states)))
        for row, choice in enumerate(choices):
            if choice not in codes:
                raise FormatError(f"{shorten(name)} has no state {shorten(choice)}", choice.line)
            table[row, codes[choice]] = 1
        return table.reshape(-1)
