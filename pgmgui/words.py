"""Engine objects as words for people: pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from engine.dataset import Dataset, Role
from engine.learners.problem import LearningTask
from engine.network import BayesianNetwork, Network, count_parameters

MOST_NAMES = 3
"""Names shown in a list before it is cut."""
CERTIFIED = 1e-3
"""Nats: a component this close to its bound has its best parameters."""


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
