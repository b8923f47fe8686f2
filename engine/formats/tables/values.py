"""What each text of a column means for a variable."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from engine.formats.tables.cells import describe_vector, read_number, read_vector, split_vector
from engine.formats.tables.table import Column, Table
from engine.model.dataset import FIRST_LIKELIHOOD, MISSING, TargetCell, Vector
from engine.model.errors import FormatError
from engine.model.messages import shorten
from engine.model.variable import Variable, list_names

TRUTHS = (("yes", "no"), ("true", "false"), ("1", "0"), ("y", "n"), ("t", "f"))
"""Pairs of states that a column of true and false may mean, in any case."""


@dataclass(frozen=True, eq=False)
class Decoded:
    """A variable with its column: the code of each text, and the likelihoods and targets among them."""

    variable: Variable
    codes: npt.NDArray[np.int64]
    vectors: Sequence[Vector]
    column: Column


class Decoder:
    """What each text of a column means for a variable.

    In this order: what is given for it; a state; a missing code; the same without white space around; a
    likelihood or target; a state's index (Netica); the one state that is the same number; the
    one that true or false is.

    Parameters
    ----------
    missing : set of str
        The codes of missing cells.
    given : mapping from text to state, optional
        What the user says that texts mean; None is missing.
    """

    def __init__(
        self,
        table: Table,
        column: Column,
        variable: Variable,
        missing: frozenset[str],
        given: Mapping[str, str | None] | None = None,
    ) -> None:
        self.table, self.column, self.variable, self._missing = table, column, variable, missing
        self._code_of = {state: code for code, state in enumerate(variable.states)}
        self._given = {
            text: MISSING if state is None else variable.code(state) for text, state in (given or {}).items()
        }
        self._vectors: dict[Vector, int] = {}
        self._respelt: list[str] = []
        self._scaled: list[str] = []

    def decode(self, notes: list[str]) -> Decoded:
        """The column with the code of each text; one that means nothing is an error."""
        codes = np.empty(len(self.column.texts), dtype=np.int64)
        for k, text in enumerate(self.column.texts):
            code = self._find(text)
            if code is None:
                self._fail(k)
            codes[k] = code
        for told in filter(None, (self._respelt, self._scaled)):
            more = f" (and {len(told) - 1} like it)" if len(told) > 1 else ""
            notes.append(f"column {shorten(self.column.name)}: {told[0]}{more}")
        if self._given:
            notes.append(
                f"column {shorten(self.column.name)}: values given a meaning: {list_names(list(self._given), 4)}"
            )
        return Decoded(self.variable, codes, list(self._vectors), self.column)

    def list_unknown(self) -> list[str]:
        """The texts that mean nothing, in order of first appearance."""
        return [text for text in self.column.texts if self._find(text) is None]

    def _find(self, text: str) -> int | None:
        bare = text.strip()
        if text in self._given:
            return self._given[text]
        if text in self._code_of or text in self._missing:
            return self._code_of.get(text, MISSING)
        if bare in self._code_of or bare in self._missing:
            return self._code_of.get(bare, MISSING)
        return self._find_vector(bare) if split_vector(bare) else self._find_respelt(bare)

    def _find_vector(self, text: str) -> int | None:
        vector = read_vector(text, self.variable.cardinality)
        if vector is None:
            return None
        if isinstance(vector, TargetCell) and (was := split_vector(text)) and was[1] != vector.shares:
            self._scaled.append(f"the target {shorten(text)} sums to {sum(was[1]):.6g} and is scaled to sum to 1")
        return FIRST_LIKELIHOOD - self._vectors.setdefault(vector, len(self._vectors))

    def _find_respelt(self, text: str) -> int | None:
        """The code of the state a text means without being spelt like it."""
        if self.table.indexed and re.fullmatch("#[0-9]{1,9}", text) and int(text[1:]) < self.variable.cardinality:
            return int(text[1:])
        number = read_number(text)
        same = () if number is None else self._states_by_number.get(number, ())
        same = same or self._states_by_truth.get(text.casefold(), ())
        if len(same) != 1:
            return None
        self._respelt.append(f"{shorten(text)} is read as the state {shorten(self.variable.states[same[0]])}")
        return same[0]

    @cached_property
    def _states_by_number(self) -> dict[float, list[int]]:
        found: dict[float, list[int]] = {}
        for code, state in enumerate(self.variable.states):
            number = read_number(state)
            if number is not None:
                found.setdefault(number, []).append(code)
        return found

    @cached_property
    def _states_by_truth(self) -> dict[str, list[int]]:
        """What true and false mean for a variable, as databases and Parquet files spell them."""
        pair = {state.strip().casefold(): [code] for code, state in enumerate(self.variable.states)}
        for true, false in TRUTHS:
            if self.variable.cardinality == 2 and pair.keys() == {true, false}:
                return {"true": pair[true], "false": pair[false]}
        return {}

    def _fail(self, k: int) -> NoReturn:
        states, text = list_names(self.variable.states), self.column.texts[k].strip()
        expected = f"a state of {shorten(self.variable.name)}; it has {states}"
        meant = text.replace(",", ";")
        kind = "target" if text.startswith("{") else (split_vector(meant) or ("",))[0]
        if kind:
            numbers = describe_vector(kind, self.variable.cardinality)
            expected = f"a {kind} of {shorten(self.variable.name)}: {numbers}, for {states}"
            if meant != text and split_vector(meant):
                expected += f"; write semicolons between the numbers: {shorten(meant)}"
        raise FormatError(
            f"column {shorten(self.column.name)} has {shorten(self.column.texts[k])}, which is not {expected}",
            line_of(self.table, self.column, k),
        )


def line_of(table: Table, column: Column, k: int) -> int | None:
    """The line where a text of a column first appears."""
    rows = np.flatnonzero(column.codes == k)
    return table.line_of(int(rows[0])) if rows.size else None
