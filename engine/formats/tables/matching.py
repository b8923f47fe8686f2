"""What columns and values may mean that are not spelt like a variable or a state: suggestions for the user.

Suggestions only: :func:`engine.formats.tables.columns.build_dataset` is told what was chosen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from engine.formats.tables.cells import MISSING_CODES
from engine.formats.tables.columns import CASE_NUMBER, find_weights, match_columns
from engine.formats.tables.table import Table
from engine.formats.tables.values import Decoder
from engine.model.variable import Variable

ALIKE = 0.6
"""How alike two spellings must be, from 0 to 1, for one to be suggested for the other."""
CLEARLY = 0.1
"""How much more alike the best must be than the next."""
MOST_COMPARED = 250_000
"""Pairs of names that are compared: with more, only names that are equal but for case and punctuation are found."""
MOST_LETTERS = 200
"""Longer names are alike only if they are equal but for case and punctuation: comparing takes the square of it."""
MOST_VALUES = 200
"""Values of one column for which a state is looked for."""
_WORDS = (
    {"1", "true", "yes", "y", "t", "on", "present", "positive"},
    {"0", "false", "no", "n", "f", "off", "absent", "negative"},
)
"""Words that say the same."""


def list_strangers(table: Table, variables: Sequence[Variable]) -> list[int]:
    """The columns that are no variable by their name, and hold neither weights nor nothing but the case's number."""
    taken = set(match_columns(table, variables).values())
    _, weights = find_weights(table, variables, taken, [])
    return [
        j
        for j, column in enumerate(table.columns)
        if j not in taken and j != weights and column.name and column.name.casefold() != CASE_NUMBER.casefold()
    ]


def list_unknown(table: Table, column: int, variable: Variable, missing: Sequence[str] = ()) -> list[str]:
    """The texts of a column that are no value of a variable, in order of first appearance."""
    codes = frozenset((*MISSING_CODES, *missing))
    return Decoder(table, table.columns[column], variable, codes).list_unknown()


def suggest_variables(
    table: Table, columns: Sequence[int], variables: Sequence[Variable], missing: Sequence[str] = ()
) -> dict[int, int]:
    """For columns, the variable that each may mean: no variable twice, the most alike first.

    Names are alike if their spelling is, or if one abbreviates the other; and some of the column's values, if it
    has any, must be states or say the same.
    """
    codes = {*MISSING_CODES, *missing}
    cheap = len(columns) * len(variables) > MOST_COMPARED
    scores = []
    for j in columns:
        texts = [text for text in table.columns[j].texts[:MOST_VALUES] if text not in codes]
        for i, variable in enumerate(variables):
            score = _compare(table.columns[j].name, variable.name, cheap)
            known = _share_known(texts, variable) if score >= ALIKE else 0.0
            if known:
                scores.append((-score - known, j, i))
    found: dict[int, int] = {}
    given: set[int] = set()
    for _, j, i in sorted(scores):
        if j not in found and i not in given:
            found[j] = i
            given.add(i)
    return found


def _share_known(texts: Sequence[str], variable: Variable) -> float:
    """How many of some texts are states of a variable but for case, or words that say the same."""
    states = {state.strip().casefold() for state in variable.states}
    states |= {word for words in _WORDS if words & states for word in words}
    return sum(text.strip().casefold() in states for text in texts) / len(texts) if texts else 1.0


def suggest_states(texts: Sequence[str], variable: Variable) -> dict[str, str]:
    """For texts, the state of a variable that each may mean, where one is alike."""
    if len(texts) > MOST_VALUES:
        return {}
    found = {text: _closest(text, variable.states) for text in texts}
    return {text: state for text, state in found.items() if state is not None}


def _closest(text: str, states: Sequence[str]) -> str | None:
    """The state that is most alike, unless another is about as alike."""
    scores = sorted(((_compare_values(text, state), state) for state in states), reverse=True)
    (best, state), rest = scores[0], scores[1:]
    return state if best >= ALIKE and (not rest or best - rest[0][0] >= CLEARLY) else None


def _compare_values(text: str, state: str) -> float:
    """How alike two values are, from 0 to 1."""
    one, other = text.strip().casefold(), state.strip().casefold()
    if one == other:
        return 1.0
    if any(one in words and other in words for words in _WORDS):
        return 0.95
    # Numbers that look alike are different: 1 and 10, 5 and <5.
    return 0.0 if re.search(r"\d", one + other) else _compare(text, state, False)


def _compare(one: str, other: str, cheap: bool) -> float:
    """How alike two names are, from 0 to 1."""
    first, second = _fold(one), _fold(other)
    if first == second:
        return 1.0
    if cheap or not first or not second or max(len(first), len(second)) > MOST_LETTERS:
        return 0.0
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    if matcher.quick_ratio() < 0.4:
        return 0.0
    short, long = sorted((first, second), key=len)
    ratio = matcher.ratio()
    return max(ratio, 0.6 + 0.4 * ratio) if _abbreviates(short, long) else ratio


def _abbreviates(short: str, long: str) -> bool:
    """Whether a word of at least two letters is another one with letters left out, but not its first.

    >>> _abbreviates("prss", "press"), _abbreviates("ress", "press")
    (True, False)
    """
    rest = iter(long)
    return len(short) > 1 and short[0] == long[0] and all(letter in rest for letter in short)


def _fold(name: str) -> str:
    """A name without case, white space and punctuation; itself if that is all it has.

    >>> _fold("Lung_Cancer "), _fold("<5")
    ('lungcancer', '5')
    """
    return re.sub(r"[\W_]", "", name.casefold()) or name
