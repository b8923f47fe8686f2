"""The tables of the missingness studio."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

from engine.model.variable import Variable
from pgmgui.components.grid.grid import Cell, Column, Source
from pgmgui.project.absence import Compared, Facts
from pgmgui.project.absence_words import WAYS
from pgmgui.project.marks import Absent
from pgmgui.project.numbers import show_number

UNKNOWN: Cell = {"text": "not known", "about": "the values that are missing were never recorded"}
CHANCE, IN_DATA = "Chance", "In the data"


def share_cell(share: float, typed: str = "") -> Cell:
    """A share with its bar; what does not occur has none."""
    if math.isnan(share):
        return {"text": "no rows", "about": "there are none with this state"}
    text = "<0.001" if 0 < share < 0.0005 else f"{share:.3f}"
    cell: dict[str, object] = {"text": text, "bars": [share], "key": share}
    return {**cell, "typed": typed} if typed else cell


def off_cell(difference: float) -> Cell:
    """How far off a probability is."""
    return {"text": f"{difference:+.3f}".replace("-", "−"), "heat": max(-1.0, min(1.0, 4 * difference))}


def chances_source(mark: Absent, facts: Facts | None, causes: Sequence[Variable], name: str) -> Source:
    """How probably the variable is missing for each combination of its causes' states, and how often it is."""
    ways = list(product(*(cause.states for cause in causes)))
    found = None if facts is None or facts.by_cause is None else facts.by_cause.reshape(-1).tolist()
    heads = [Column(cause.name, "head") for cause in causes] or [Column("Always", "head")]
    columns = [*heads]
    if mark.chances:
        about = f"the probability that {name} is missing: from 0 to 1"
        columns.append(Column(CHANCE, "number", about, editable=not mark.indicator))
    columns.append(Column(IN_DATA, "number", f"the share of the rows in which {name} is missing"))

    def cells(first: int, last: int) -> list[list[Cell]]:
        rows: list[list[Cell]] = []
        for k in range(first, last + 1):
            row: list[Cell] = [*ways[k]] or ["whatever the row"]
            if mark.chances:
                row.append(share_cell(mark.chances[k], show_number(mark.chances[k])))
            row.append("…" if found is None else share_cell(found[k]))
            rows.append(row)
        return rows

    by = " and ".join(cause.name for cause in causes)
    return Source(
        tuple(columns), len(ways), cells, f"How probably {name} is missing{' by ' if by else ''}{by}", sorts=False
    )


def shares_source(facts: Facts, variable: Variable) -> Source:
    """What share of each state is missing: by the mechanism, and in the data."""
    columns = (
        Column(variable.name, "head"),
        Column("By mechanism", "number", "the share of this state that the mechanism takes on average"),
        Column(IN_DATA, "number", "the share of the rows with this state in which it is missing"),
    )

    def cells(first: int, last: int) -> list[list[Cell]]:
        return [
            [
                variable.states[k],
                UNKNOWN if facts.expected is None else share_cell(float(facts.expected.states[k])),
                share_cell(float(facts.counted.states[k])) if facts.knows_values else UNKNOWN,
            ]
            for k in range(first, last + 1)
        ]

    return Source(columns, len(variable.states), cells, f"Share missing of each state of {variable.name}", sorts=False)


def bias_source(found: Compared, variable: Variable) -> Source:
    """Of each state: its probability as it is, as if at random, and with the mechanism, below each other."""
    reference = "True" if found.by_truth else "Complete data"
    ways = {WAYS["ignoring"]: found.bias.ignoring.marginal, WAYS["modelling"]: found.bias.modelling.marginal}
    if found.reference is not None:
        ways = {reference: found.reference, **ways}
    off_by = () if found.reference is None else (Column("Off by", "number", "the difference from how it is"),)
    columns = (
        Column(variable.name, "head"),
        Column("Learned", "text", "how"),
        Column("Probability", "number", f"of the state of {variable.name}"),
        *off_by,
    )

    def cells(first: int, last: int) -> list[list[Cell]]:
        rows: list[list[Cell]] = []
        for number in range(first, last + 1):
            state, k = divmod(number, len(ways))
            way, marginal = list(ways.items())[k]
            row: list[Cell] = [variable.states[state] if k == 0 else "", way, share_cell(float(marginal[state]))]
            if found.reference is not None:
                row.append("" if way == reference else off_cell(float(marginal[state] - found.reference[state])))
            rows.append(row)
        return rows

    return Source(
        columns, len(variable.states) * len(ways), cells, f"{variable.name} as it is and as it is learned", sorts=False
    )
