"""Marks as a session file holds them: an object with a kind and what belongs to it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from engine.formats.schema import Check, list_of, number, numbers, one_of, optional, record, text
from engine.model.errors import FormatError
from engine.model.messages import shorten
from engine.model.network import MarkovNetwork, Network
from pgmgui.project.marks import MECHANISMS, Absent, Given, Hidden, Mark, Partial, Sensor, Soft

_MARKS: Mapping[str, type[Mark]] = {
    "hidden": Hidden,
    "partial": Partial,
    "soft": Soft,
    "sensor": Sensor,
    "given": Given,
    "absent": Absent,
}


def dump_mark(mark: Mark) -> dict[str, Any]:
    """A mark as an object of a session file."""
    (kind,) = (name for name, known in _MARKS.items() if isinstance(mark, known))
    return {"kind": kind, **asdict(mark)}


def parse_mark(item: Any, place: str) -> Mark:
    """The mark of an object, which may be anything."""
    kind = record({"kind": one_of(_MARKS)})(item, place)["kind"]
    return _MARKS[kind](**_MARK_FIELDS[kind](item, place))


def fit_mark(mark: Mark, name: str, network: Network) -> Mark:
    """The mark, if it fits its variable."""
    states = find_states(name, "marks", network)
    if isinstance(mark, Sensor) and {len(mark.confusion), *map(len, mark.confusion)} != {states}:
        raise FormatError(f"marks.{name}.confusion: expected {states} rows of {states} numbers")
    if isinstance(mark, Given) and not isinstance(network, MarkovNetwork):
        raise FormatError(f"marks.{name}: only variables of a Markov network can be given")
    if isinstance(mark, Absent):
        _check_absent(mark, name, network)
    return mark


def _check_absent(mark: Absent, name: str, network: Network) -> None:
    states = [find_states(cause, f"marks.{name}.causes", network) for cause in mark.causes]
    if len(set(mark.causes)) < len(mark.causes):
        raise FormatError(f"marks.{name}.causes: expected each cause once")
    if mark.chances and len(mark.chances) != math.prod(states):
        raise FormatError(f"marks.{name}.chances: expected none or {math.prod(states):,}, got {len(mark.chances):,}")
    if mark.indicator and (mark.indicator == name or find_states(mark.indicator, f"marks.{name}", network) != 2):
        raise FormatError(f"marks.{name}.indicator: expected another variable, with two states")


def find_states(name: str, place: str, network: Network) -> int:
    """The number of states of the variable that something in the file is about."""
    if name not in network.index:
        raise FormatError(f"{place}: {shorten(name)} is no variable of the network")
    return network.variables[network.index[name]].cardinality


_MARK_FIELDS: Mapping[str, Check] = {
    "hidden": record({}),
    "partial": record({"fraction": number(0, 1), "mechanism": one_of(MECHANISMS)}),
    "soft": record({"reliability": number(0, 1)}),
    "sensor": record({"confusion": list_of(numbers(0, 1))}),
    "given": record({}),
    "absent": record(
        {
            "causes": list_of(text()),
            "chances": optional(numbers(0, 1), ()),
            "indicator": optional(text(), ""),
        }
    ),
}
