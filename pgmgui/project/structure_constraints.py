"""What a structure must and must not have, as people type it: names of variables, arrows between them, tiers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.model.errors import PgmError
from engine.model.messages import shorten
from engine.model.variable import Variable, list_names
from engine.structure.constraints import Arrow, Constraints

Index = Mapping[str, int]
"""From the names of variables to their numbers."""


def find_column(index: Index, name: str) -> int:
    """The variable of a name."""
    if name not in index:
        raise PgmError(f"the data has no column {shorten(name)}; it has {list_names(list(index))}")
    return index[name]


def parse_names(index: Index, text: str) -> tuple[int, ...]:
    """``X, Y``: variables with commas between; a name that holds a comma is found too."""
    found: list[int] = []
    pending: list[str] = []
    for piece in text.split(","):
        pending.append(piece)
        name = ",".join(pending).strip()
        if name in index:
            found.append(index[name])
            pending = []
    if pending:
        unknown = next((piece.strip() for piece in pending if piece.strip() not in index), "")
        find_column(index, unknown)
    return tuple(found)


def parse_arrow(index: Index, text: str, what: str) -> Arrow:
    """``A->B``; the names may hold arrows too."""
    for arrow in ("->", "→"):
        pieces = text.split(arrow)
        for k in range(1, len(pieces)):
            names = arrow.join(pieces[:k]).strip(), arrow.join(pieces[k:]).strip()
            if all(name in index for name in names):
                return index[names[0]], index[names[1]]
        if len(pieces) == 2:
            for name in pieces:
                find_column(index, name.strip())
    raise PgmError(f"{what} {text}: expected an arrow such as A->B between two of {list_names(list(index))}")


def parse_constraints(
    variables: tuple[Variable, ...], required: str, forbidden: str, tiers: str, max_parents: int | None
) -> Constraints:
    """What is typed on the page: arrows one a line or with commas between, tiers one a line or with semicolons."""
    index = {variable.name: k for k, variable in enumerate(variables)}
    return Constraints(
        variables,
        frozenset(_parse_arrows(index, required, "Required arrows:")),
        frozenset(_parse_arrows(index, forbidden, "Forbidden arrows:")),
        tuple(parse_names(index, line) for line in _split_lines(tiers)),
        max_parents,
    )


def _parse_arrows(index: Index, text: str, what: str) -> list[Arrow]:
    arrows = []
    for line in _split_lines(text):
        try:
            arrows.append(parse_arrow(index, line, what))
        except PgmError:
            # Not one arrow whose names hold commas: several.
            arrows += [parse_arrow(index, piece.strip(), what) for piece in line.split(",") if piece.strip()]
    return arrows


def _split_lines(text: str) -> list[str]:
    return [line.strip() for line in re.split(r"[\n;]", text) if line.strip()]
