"""Our own JSON: the one format that holds every network whole, Markov networks with names included.

::

    {"format": "pgmgui-network", "version": 1, "kind": "bayesian" or "markov", "name": ...,
     "properties": {key: text},
     "variables": [{"name": ..., "states": [...], "position": [x, y], "properties": {key: text}}],
     "tables": [{"variables": [parents..., child] or [scope...], "values": [flat, last variable fastest],
                 "noisy_max": {"causes": [per parent, flat], "leak": [...]}}]}

The numbers of a noisy-MAX stand beside the table that they make, where there are any: see engine.model.noisy_max.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from engine.formats.limits import MOST_LETTERS
from engine.formats.networks.draft import Document, FactorDraft, NetworkDraft, NodeDraft
from engine.formats.schema import load, map_of, optional, text
from engine.model.arrays import Floats
from engine.model.errors import FormatError, ModelError
from engine.model.messages import MOST_QUOTED, shorten
from engine.model.network import MOST_AXES, BayesianNetwork
from engine.model.noisy_max import SAME, NoisyMax
from engine.model.variable import list_names

FORMAT = "pgmgui-network"
VERSION = 1
_NAME, _PROPERTIES = optional(text(MOST_LETTERS), ""), optional(map_of(text()), {})


def parse(content: str) -> NetworkDraft:
    """The draft of a JSON network file."""
    return read(load(content))


def read(root: Any) -> NetworkDraft:
    """The draft of what a JSON network file holds."""
    if not isinstance(root, dict) or root.get("format") != FORMAT:
        raise FormatError(f'not a network file: expected "format": "{FORMAT}"')
    if type(root.get("version")) is not int or root["version"] != VERSION:
        raise FormatError(f"version {repr(root.get('version'))[:MOST_QUOTED]} is not known; expected {VERSION}")
    kind = _get(root, "kind", str, "the file")
    if kind not in ("bayesian", "markov"):
        raise FormatError(f'kind {shorten(kind)} is not known; expected "bayesian" or "markov"')
    draft = NetworkDraft(
        name=_NAME(root.get("name"), "name"), properties=_PROPERTIES(root.get("properties"), "properties")
    )
    draft.nodes = [_read_variable(item) for item in _get(root, "variables", list, "the file")]
    items = _get(root, "tables", list, "the file")
    factors = [_read_table(item) for item in items]
    if kind == "markov":
        draft.factors = factors
    else:
        _give_tables(draft.nodes, factors)
        _give_noisy(draft.nodes, items)
    return draft


def _get(item: Any, key: str, kind: type, where: str) -> Any:
    value = item.get(key) if isinstance(item, dict) else None
    if not isinstance(value, kind):
        raise FormatError(f"{where} needs {key!r} as {'text' if kind is str else 'a list'}")
    return value


def _strings(item: Any, key: str, where: str) -> list[str]:
    values = _get(item, key, list, where)
    if not all(isinstance(value, str) for value in values):
        raise FormatError(f"{where} needs {key!r} as a list of texts")
    return list(values)


def _read_variable(item: Any) -> NodeDraft:
    name = _get(item, "name", str, "a variable")
    where = f"variable {shorten(name)}"
    node = NodeDraft(name, _strings(item, "states", where))
    node.properties = _PROPERTIES(item.get("properties"), f"the properties of {where}")
    position = item.get("position")
    if position is not None:
        x, y = _numbers(position, f"the position of {where}", expected=2)
        node.position = (float(x), float(y))
    return node


def _read_table(item: Any) -> FactorDraft:
    scope = _strings(item, "variables", "a table")
    where = f"the table over {list_names(scope)}"
    return FactorDraft(scope, _numbers(_get(item, "values", list, where), where))


def _numbers(values: Any, where: str, expected: int | None = None) -> Floats:
    good = isinstance(values, list) and all(type(value) in (int, float) for value in values)
    try:
        array = np.array(values if good else [], dtype=np.float64)
    except OverflowError:
        good = False
    if not good or (expected is not None and len(array) != expected) or not np.isfinite(array).all():
        raise FormatError(f"{where} needs a list of {expected or ''} numbers".replace("  ", " "))
    return array


def _give_tables(nodes: list[NodeDraft], tables: list[FactorDraft]) -> None:
    """Hand each table to the node that stands last in it."""
    by_name = {node.name: node for node in nodes}
    for table in tables:
        node = by_name.get(table.scope[-1]) if table.scope else None
        if node is None:
            raise FormatError(f"the table over {list_names(list(table.scope))} ends with no known variable")
        if node.table is not None:
            raise FormatError(f"{shorten(node.name)} has two tables")
        node.parents, node.table = table.scope[:-1], table.table


def _give_noisy(nodes: list[NodeDraft], items: list[Any]) -> None:
    """Hand the numbers of each noisy-MAX to the node that stands last in its table."""
    by_name = {node.name: node for node in nodes}
    for item in items:
        if item.get("noisy_max") is None:
            continue
        node = by_name[item["variables"][-1]]
        where = f"the noisy_max of {shorten(node.name)}"
        cards = [len(by_name[parent].states) if parent in by_name else 0 for parent in node.parents]
        given = _get(item["noisy_max"], "causes", list, where)
        rows = [_numbers(cause, where) for cause in given] + [_numbers(item["noisy_max"].get("leak"), where)]
        size = len(node.states)
        sizes = [*(card * size for card in cards), size]
        assert node.table is not None
        if 0 in cards or len(cards) >= MOST_AXES:
            raise FormatError(f"{where} has a parent that is unknown or has no states, or too many parents")
        if [row.size for row in rows] != sizes or node.table.size != math.prod(cards) * size or not size:
            raise FormatError(f"{where} has other numbers of causes or states than its table")
        try:
            node.noisy = NoisyMax(tuple(row.reshape(-1, size) for row in rows[:-1]), rows[-1])
        except ModelError as error:
            raise FormatError(f"{where}: {error}") from None
        if np.abs(node.noisy.expand().reshape(-1) - node.table).max() > SAME:
            raise FormatError(f"{where} makes another table than stands there; take one of them out")


def dump(document: Document) -> str:
    """The JSON text of a network, one variable and one table a line."""
    network = document.network
    names = [variable.name for variable in network.variables]
    variables = []
    for variable in network.variables:
        item: dict[str, Any] = {"name": variable.name, "states": list(variable.states)}
        if variable.name in document.positions:
            item["position"] = list(document.positions[variable.name])
        if variable.name in document.variable_properties:
            item["properties"] = dict(document.variable_properties[variable.name])
        variables.append(item)
    tables: list[dict[str, Any]] = [
        {"variables": [names[i] for i in scope], "values": table.reshape(-1).tolist()}
        for scope, table in zip(network.scopes, network.tables, strict=True)
    ]
    for name, noisy in document.noisy.items():
        causes = [cause.reshape(-1).tolist() for cause in noisy.causes]
        tables[network.index[name]]["noisy_max"] = {"causes": causes, "leak": noisy.leak.tolist()}
    head = {
        "format": FORMAT,
        "version": VERSION,
        "kind": "bayesian" if isinstance(network, BayesianNetwork) else "markov",
        "name": document.name,
        "properties": dict(document.properties),
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}," for key, value in head.items()]
    lines += _dump_list("variables", variables, ",") + _dump_list("tables", tables, "")
    return "\n".join(["{", *lines, "}"]) + "\n"


def _dump_list(key: str, items: list[dict[str, Any]], after: str) -> list[str]:
    rows = [f"    {json.dumps(item, ensure_ascii=False)}" for item in items]
    return [f"  {json.dumps(key)}: [", *(row + "," for row in rows[:-1]), *rows[-1:], f"  ]{after}"]
