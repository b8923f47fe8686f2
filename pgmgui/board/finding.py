"""Finding variables: by name, state, role or component, or by what they are to others."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from engine.model.network import Network
from engine.model.relatives import RELATIONS
from engine.model.variable import Variable
from pgmgui.components.canvas.graph import Look

SHORTEST_ROLE = 3
"""Letters from which on a word may be the beginning of a role."""

_COMPONENT = re.compile(r"(?:component\s*|#)(\d+)")
_Node = Mapping[str, str | float]


def find(network: Network, look: Look, text: str) -> list[tuple[int, str]]:
    """The variables that a text may mean, and why: by name first, then by role or component, then by state."""
    wanted = text.casefold().strip()
    if not wanted:
        return []
    found: dict[int, str] = {}
    for ask in (_is_called(wanted), _begins_with(wanted), _contains(wanted), _plays(wanted), _has_state(wanted)):
        for v, (variable, node) in enumerate(zip(network.variables, look.nodes, strict=True)):
            reason = None if v in found else ask(variable, node)
            if reason is not None:
                found[v] = reason
    return list(found.items())


def find_related(network: Network, look: Look, names: Collection[str], relation: str) -> list[str]:
    """The names of those that are something to others: a relation of the network, or "component", "tied" or "role"."""
    known = [network.index[name] for name in names if name in network.index]
    if relation in RELATIONS:
        found = RELATIONS[relation](network, known)
    elif relation in ("component", "tied", "role"):
        kinds = {look.nodes[v][relation] for v in known} - {0, ""}
        found = {v for v, node in enumerate(look.nodes) if node[relation] in kinds}
    else:
        raise ValueError("expected a relation")
    return [network.variables[v].name for v in sorted(found)]


_Question = Callable[[Variable, _Node], str | None]
"""Whether a variable is meant: why, or None."""


def _is_called(wanted: str) -> _Question:
    return lambda variable, _: "" if variable.name.casefold() == wanted else None


def _begins_with(wanted: str) -> _Question:
    return lambda variable, _: "" if variable.name.casefold().startswith(wanted) else None


def _contains(wanted: str) -> _Question:
    return lambda variable, _: "" if wanted in variable.name.casefold() else None


def _plays(wanted: str) -> _Question:
    component = _COMPONENT.fullmatch(wanted)
    if component:
        number = int(component[1])
        return lambda _, node: f"component {number}" if number and node["component"] == number else None
    if len(wanted) < SHORTEST_ROLE:
        return lambda variable, node: None
    return lambda _, node: next((role for role in _roles(node) if role.startswith(wanted)), None)


def _roles(node: _Node) -> Iterator[str]:
    yield str(node["role"])
    if node["pruned"]:
        yield "left out"
    if node["tied"]:
        yield str(node["tied"])


def _has_state(wanted: str) -> _Question:
    def ask(variable: Variable, _: _Node) -> str | None:
        state = _first_with(variable.states, wanted)
        return None if state is None else f"state {state}"

    return ask


def _first_with(states: Sequence[str], wanted: str) -> str | None:
    return next((state for state in states if wanted in state.casefold()), None)
