"""Targets as a session's file has them: those of the query, and those of cases.

::

    "targets": {"fixed": true or false, "solver": "" or its name, "tables": [{"variables": [...], "numbers": [...]}]},
    "case_targets": {case: {"fixed": ..., "tables": [{"variables": [...], "states": [[...], ...], "numbers": [...]}]}}

Both may be left out. Those of cases stand beside the cases, whose likelihoods are by any variable's name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from engine.formats.schema import flag, list_of, map_of, numbers, one_of, optional, record, text
from engine.inference.targets.meeting import SOLVERS
from engine.model.errors import FormatError, PgmError
from engine.model.messages import shorten
from engine.model.network import Network
from pgmgui.project.scene import Case, CaseTarget
from pgmgui.project.wanted import AUTOMATIC, MOST_TOGETHER, Names, Numbers, Supposed, Wanted, arrange, want_all

MOST_TARGETS = 1_500
"""More than anyone makes by hand; those that share variables are compared in pairs."""
_NAMES = list_of(text(), 1, MOST_TOGETHER)
WANTED = record(
    {
        "fixed": optional(flag, True),
        "solver": optional(one_of((AUTOMATIC, *SOLVERS)), AUTOMATIC),
        "tables": optional(list_of(record({"variables": _NAMES, "numbers": numbers(0, 1)}), 0, MOST_TARGETS), ()),
    }
)
_CASE_TARGET = record({"variables": _NAMES, "states": list_of(list_of(text())), "numbers": numbers(0, 1)})
CASE_TARGETS = map_of(
    record({"fixed": optional(flag, True), "tables": optional(list_of(_CASE_TARGET, 0, MOST_TARGETS), ())})
)


def dump_wanted(wanted: Wanted) -> dict[str, Any]:
    """The targets of a query."""
    tables = [{"variables": list(names), "numbers": list(values)} for names, values in wanted.tables.items()]
    return {"fixed": wanted.fixed, "solver": wanted.solver, "tables": tables}


def fit_supposed(likelihoods: Mapping[str, tuple[float, ...]], found: Mapping[str, Any], network: Network) -> Supposed:
    """What a query of a network supposes: likelihoods that were checked, and the targets of a file."""
    tables: dict[Names, Numbers] = {}
    for k, table in enumerate(found["tables"]):
        place = f"targets.tables[{k}]"
        try:
            names, values = arrange(network, table["variables"], table["numbers"])
        except PgmError as error:
            raise FormatError(f"{place}: {error}") from None
        if names in tables:
            raise FormatError(f"{place}: a second target of the same variables")
        doubly = [name for name in names if name in likelihoods]
        if doubly:
            raise FormatError(f"{place}: {shorten(doubly[0])} has evidence of another kind too")
        tables[names] = values
    try:
        wanted = want_all(Wanted({}, found["fixed"], found["solver"]), network, tables.items())
    except PgmError as error:
        raise FormatError(f"targets.tables: {error}") from None
    return Supposed(likelihoods, wanted)


def dump_case_targets(cases: Mapping[str, Case]) -> dict[str, Any]:
    """The targets of the cases that have some."""
    return {
        name: {"fixed": case.fixed, "tables": [asdict(target) for target in case.targets]}
        for name, case in cases.items()
        if case.targets
    }


def join_cases(
    likelihoods: Mapping[str, Mapping[str, Mapping[str, float]]], found: Mapping[str, Mapping[str, Any]]
) -> dict[str, Case]:
    """Cases of their likelihoods and their targets, by name."""
    for name in found:
        if name not in likelihoods:
            raise FormatError(f"case_targets: there is no case {shorten(name)}")
    cases = {}
    for name, weights in likelihoods.items():
        item = found.get(name, {"fixed": True, "tables": ()})
        targets = tuple(
            _make_target(table, f"case_targets.{shorten(name)}[{k}]") for k, table in enumerate(item["tables"])
        )
        cases[name] = Case(weights, targets, item["fixed"])
    return cases


def _make_target(table: Mapping[str, Any], place: str) -> CaseTarget:
    target = CaseTarget(**table)
    shape = [len(states) for states in target.states]
    if len(shape) != len(target.variables) or len(set(target.variables)) < len(shape):
        raise FormatError(f"{place}: expected {len(target.variables)} different variables with their states")
    if any(len(set(states)) < len(states) for states in target.states) or len(target.numbers) != math.prod(shape):
        raise FormatError(f"{place}: expected {math.prod(shape):,} numbers, one for each combination of states")
    return target
