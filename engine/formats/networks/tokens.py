"""A scanner shared by the text formats (BIF, NET, DSC, DNE, DSL): tokens that know their line."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator
from typing import NoReturn

import numpy as np

from engine.formats.limits import MOST_CELLS, MOST_LETTERS, MOST_STATES
from engine.model.arrays import Floats
from engine.model.errors import FormatError
from engine.model.messages import shorten


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
END.quoted = False

MOST_WORDS = 1_000_000
"""The longest property or block that is read without being a table, in tokens."""

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_OPENING, _CLOSING = ("(", "{", "["), (")", "}", "]")
_SEPARATORS = (",",)
_PUNCTUATION = (*_OPENING, *_CLOSING, *_SEPARATORS, ";", "=", "|", ":")


def strip_backslashes(text: str) -> str:
    """The content of a quoted string in which a backslash makes the next character plain."""
    return _ESCAPE.sub(r"\1", text) if "\\" in text else text


class Scanner:
    """Reads tokens one after another, and raises :class:`FormatError` where the grammar is broken.

    Parameters
    ----------
    text : str
    pattern : str
        A regular expression with the groups ``skip`` (white space, comments), ``string`` (a quoted
        string) and ``token`` (everything else, without a newline), and perhaps blanks after them; what it does
        not match is an error.
    unescape : callable
        From what stands between quotes to the text it means.
    """

    def __init__(self, text: str, pattern: re.Pattern[str], unescape: Callable[[str], str] = strip_backslashes) -> None:
        self._tokens = _scan(text, pattern, unescape)
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
        return self._ahead in texts and not self._ahead.quoted

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
        if self._ahead not in texts or self._ahead.quoted:
            return False
        self.next()
        return True

    def expect(self, *texts: str) -> Token:
        """The next token, which must be one of these."""
        if self.peek(*texts):
            return self.next()
        wanted = " or ".join(repr(text) for text in texts)
        token = self.next(wanted)
        raise FormatError(f"expected {wanted}, got {shorten(token)}", token.line)

    def number(self) -> float:
        """The next token as a number."""
        return as_number(self.next("a number"))

    def whole(self) -> int:
        """The next token as a whole number ≥ 0."""
        token = self.next("a whole number")
        if not (token.isascii() and token.isdigit() and len(token) < 19):
            raise FormatError(f"expected a whole number, got {shorten(token)}", token.line)
        return int(token)

    def numbers(self, *ends: str, separators: tuple[str, ...] = (",",)) -> Floats:
        """Numbers up to one of the end tokens, which is passed over; separators are ignored."""
        values = array("d")
        while True:
            token = self.next("a number")
            if token in ends and not token.quoted:
                return np.array(values, dtype=np.float64)
            if token not in separators or token.quoted:
                values.append(as_number(token))

    def table(self) -> tuple[Floats, set[int]]:
        """Numbers in nested parentheses, ``((0.1 0.9) (0.2, 0.8))``, and the lengths of the innermost lists.

        Parentheses are counted, not recursed into: a file may nest them as deeply as it likes.
        """
        self.expect("(")
        values = array("d")
        lengths: set[int] = set()
        depth, start = 1, 0
        while depth:
            token = self.next("')'")
            if token in ("(", ")") and not token.quoted:
                depth += (token in _OPENING) - (token in _CLOSING)
                if len(values) > start:
                    lengths.add(len(values) - start)
                    start = len(values)
            elif token.quoted or token not in _SEPARATORS:
                values.append(as_number(token))
                if len(values) > MOST_CELLS:
                    raise FormatError(f"a table of more than {MOST_CELLS:,} numbers", token.line)
        return np.array(values, dtype=np.float64), lengths

    def names(self) -> list[Token]:
        """Names in parentheses, ``(a "b c", d)``; commas are optional."""
        self.expect("(")
        names: list[Token] = []
        while True:
            name = self.next("a name or ')'")
            if name.quoted or name not in _PUNCTUATION:
                names.append(name)
                if len(names) > MOST_STATES:
                    raise FormatError(f"a list of more than {MOST_STATES:,} names", name.line)
            elif name == ")":
                return names
            elif name not in _SEPARATORS:
                raise FormatError(f"expected a name or ')', got {shorten(name)}", name.line)

    def word(self, what: str) -> Token:
        """The next token, which must not be punctuation; ``what`` says in an error what was expected."""
        token = self.next(what)
        if not token.quoted and token in _PUNCTUATION:
            raise FormatError(f"expected {what}, got {shorten(token)}", token.line)
        return token

    def until(self, end: str) -> list[Token]:
        """All tokens up to an end token outside any brackets, which is passed over."""
        tokens: list[Token] = []
        depth = 0
        while depth or not self.skip(end):
            token = self.next(repr(end))
            if not token.quoted:
                depth += (token in _OPENING) - (token in _CLOSING)
            if depth < 0:
                raise FormatError(f"expected {end!r}, got {shorten(token)}", token.line)
            tokens.append(token)
            if len(tokens) > MOST_WORDS:
                raise FormatError(f"a value of more than {MOST_WORDS:,} words", token.line)
        return tokens

    def fail(self, message: str) -> NoReturn:
        """Raise an error at the current line."""
        raise FormatError(message, self.line)


def as_number(token: Token) -> float:
    """A token as a number."""
    try:
        if "_" not in token:
            return float(token)
    except ValueError:
        pass
    raise FormatError(f"expected a number, got {shorten(token)}", token.line)


def _scan(text: str, pattern: re.Pattern[str], unescape: Callable[[str], str]) -> Iterator[Token]:
    line, position = 1, 0
    for match in pattern.finditer(text):
        start, end = match.span()
        if start != position:  # finditer passes over what does not match
            break
        kind = match.lastgroup
        if kind == "token":  # one word
            content = match["token"]
            if len(content) > MOST_LETTERS:
                what = f"a word of {len(content):,} characters, {shorten(content)}"
                raise FormatError(f"{what}; at most {MOST_LETTERS:,} are read", line)
            token = Token(content)
            token.line, token.quoted = line, False
            yield token
        else:
            if kind == "string":
                token = Token(unescape(match["string"][1:-1]))
                token.line, token.quoted = line, True
                yield token
            line += text.count("\n", start, end)
        position = end
    if position < len(text):
        raise FormatError(f"unexpected text {shorten(text[position : position + 12])}", line)
