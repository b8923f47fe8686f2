"""Columns gathered from cells: equal cells get equal numbers, compared eight bytes at a time, as integers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.formats.tables.table import Column, Numbering, smallest
from engine.model.arrays import Codes

RECENT = 3
"""Of so many columns with different words are the numbers tried on the next column."""
_WORDS = 8
"""Cells longer than this many eight-byte words are compared as Python objects beyond it."""
_AT_A_TIME = 2**15
"""Cells whose first words are read at a time, so that what is made on the way stays in the cache."""
_MASKS = np.array([2 ** (8 * n) - 1 for n in range(9)], dtype=np.uint64)

Bytes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.intp]
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.integer[Any]]


def read_first_words(buffer: Bytes, starts: Positions, ends: Positions) -> tuple[Words, list[int]]:
    """The first eight bytes of cells (rows, columns), as integers (columns, rows); and each column's longest cell."""
    rows, width = starts.shape
    words = np.empty((width, rows), dtype=np.uint64)
    longest = np.zeros(width, dtype=np.intp)
    step = max(1, _AT_A_TIME // width)
    for row in range(0, rows, step):
        some = slice(row, row + step)
        lengths = ends[some] - starts[some]
        words[:, some] = _read_words(buffer, starts[some], lengths).T
        np.maximum(longest, lengths.max(axis=0), out=longest)
    return words, longest.tolist()


def _read_words(buffer: Bytes, starts: Positions, lengths: Positions) -> Words:
    """Up to eight bytes from each start on, as an integer; bytes beyond the length count as zero."""
    words = np.ndarray((buffer.size - 7,), dtype="<u8", buffer=buffer.data, strides=(1,))
    found = words[starts]
    found &= _MASKS.take(np.minimum(lengths, 8))
    return found


class Gatherer:
    """Collects one column, block by block.

    A cell of k + 1 words is known by the number of its first k words (numbered the same way) and its
    last word. Cells beyond :data:`_WORDS` words are known by their bytes.

    In wide tables most columns have the words of a column shortly before: its numbers are taken over where they do.
    """

    def __init__(self, recent: deque[Numbering]) -> None:
        self._recent = recent
        self.raws: list[bytes] = []
        self._parts: list[Codes] = []
        self._words: list[Numbering] = []
        self._pairs: list[Numbering] = []
        self._codes: list[npt.NDArray[np.int64]] = []
        self._long: dict[bytes, int] = {}

    def add(self, buffer: Bytes, words: Words, starts: Positions, ends: Positions, longest: int) -> None:
        """Append the cells of one block; ``words`` are their first eight bytes, ``longest`` their largest length."""
        number = self._number(0, words, None)
        if longest <= 8:
            codes = self._find_codes(0, number, buffer, starts, ends)
        else:
            codes = self._add_long(buffer, number, starts, ends - starts)
        self._parts.append(smallest(codes, len(self.raws)))

    def _add_long(self, buffer: Bytes, number: Numbers, starts: Positions, lengths: Positions) -> Numbers:
        codes = np.empty(starts.size, dtype=np.int64)
        left: Positions = np.arange(starts.size)
        for step in range(_WORDS):
            rest = lengths[left] - 8 * step
            if step:
                number = self._number(step, _read_words(buffer, starts[left] + 8 * step, rest), number)
            done = rest <= 8
            over = left[done]
            codes[over] = self._find_codes(step, number[done], buffer, starts[over], starts[over] + lengths[over])
            left, number = left[~done], number[~done]
        for cell in left:
            raw = buffer[starts[cell] : starts[cell] + lengths[cell]].tobytes()
            codes[cell] = self._long.setdefault(raw, len(self.raws))
            if codes[cell] == len(self.raws):
                self.raws.append(raw)
        return codes

    def _number(self, step: int, words: Words, before: Numbers | None) -> Numbers:
        """The numbers of cells up to this word, from those up to the word before."""
        if step == len(self._words):
            numbering, number = self._begin(step, words)
            self._words.append(numbering)
            self._pairs.append(Numbering())
            self._codes.append(np.empty(0, dtype=np.int64))
        else:
            number = self._words[step].number(words)
        if before is None:
            return number
        return self._pairs[step].number(before.astype(np.uint64) << np.uint64(32) | number.astype(np.uint64))

    def _begin(self, step: int, words: Words) -> tuple[Numbering, Numbers]:
        """A numbering of words, and their numbers: for first words those of a recent column, if it has them all."""
        for known in self._recent if not step else ():
            if (number := known.find(words)) is not None:
                return known.copy(), number
        numbering = Numbering()
        number = numbering.number(words)
        if not step:
            self._recent.appendleft(numbering.copy())
        return numbering, number

    def _find_codes(self, step: int, number: Numbers, buffer: Bytes, starts: Positions, ends: Positions) -> Numbers:
        """The codes of cells that end with this step; new ones get the next codes."""
        size = int(number.max()) + 1 if number.size else 0
        known = self._codes[step]
        if size > known.size:
            known = self._codes[step] = np.concatenate([known, np.full(size - known.size, -1)])
        codes = known[number]
        unknown = np.flatnonzero(codes < 0)
        if unknown.size:
            first = np.full(size, -1)
            first[number[unknown[::-1]]] = unknown[::-1]
            new = np.flatnonzero(first >= 0)
            new = new[np.argsort(first[new])]
            cells = first[new]
            known[new] = np.arange(len(self.raws), len(self.raws) + new.size)
            self.raws += [buffer[starts[cell] : ends[cell]].tobytes() for cell in cells]
            codes = known[number]
        return codes

    def column(self, read: Callable[[bytes], str]) -> Column:
        """The column, its texts in order of first appearance; raw cells with equal texts become one."""
        codes = np.concatenate(self._parts) if self._parts else np.empty(0, dtype=np.int8)
        order: Sequence[int] = range(len(self.raws))
        if len(self._codes) > 1:
            # Within a block, short cells were given codes before long ones.
            first = np.zeros(len(self.raws), dtype=np.int64)
            first[codes[::-1]] = np.arange(codes.size - 1, -1, -1)
            order = np.argsort(first).tolist()
        texts: dict[str, int] = {}
        new = [0] * len(self.raws)
        for raw in order:
            new[raw] = texts.setdefault(read(self.raws[raw]), len(texts))
        if new != list(range(len(new))):
            codes = smallest(np.array(new), len(texts))[codes]
        return Column("", list(texts), codes)
