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
    place = chance.choice(words)
    new = chance.choice([chance.choice(words).group(), chance.choice(_ODD)])
    return text[: place.start()] + new + text[place.end() :]


def _change_piece(text: str, chance: random.Random) -> str:
    at, other = chance.randrange(len(text)), chance.randrange(len(text))
    piece = text[other : other + chance.randint(0, 30)]
    return text[:at] + piece + text[at + chance.randint(0, 30) :]
