"""Marks as a session's file holds them.

``{"kind": "hidden" | "partial" | "soft" | "sensor" | "given" | "read" | "absent", ...}``, with the fields of the mark.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from engine.formats.schema import Check, list_of, number, numbers, one_of, optional, record, text
from engine.model.errors import FormatError
from engine.model.messages import shorten
from engine.model.network import MarkovNetwork, Network
from pgmgui.project.marks import (
    MECHANISMS,
    MOST_CHANCES,
    READINGS,
    Absent,
    Given,
    Hidden,
    Mark,
    Partial,
    ReadAs,
    Sensor,
    Soft,
)

_MARKS: Mapping[str, tuple[type[Mark], Check]] = {
    "hidden": (Hidden, record({})),
    "partial": (Partial, record({"fraction": number(0, 1), "mechanism": one_of(MECHANISMS)})),
    "soft": (Soft, record({"reliability": number(0, 1)})),
    "sensor": (Sensor, record({"confusion": list_of(numbers(0, 1))})),
    "given": (Given, record({})),
    "read": (ReadAs, record({"meaning": one_of(READINGS)})),
    "absent": (
        Absent,
        record({"causes": list_of(text()), "chances": optional(numbers(0, 1), ()), "indicator": optional(text(), "")}),
    ),
}


def dump_mark(mark: Mark) -> dict[str, Any]:
    """A mark as a record."""
    (kind,) = (name for name, (known, _) in _MARKS.items() if isinstance(mark, known))
    return {"kind": kind, **asdict(mark)}


def parse_mark(item: Any, place: str) -> Mark:
    """The mark of a record."""
    kind = record({"kind": one_of(_MARKS)})(item, place)["kind"]
    make, fields = _MARKS[kind]
    return make(**fields(item, place))


def fit_mark(mark: Mark, name: str, network: Network) -> Mark:
    """A mark of a variable of the network, if it can be one."""
    states = network.variables[network.index[name]].cardinality
    if isinstance(mark, Sensor) and {len(mark.confusion), *map(len, mark.confusion)} != {states}:
        raise FormatError(f"marks.{name}.confusion: expected {states} rows of {states} numbers")
    if isinstance(mark, Given) and not isinstance(network, MarkovNetwork):
        raise FormatError(f"marks.{name}: only variables of a Markov network can be given")
    if isinstance(mark, Absent):
        _check_absent(mark, name, network)
    return mark


def _check_absent(mark: Absent, name: str, network: Network) -> None:
    """Refuse a mechanism whose causes or indicator are not in the network, or that has not a chance for each case."""
    named = [*mark.causes, *([mark.indicator] if mark.indicator else [])]
    unknown = [other for other in named if other not in network.index]
    if unknown:
        raise FormatError(f"marks.{name}: {shorten(unknown[0])} is no variable of the network")
    sizes = [network.variables[network.index[other]].cardinality for other in named]
    cases = math.prod(sizes[: len(mark.causes)])
    if len(set(mark.causes)) < len(mark.causes):
        raise FormatError(f"marks.{name}.causes: expected each cause once")
    if cases > MOST_CHANCES:
        raise FormatError(f"marks.{name}.causes: expected at most {MOST_CHANCES} combinations of their states")
    if mark.chances and len(mark.chances) != cases:
        raise FormatError(f"marks.{name}.chances: expected none or {cases:,}, got {len(mark.chances):,}")
    if mark.indicator and (mark.indicator == name or sizes[-1] != 2):
        raise FormatError(f"marks.{name}.indicator: expected another variable, with two states")
