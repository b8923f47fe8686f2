r"""Equations as MathML, which browsers draw by themselves: no script and no font has to be fetched.

The LaTeX that the learners' equations are written in is understood, and nothing else: names and numbers, ``^``,
``_``, braces, ``\frac``, ``\mathrm`` and the commands of :data:`SYMBOLS`, :data:`OPERATORS` and :data:`WORDS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

SYMBOLS = {
    "lambda": "λ",
    "theta": "θ",
    "psi": "ψ",
    "eta": "η",
    "rho": "ρ",
    "ell": "ℓ",
    "partial": "∂",
}
OPERATORS = {"leftarrow": "←", "mid": "∣", "cdot": "·", "in": "∈", "{": "{", "}": "}"}
LARGE = {"sum": "∑", "prod": "∏"}
WORDS = {"Pr": "Pr", "log": "log", "arg": "arg", "max": "max"}
SIGNS = {"-": "−", "'": "′"}
SPACES = {"qquad": "2em", ",": "0.17em"}
_TOKEN = re.compile(r"\\(?:[A-Za-z]+|.)|[0-9]+|\S")


def to_mathml(latex: str) -> str:
    """The equation as a ``math`` element.

    >>> to_mathml(r"\\theta_x^2")
    '<math display="block"><mrow><msubsup><mi>θ</mi><mi>x</mi><mn>2</mn></msubsup></mrow></math>'
    """
    reader = _Reader(_TOKEN.findall(latex))
    content = reader.row(lambda: reader.is_done)
    return f'<math display="block">{content}</math>'


class _Reader:
    """The tokens of an equation, and where one is."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens, self._at = tokens, 0

    @property
    def is_done(self) -> bool:
        return self._at == len(self._tokens)

    def row(self, ends: Callable[[], bool]) -> str:
        """Terms one after another, until something holds."""
        terms = []
        while not ends():
            terms.append(self._term())
        return f"<mrow>{''.join(terms)}</mrow>"

    def _take(self) -> str:
        if self.is_done:
            raise ValueError("the equation ends too early")
        self._at += 1
        return self._tokens[self._at - 1]

    def _next_is(self, token: str) -> bool:
        return not self.is_done and self._tokens[self._at] == token

    def _term(self) -> str:
        """An atom with what is below and above it."""
        large = self._next_is("\\max") or any(self._next_is(f"\\{name}") for name in LARGE)
        atom = self._atom()
        scripts = {}
        while self._next_is("_") or self._next_is("^"):
            mark = self._take()
            scripts[mark] = self._atom()
        if not scripts:
            return atom
        places = {"_": "under", "^": "over"} if large else {"_": "sub", "^": "sup"}
        kind = "".join(place for mark, place in places.items() if mark in scripts)
        return f"<m{kind}>{atom}{''.join(scripts[mark] for mark in places if mark in scripts)}</m{kind}>"

    def _atom(self) -> str:
        if self._next_is("{"):
            self._take()
            content = self.row(lambda: self._next_is("}"))
            self._take()
            return content
        token = self._take()
        if token.startswith("\\"):
            return self._command(token[1:])
        if token.isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{token}</mi>"
        return f'<mo stretchy="false">{escape(SIGNS.get(token, token))}</mo>'

    def _command(self, name: str) -> str:
        if name == "frac":
            return f"<mfrac>{self._atom()}{self._atom()}</mfrac>"
        if name == "mathrm":
            return f"<mtext>{re.sub('<[^>]*>', '', self._atom())}</mtext>"
        if name in SYMBOLS:
            return f"<mi>{SYMBOLS[name]}</mi>"
        if name in WORDS:
            return f"<mi>{WORDS[name]}</mi>"
        if name in LARGE:
            return f'<mo largeop="true" movablelimits="false">{LARGE[name]}</mo>'
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"></mspace>'
        if name in OPERATORS:
            return f'<mo stretchy="false">{OPERATORS[name]}</mo>'
        raise ValueError(f"\\{name} is not understood")
