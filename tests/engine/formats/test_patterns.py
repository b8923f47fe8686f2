"""No regular expression of ours goes back over a text again and again: the time grows with the text, not its square.

A pattern holds the interpreter while it runs, and with it every page of the server.
"""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
ROOMS = ("engine/formats", "pgmgui", "app")
METHODS = ("match", "fullmatch", "search", "sub", "split", "findall", "finditer")
LONG = 3_000
"""How often a piece is repeated."""
GOES_BACK = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
"""As the numbers of UAI files were read once: for so many digits it takes hundreds of times as long as it should."""
SHARE = 0.2
"""Of the time which that one takes: who takes as much goes back too."""
STARTS = ("", " ", ".", "1e", "(", "(1,", '"', "'", "/*", "{", "#", "@attribute ", "@attribute a {", "0 '", "c ")
PIECES = (
    "9",
    " ",
    "a",
    ".",
    '"',
    "'",
    "\\",
    "\\a",
    "\\'",
    "\t",
    "\n",
    "/",
    "*",
    "/*",
    ",",
    "%",
    "9.",
    "1 ",
    "a ",
    "\n ",
    "_",
)
ENDS = ("x", "\0")

Use = tuple[str, "re.Pattern[str] | re.Pattern[bytes]", str]


def find_uses() -> Iterator[Use]:
    """Where a pattern is used, the pattern, and how: each that is compiled in a module, or written at its use."""
    for path in sorted(found for room in ROOMS for found in (ROOT / room).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not re.search(r"\bimport\b.*\bre\b", text):
            continue
        tree = ast.parse(text)
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if "re" not in {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}:
            continue
        compiled = {key: value for key, value in vars(import_module(name)).items() if isinstance(value, re.Pattern)}
        used: set[str] = set()
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            owner, method = node.func.value, node.func.attr
            if not isinstance(owner, ast.Name) or method not in METHODS:
                continue
            if owner.id in compiled:
                used.add(owner.id)
                yield f"{name}.{owner.id}", compiled[owner.id], method
            elif owner.id == "re":
                pattern = ast.literal_eval(node.args[0])
                yield f"{name}:{node.lineno}", re.compile(pattern, re.DOTALL), method
        # What is handed on, as to the scanner of tokens, is looked for from every place.
        yield from ((f"{name}.{key}", compiled[key], "finditer") for key in sorted(compiled.keys() - used))


USES = list(find_uses())


def apply(pattern: re.Pattern[str] | re.Pattern[bytes], method: str, text: str) -> None:
    given = text.encode() if isinstance(pattern.pattern, bytes) else text
    if method in ("sub", "split", "findall", "finditer"):
        for _ in pattern.finditer(given):
            pass
    else:
        getattr(pattern, method)(given)


def measure(pattern: re.Pattern[str] | re.Pattern[bytes], method: str, text: str) -> float:
    begun = time.process_time()
    apply(pattern, method, text)
    return time.process_time() - begun


@cache
def measure_limit() -> float:
    """Seconds of CPU that no pattern may take on this machine."""
    return SHARE * min(measure(GOES_BACK, "fullmatch", "9" * LONG + "x") for _ in range(3))


def find_slow(pattern: re.Pattern[str] | re.Pattern[bytes], method: str) -> list[str]:
    for start in STARTS:
        for piece in PIECES:
            for end in ENDS:
                text = start + piece * LONG + end
                if all(measure(pattern, method, text) > measure_limit() for _ in range(3)):
                    return [f"{start!r} {piece!r} × {LONG} {end!r}"]
    return []


@pytest.mark.parametrize(("pattern", "method"), [use[1:] for use in USES], ids=[f"{use[0]} {use[2]}" for use in USES])
def test_a_pattern_takes_time_that_grows_with_the_text(pattern, method):
    assert find_slow(pattern, method) == []


def test_the_patterns_of_the_readers_are_found():
    names = {name for name, _, _ in USES}
    assert {"engine.formats.networks.number_stream._NUMBER", "engine.formats.networks.bif._PATTERN"} <= names
    assert len(USES) > 30


def test_a_pattern_that_goes_back_is_found():
    assert find_slow(GOES_BACK, "fullmatch")
