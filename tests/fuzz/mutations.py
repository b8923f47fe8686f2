"""Damaged copies of a text, for fuzzing readers."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

_WORD = re.compile(r"(?<![</\w])[\w.]+(?![\w=])")
"""Names and numbers, but not the tags and attributes of XML."""
_ODD = ["", "-1", "nan", "1e999", "9" * 30, "0", "é", "\n"]


def mutate(text: str, count: int, seed: int) -> Iterator[str]:
    """Copies with one to four changes each: in every other copy any piece is replaced by another piece of
    the text, in the rest only a name or number by another or by an odd one, so that the grammar holds."""
    chance = random.Random(seed)
    for number in range(count):
        damaged = text
        for _ in range(chance.randint(1, 4)):
            damaged = _change_word(damaged, chance) if number % 2 else _change_piece(damaged, chance)
        yield damaged


def _change_word(text: str, chance: random.Random) -> str:
    words = list(_WORD.finditer(text))
    if not words:
        return text
    place = chance.choice(words)
    new = chance.choice([chance.choice(words).group(), chance.choice(_ODD)])
    return text[: place.start()] + new + text[place.end() :]


def _change_piece(text: str, chance: random.Random) -> str:
    at, other = (chance.randrange(len(text) + 1) for _ in range(2))
    piece = text[other : other + chance.randint(0, 30)]
    return text[:at] + piece + text[at + chance.randint(0, 30) :]


_BYTES = [
    b"\xff\xfe",  # not UTF-8
    b"\xc3",
    b"\xed\xa0\x80",  # half of a surrogate pair
    b"\x00",
    b"\x00" * 100,
    b"\xef\xbb\xbf",
    b"\r",
    b"\x1b[31m",
    b"\xe2\x80\xa8",  # a line separator
    b"9" * 5000,
    b"1e308",
    b"-1e-320",
    b"2147483648",
    b"0x7f",
    b'"',
    b"'",
    b"\\",
    b"/*",
    b"<!--",
    b"&lt;&#0;",
    b"(" * 3000,
    b"{" * 3000,
    b"[" * 3000,
    b"<a>" * 3000,
    b"a" * 20_000,
]


def mutate_bytes(data: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Copies with one or two changes each: cut short, pieces lost, doubled or moved, single bytes changed, and
    bytes put in that no writer of the format would."""
    chance = random.Random(seed)
    for _ in range(count):
        damaged = data
        for _ in range(chance.randint(1, 2)):
            damaged = _change_bytes(damaged, chance)
        yield damaged


def _change_bytes(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data) + 1)
    end = min(len(data), start + chance.choice([0, 1, 10, 100, 1000]))
    block = data[start:end]
    other = chance.randrange(len(data) + 1)
    changes = [
        data[:start],
        data[start:],
        data[:start] + data[end:],
        data[:end] + block * chance.choice([1, 2, 50]) + data[end:],
        data[:other] + block + data[other:],
        data[:start] + bytes([chance.randrange(256)]) + data[start + 1 :],
        data[:start] + chance.choice(_BYTES) + data[start:],
        data[:start] + chance.choice(_BYTES) + data[end:],
    ]
    return chance.choice(changes)
