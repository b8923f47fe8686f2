"""Engine objects as words, rows and pictures for the page: pure functions."""

from __future__ import annotations

from dataclasses import dataclass

from engine.dataset import Dataset, Role
from engine.formats import Document
from engine.network import BayesianNetwork, Network, count_parameters
from engine.variable import Variable
from pgmgui.layout import place

MOST_NAMES = 3
"""Names shown in a list before it is cut."""
MOST_STATES = 8


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
