"""A scanner shared by the text formats (BIF, NET, DSC, DNE): tokens that know their line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

import numpy as np

from engine.arrays import Floats
from engine.errors import FormatError


class Token(str):
    """A piece of a file.

    The text is what stands in the file, without the quotes of a quoted string; ``quoted`` tells
    ``"node"`` from the keyword ``node``.
    """

    __slots__ = ("line", "quoted")
    line: int
    quoted: bool


END = Token("")
"""What is read after the last token."""

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class Scanner:
    """Reads tokens one after another, and raises :class:`FormatError` where the grammar is broken.

    Parameters
    ----------
    text : str
    pattern : str
        A regular expression with the groups ``skip`` (white space, comments), ``string`` (a quoted
        string) and ``token`` (everything else); what it does not match is an error.
    """

    def __init__(self, text: str, pattern: re.Pattern[str]) -> None:
        self._tokens = _scan(text, pattern)
        self._line = 1
        self._ahead = next(self._tokens, END)

    @property
    def line(self) -> int:
        """The line of the next token (of the last one, at the end)."""
        return self._line if self.at_end else self._ahead.line

    @property
    def at_end(self) -> bool:
        return self._ahead is END

    def peek(self, *texts: str) -> bool:
        """Whether the next token is one of these (and not quoted)."""
        return self._ahead in texts and not self.at_end and not self._ahead.quoted

    def peek_quoted(self) -> bool:
        """Whether the next token is a quoted string."""
        return not self.at_end and self._ahead.quoted

    def next(self, what: str = "more") -> Token:
        """The next token; ``what`` says in an error what was expected."""
        token = self._ahead
        if token is END:
            raise FormatError(f"the file ends where {what} was expected", self._line)
        self._line = token.line
        self._ahead = next(self._tokens, END)
        return token

    def skip(self, *texts: str) -> bool:
        """Pass over the next token if it is one of these."""
        found = self.peek(*texts)
        if found:
            self.next()
        return found

    def expect(self, *texts: str) -> Token:
        """The next token, which must be one of these."""
        wanted = " or ".join(repr(text) for text in texts)
        token = self.next(wanted)
        if token not in texts or token.quoted:
            raise FormatError(f"expected {wanted}, got {shorten(token)}", token.line)
        return token

    def number(self) -> float:
        """The next token as a number."""
        token = self.next("a number")
        try:
            if "_" not in token:
                return float(token)
        except ValueError:
            pass
        raise FormatError(f"expected a number, got {shorten(token)}", token.line)

    def whole(self) -> int:
        """The next token as a whole number ≥ 0."""
        token = self.next("a whole number")
        if not (token.isascii() and token.isdigit() and len(token) < 19):
            raise FormatError(f"expected a whole number, got {shorten(token)}", token.line)
        return int(token)

    def numbers(self, *ends: str, separators: tuple[str, ...] = (",",)) -> Floats:
        """Numbers up to one of the end tokens, which is passed over; separators are ignored."""
        values = []
        while not self.skip(*ends):
            if not self.skip(*separators):
                values.append(self.number())
        return np.array(values, dtype=np.float64)

    def fail(self, message: str) -> NoReturn:
        """Raise an error at the current line."""
        raise FormatError(message, self.line)


def shorten(text: str, most: int = 40) -> str:
    """A piece of a file for a message: quoted, on one line, cut when long.

    >>> shorten("a" * 50, most=5)
    "'aaaaa…'"
    """
    return repr(str(text) if len(text) <= most else f"{text[:most]}…")


def _scan(text: str, pattern: re.Pattern[str]) -> Iterator[Token]:
    line, position = 1, 0
    while position < len(text):
        match = pattern.match(text, position)
        if match is None or match.end() == position:
            raise FormatError(f"unexpected text {shorten(text[position : position + 12])}", line)
        if match.lastgroup != "skip":
            quoted = match.lastgroup == "string"
            content = match.group()
            token = Token(_ESCAPE.sub(r"\1", content[1:-1]) if quoted else content)
            token.line, token.quoted = line, quoted
            yield token
        line += text.count("\n", position, match.end())
        position = match.end()
