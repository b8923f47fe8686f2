"""Engine objects as words, rows and pictures for the page: pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.dataset import Dataset, Role
from engine.decomposition import Decomposition
from engine.formats import Document
from engine.learners.problem import LearningTask
from engine.network import BayesianNetwork, Network, count_parameters
from engine.variable import Variable
from pgmgui.layout import place

MOST_NAMES = 3
"""Names shown in a list before it is cut."""
MOST_STATES = 8
CERTIFIED = 1e-3
"""Nats: a component this close to its bound has its best parameters."""


@dataclass(frozen=True)
class Graph:
    """A network as the canvas draws it.

    Attributes
    ----------
    nodes : tuple of dict
        Each with ``name``, ``x``, ``y`` and ``about``, a line for tooltips and screen readers.
    edges : tuple of (int, int)
        Indices of nodes; from parent to child where directed.
    """

    nodes: tuple[dict[str, str | float], ...]
    edges: tuple[tuple[int, int], ...]
    directed: bool
    label: str


@dataclass(frozen=True)
class Look:
    """How the nodes of a graph look: what the data says of them, and their components.

    Attributes
    ----------
    nodes : tuple of dict
        Per node its ``role`` (empty without data), ``component`` (its number from 1, 0 for none),
        ``pruned``, and ``about``.
    components : tuple of tuple of int
        The nodes of each component that is drawn around: those with something hidden.
    """

    nodes: tuple[dict[str, str | int | bool], ...]
    components: tuple[tuple[int, ...], ...]


def look_at(network: Network, dataset: Dataset | None, decomposition: Decomposition | None) -> Look:
    """The look of a network given its data."""
    number = [-1] * len(network.variables) if decomposition is None else decomposition.component_of
    pruned = set() if decomposition is None else set(decomposition.pruned)
    nodes: list[dict[str, str | int | bool]] = []
    for v, variable in enumerate(network.variables):
        role = "" if dataset is None else dataset.roles[v].value
        about = _describe(variable)
        if role:
            about += f". {role.capitalize()}" + (", a hidden leaf: left out of learning" if v in pruned else "")
        if number[v] >= 0:
            about += f". Component {number[v] + 1}"
        nodes.append({"role": role, "component": number[v] + 1, "pruned": v in pruned, "about": about})
    around = [] if decomposition is None else [c.variables for c in decomposition.components if not c.is_complete]
    return Look(tuple(nodes), tuple(around))


def describe_savings(task: LearningTask) -> str:
    """What one EM iteration costs, whole and decomposed, in a sentence."""
    decomposition = task.decomposition
    components = decomposition.components
    busy = [rows for rows, c in zip(task.distinct_rows, components, strict=True) if not c.is_complete]
    whole = decomposition.dataset.project(range(len(decomposition.dataset.variables))).n_rows
    counted = count(len(components) - len(busy), "component is", "components are")
    if not busy:
        return f"{count(len(components), 'component')}, all complete: counting solves them in one step."
    return (
        f"{count(len(components), 'component')}: {counted} counted, {len(busy):,} iterated. "
        f"One EM iteration takes {count(whole, 'inference')} on the whole network, "
        f"or {sum(busy):,} small ones decomposed."
    )


def describe_certificate(objective: Sequence[float], bounds: Sequence[float], rows: float) -> str:
    """How far the objective of each component is from its bound, in a sentence."""
    gaps = [max(0.0, bound - reached) for reached, bound in zip(objective, bounds, strict=True)]
    total = sum(gaps)
    open_ones = [str(k + 1) for k, gap in enumerate(gaps) if gap > CERTIFIED]
    if not open_ones:
        return "Certified: every component is at its upper bound, so no parameters are better."
    which = cut(open_ones, 5)
    noun, verb = ("component", "is") if len(open_ones) == 1 else ("components", "are")
    return (
        f"Within {total:,.3g} nats of the best possible ({total / rows:.2g} per row); "
        f"{noun} {which} {verb} not certified."
    )


def draw(document: Document) -> Graph:
    """The picture of a network."""
    network = document.network
    directed = isinstance(network, BayesianNetwork)
    positions = place(document)
    nodes: list[dict[str, str | float]] = []
    for variable in network.variables:
        x, y = positions[variable.name]
        nodes.append({"name": variable.name, "x": x, "y": y, "about": _describe(variable)})
    label = f"{'Bayesian' if directed else 'Markov'} network: {count_edges(network)}"
    return Graph(tuple(nodes), tuple(network.edges), directed, label)


def _describe(variable: Variable) -> str:
    return f"{variable.name}: {cut(variable.states, MOST_STATES)}"


def cut(names: tuple[str, ...] | list[str], most: int = MOST_NAMES) -> str:
    """Names in a row, the last ones as a number when there are many.

    >>> cut(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def count(number: float, one: str, many: str = "") -> str:
    """A number and its noun.

    >>> count(1, "row"), count(1200, "row"), count(2.5, "row")
    ('1 row', '1,200 rows', '2.5 rows')
    """
    shown = f"{number:,.0f}" if float(number).is_integer() else f"{number:,.6g}"
    return f"{shown} {one if number == 1 else many or one + 's'}"


def count_edges(network: Network) -> str:
    """How many variables and arrows (or edges) a network has, in words."""
    edge = "arrow" if isinstance(network, BayesianNetwork) else "edge"
    return f"{count(len(network.variables), 'variable')}, {count(len(network.edges), edge)}"


def summarise(network: Network, dataset: Dataset | None) -> list[str]:
    """The facts on a network and its data, each a number and a noun."""
    facts = [*count_edges(network).split(", "), count(count_parameters(network), "parameter")]
    if dataset is None:
        return [*facts, "no data"]
    facts.append(count(dataset.total_weight, "row"))
    if dataset.total_weight != dataset.n_rows:
        facts.append(f"{dataset.n_rows:,} counted")
    for role, word in ((Role.HIDDEN, "hidden"), (Role.PARTIAL, "partly missing"), (Role.SOFT, "uncertain")):
        names = [v.name for v, found in zip(dataset.variables, dataset.roles, strict=True) if found is role]
        if names:
            facts.append(f"{len(names):,} {word}: {cut(names)}")
    return facts
