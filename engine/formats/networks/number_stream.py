"""A fast reader of white-space separated numbers that can tell the line of each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from engine.formats.limits import MOST_LETTERS
from engine.model.arrays import Floats, Ints
from engine.model.errors import FormatError
from engine.model.messages import shorten

_INEXACT = 2**53
"""From here on a float may differ from the whole number that stands in the file."""
_CHUNK = 1 << 22
_NEWLINE = ord("\n")
_BLANK = np.zeros(256, dtype=bool)
_BLANK[list(b" \t\n\v\f\r")] = True
_LONG = re.compile(rb"(?<!\S)\S{%d}" % (MOST_LETTERS + 1))
_NUMBER = re.compile(rb"[+-]?(?:(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?|inf|nan)", re.IGNORECASE)


class NumberStream:
    """The numbers of a text, taken one after another.

    The text is scanned as bytes by NumPy, without a Python object per number; lines are looked up
    only when they are asked for.

    Parameters
    ----------
    text : str
        Nothing but numbers and white space; anything else is a :class:`FormatError`.

    Examples
    --------
    >>> numbers = NumberStream("2  0.25 0.75")
    >>> numbers.whole("a count"), numbers.take(2, "a table").tolist()
    (2, [0.25, 0.75])
    """

    def __init__(self, text: str) -> None:
        # The blank in front makes every number, the first too, follow a blank.
        self._raw = b" " + text.encode("ascii", "replace")
        self._values = self._scan()
        self.position = 0

    @property
    def left(self) -> int:
        """How many numbers have not been taken."""
        return len(self._values) - self.position

    def whole(self, what: str) -> int:
        """The next number, which must be whole and ≥ 0."""
        value = float(self.take(1, what)[0])
        if not (0 <= value < _INEXACT and value.is_integer()):
            self.position -= 1
            self._refuse(what)
        return int(value)

    def wholes(self, count: int, what: str) -> Ints:
        """The next numbers, which must be whole and ≥ 0."""
        values = self.take(count, what)
        wrong = ~((values >= 0) & (values < _INEXACT) & (values == np.floor(values)))
        if wrong.any():
            self.position -= count - int(wrong.argmax())
            self._refuse(what)
        return values.astype(np.int64)

    def _refuse(self, what: str) -> NoReturn:
        self.fail(f"expected {what} (a whole number ≥ 0), got {self._values[self.position]:g}")

    def take(self, count: int, what: str) -> Floats:
        """The next numbers, as a view."""
        if count > self.left:
            self.fail(f"the file ends too early: expected {what} ({_count(count)}), got {self.left:,}")
        self.position += count
        return self._values[self.position - count : self.position]

    def fail(self, message: str) -> NoReturn:
        """Raise an error at the line of the next number (of the last one, at the end)."""
        last = len(self._values) - 1
        raise FormatError(message, self.find_lines([min(self.position, last)])[0] if last >= 0 else 1)

    def find_lines(self, positions: Sequence[int]) -> list[int]:
        """The lines of some of the numbers, given by increasing position."""
        wanted = np.asarray(positions, dtype=np.int64)
        lines: list[int] = []
        passed, line = 0, 1
        for piece, before in _split(self._raw):
            low, high = np.searchsorted(wanted, [passed, passed + len(before)])
            breaks = np.flatnonzero(piece[:-1] == _NEWLINE)
            found = np.searchsorted(breaks, before[wanted[low:high] - passed], side="right") + line
            lines += found.tolist()
            passed += len(before)
            line += len(breaks)
        return lines

    def _scan(self) -> Floats:
        count = longest = 0
        for piece, before in _split(self._raw):
            count += len(before)
            longest = max(longest, int(np.diff(before, prepend=0, append=len(piece)).max()))
        if not count:
            return np.empty(0)
        # Half of it, for a word may go on in the next piece; and blanks are counted too.
        long = _LONG.search(self._raw) if longest > MOST_LETTERS // 2 else None
        if long is not None:
            what = f"a word of more than {MOST_LETTERS:,} characters, {shorten(long.group().decode('ascii'))}"
            raise FormatError(f"{what}; at most that many are read", self._raw.count(b"\n", 0, long.start()) + 1)
        try:
            values: Floats = np.fromstring(self._raw, dtype=np.float64, sep=" ")
        except ValueError:
            self._fail_at_word()
        # Where NumPy reads "1-2" as two numbers, or stops early, there are not as many as words.
        if len(values) != count:
            self._fail_at_word()
        return values

    def _fail_at_word(self) -> NoReturn:
        for word in re.finditer(rb"\S+", self._raw):
            if not _NUMBER.fullmatch(word.group()):
                line = self._raw.count(b"\n", 0, word.start()) + 1
                raise FormatError(f"expected a number, got {shorten(word.group().decode('ascii'))}", line)
        raise FormatError("expected numbers separated by spaces")


def _split(raw: bytes) -> Iterator[tuple[npt.NDArray[np.uint8], npt.NDArray[np.intp]]]:
    """Pieces of a text that overlap by one byte, and in each the blanks that a word follows."""
    for begin in range(0, len(raw) - 1, _CHUNK):
        piece = np.frombuffer(raw, dtype=np.uint8, count=min(_CHUNK + 1, len(raw) - begin), offset=begin)
        blank = _BLANK[piece]
        yield piece, np.flatnonzero(blank[:-1] & ~blank[1:])


def _count(count: int) -> str:
    return "1 number" if count == 1 else f"{count:,} numbers"
