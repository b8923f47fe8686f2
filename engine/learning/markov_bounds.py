"""Upper bounds on the best objective of a Markov network [bound]: of the whole, since log Z couples its components.

Write O for the variables observed in every row. Summing out what is open in a component leaves one free factor over
its boundary, so that no network of this structure gives the data more than the best network over O whose scopes are
these boundaries, and the factors over O as they are (*scopes*; Thm. 1). Joining all that shares a scope and taking the
maximal cliques of that graph as scopes is looser (*cliques*; Def. 2).

Both are fits to complete data. Where the scopes form a tree there is a closed form, Σ over cliques − Σ over separators
of Σ n log n/N. Elsewhere the fit comes from below and bounds nothing until it is certified, see :func:`_certify`; the
closed form of a triangulated graph is a bound at any rate, if a looser one: whoever cannot wait takes that first.

A prior on the factors is at most 0 and adds nothing. A likelihood cell λ adds log max λ. With given variables there is
the naive bound alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.inference.junction_tree import JunctionTree, compile_tree
from engine.inference.posterior import infer
from engine.learning.empirical import sum_joint, sum_naive
from engine.learning.learner import evaluate_state
from engine.learning.learners.gradient import Gradient
from engine.learning.stopping import Stopping, begin, iterate
from engine.learning.task import LearningTask, make_task
from engine.learning.workspace import NEVER, Workspace
from engine.model.arrays import Floats
from engine.model.dataset import MISSING, Dataset, Role
from engine.model.errors import Cancelled, MemoryLimitError
from engine.model.network import MarkovNetwork
from engine.model.source import Source

Scope = tuple[int, ...]
MOST_FITTED = 2**16
"""Cells of all scopes up to which a fit is tried: each is a parameter."""
MOST_CERTIFIED = 1500
"""Cells up to which the certificate is looked for, which solves that many equations."""
MOST_CLIQUES = 10_000
FIT = Stopping(1e-11, "likelihood", max_iter=1000)
ROUNDING = 1e-9
"""Relative slack of a certified bound: its equations are solved in floating point."""


@dataclass(frozen=True)
class Fit:
    """The likelihood of the best network with some scopes.

    Attributes
    ----------
    value : float
        In nats.
    kind : {"exact", "certified", "estimate"}
        From a closed form; proven to be no less than it; or only what a fit has reached, which is no bound.
    """

    value: float
    kind: str


@dataclass(frozen=True)
class MarkovBounds:
    """Upper bounds on the objective of a Markov network.

    Attributes
    ----------
    naive, triangulated : float
    scopes, cliques : Fit, optional
        None where they are too large to fit, or have not been fitted, or variables are given, or rows are too many.
    is_final : bool
        Whether all was fitted that can be.
    """

    naive: float
    triangulated: float
    scopes: Fit | None = None
    cliques: Fit | None = None
    is_final: bool = True

    @property
    def total(self) -> float:
        """The lowest of those that are bounds."""
        fits = [fit.value for fit in (self.scopes, self.cliques) if fit is not None and fit.kind != "estimate"]
        return min(self.naive, self.triangulated, *fits)

    @property
    def kind(self) -> str:
        """Whether the lowest is "exact", the best likelihood of its scopes, or "certified", no less than that."""
        exact = [fit.value for fit in (self.scopes, self.cliques) if fit is not None and fit.kind == "exact"]
        return "exact" if self.total in exact else "certified"


def find_markov_bounds(task: LearningTask, *, fit: bool = True, cancelled: Callable[[], bool] = NEVER) -> MarkovBounds:
    """The bounds of a Markov network's learning task.

    Parameters
    ----------
    fit : bool
        False leaves out what has no closed form: that may take seconds.
    cancelled : callable
        Asked often while something is fitted; when it says yes, that ends with Cancelled.
    """
    dataset, constant = task.decomposition.dataset, float(task.objective.constant.sum())
    naive = sum_naive(dataset, task.given) + constant
    if task.given or not dataset.total_weight:
        return MarkovBounds(naive, naive)
    observed = [v for v, role in enumerate(dataset.roles) if role is Role.OBSERVED]
    place = {v: k for k, v in enumerate(observed)}
    varied = [v for v in observed if dataset.variables[v].cardinality > 1]
    found = [tuple(place[v] for v in part.boundary if v in varied) for part in task.decomposition.components]
    scopes = _keep_maximal(found)
    sizes = [dataset.variables[v].cardinality for v in observed]
    tree = compile_tree(sizes, scopes)
    alone = set(range(len(sizes))) - {v for scope in scopes for v in scope}
    can_look = dataset.can_merge(observed)
    seen = dataset.project(observed) if can_look else dataset
    closed = _close(tree, seen, range(len(observed)) if can_look else observed)
    closed -= dataset.total_weight * sum(math.log(sizes[v]) for v in alone)
    cliques = _find_cliques(scopes)
    to_fit = [some for some in (scopes, cliques) if some is not None and _can_fit(tree, some, sizes)]

    def bound(some: list[Scope] | None) -> Fit | None:
        if some is None:
            return None
        if some in to_fit:
            fitted = _fit(some, seen.rows(), cancelled) if fit and can_look else None
            return None if fitted is None else Fit(fitted.value + constant, fitted.kind)
        return Fit(closed + constant, "exact") if _is_closed(tree, some) else None

    return MarkovBounds(naive, closed + constant, bound(scopes), bound(cliques), is_final=fit or not to_fit)


def _keep_maximal(scopes: Sequence[Scope]) -> list[Scope]:
    """The scopes that lie in no other."""
    kept: list[frozenset[int]] = []
    touching: dict[int, list[frozenset[int]]] = {}
    for scope in sorted({frozenset(scope) for scope in scopes}, key=lambda scope: (-len(scope), sorted(scope))):
        if scope and not any(scope < other for other in touching.get(min(scope), [])):
            kept.append(scope)
            for v in scope:
                touching.setdefault(v, []).append(scope)
    return [tuple(sorted(scope)) for scope in kept]


def _find_cliques(scopes: Sequence[Scope]) -> list[Scope] | None:
    """The maximal cliques of the graph that joins what shares a scope; None where there are too many."""
    import networkx as nx  # takes a while to import, and Bayesian networks do without

    graph = nx.Graph()
    for scope in scopes:
        graph.add_nodes_from(scope)
        graph.add_edges_from((a, b) for a in scope for b in scope if a < b)
    found: list[Scope] = []
    for clique in nx.find_cliques(graph):
        found.append(tuple(sorted(clique)))
        if len(found) > MOST_CLIQUES:
            return None
    return sorted(found)


def _close(tree: JunctionTree, data: Source, columns: Sequence[int]) -> float:
    """The best likelihood of a network with the cliques of a tree over some columns as scopes."""
    cliques, separators = ([[columns[k] for k in scope] for scope in some] for some in (tree.cliques, tree.separators))
    data.prepare(cliques)
    return math.fsum(sum_joint(data, some) for some in cliques) - math.fsum(
        sum_joint(data, some) for some in separators
    )


def _is_closed(tree: JunctionTree, scopes: Sequence[Scope]) -> bool:
    """Whether every clique of a tree lies in a scope, so that the closed form is that of the scopes."""
    inside = [set(scope) for scope in scopes]
    return all(any(scope.issuperset(clique) for scope in inside) for clique in tree.cliques)


def _can_fit(tree: JunctionTree, scopes: Sequence[Scope], sizes: Sequence[int]) -> bool:
    """Whether there is no closed form, and not too many cells for a fit."""
    cells = sum(math.prod(sizes[v] for v in scope) for scope in scopes)
    return cells <= MOST_FITTED and not _is_closed(tree, scopes)


def _fit(scopes: Sequence[Scope], seen: Dataset, cancelled: Callable[[], bool]) -> Fit | None:
    """The best likelihood of a network with these scopes, by L-BFGS; None where inference takes too much memory.

    A cell that the data never has is 0 in the best network, and so from the beginning.
    """
    shapes = [[seen.variables[v].cardinality for v in scope] for scope in scopes]
    empty = MarkovNetwork(seen.variables, tuple(scopes), tuple(np.ones(shape) for shape in shapes))
    try:
        task = make_task(empty, seen)
    except MemoryLimitError:
        return None
    start = (task.objective.counts > 0).astype(np.float64)
    network = empty.with_tables(task.layout.tables(start))
    objective, climb = make_task(network, seen).objective, Gradient("lbfgs")
    work, unit = Workspace(objective), np.zeros(objective.n_components, dtype=np.int64)
    *_, last = iterate(climb, work, begin(climb, work, start, unit, cancelled), FIT, cancelled)
    if last.stop == "cancelled":
        raise Cancelled
    if np.count_nonzero(last.state.theta) <= MOST_CERTIFIED:
        certified = _certify(network.with_tables(task.layout.tables(last.state.theta)), seen)
        if certified is not None:
            return Fit(certified, "certified")
    return Fit(float(last.state.objective.sum()), "estimate")


def _certify(network: MarkovNetwork, seen: Dataset) -> float | None:
    """A number that no parameters of the network pass, on complete data; None where none is found.

    At parameters with marginals μ, let δ = μ̂ − μ be what is missing to those of the data, and solve Cov a = δ with the
    covariances of the cells' indicators φ. Then p′ = p (1 + A), A = Σ a (φ − μ), has the marginals μ̂, and if it is
    nowhere negative it is a distribution. The best network has the most entropy of all with these marginals, so that
    its likelihood is ≤ −N H(p′) = N E′ log p + N E′ log(1 + A) ≤ ℓ + N E′ A = ℓ + N E A² = ℓ + N δᵀa.
    """
    task = make_task(network, seen)
    theta = task.layout.flatten(network.tables)
    state, _ = evaluate_state(Workspace(task.objective), theta)
    total, used = seen.total_weight, np.flatnonzero(theta)
    mu, delta = state.model_counts[used] / total, (state.counts - state.model_counts)[used] / total
    covariance = _find_joint(network, used) - mu[:, None] * mu
    a = np.linalg.lstsq(covariance, delta, rcond=None)[0]
    rest = np.abs(delta - covariance @ a)
    if rest.sum() > ROUNDING:
        return None
    factor = np.searchsorted(task.layout.starts, used, side="right") - 1
    mean = np.bincount(factor, mu * a, len(network.scopes))
    reach = np.zeros(len(network.scopes))
    np.maximum.at(reach, factor, np.abs(a - mean[factor]))
    if reach.sum() > 1:
        return None
    reached = float(state.log_likelihood.sum())
    missed = total * float(rest @ np.abs(np.log(theta[used])))
    return reached + total * max(float(delta @ a), 0.0) + missed + ROUNDING * max(1.0, abs(reached))


def _find_joint(network: MarkovNetwork, used: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Floats:
    """The probability of each two cells together, of those that are used: one row of evidence for a cell."""
    starts = np.cumsum([0, *(table.size for table in network.tables)])
    codes = np.full((len(network.variables), len(used)), MISSING, dtype=np.int64)
    for factor, (scope, table) in enumerate(zip(network.scopes, network.tables, strict=True)):
        mine = np.flatnonzero((used >= starts[factor]) & (used < starts[factor + 1]))
        codes[np.array(scope)[:, None], mine] = np.unravel_index(used[mine] - starts[factor], table.shape)
    # Each factor's cells observe something else, of which little is observed: conditioning would plan for each.
    posterior = infer(network, Dataset(network.variables, codes, np.ones(len(used))), condition=False)
    families = [posterior.family(factor).reshape(len(used), -1) for factor in range(len(network.scopes))]
    return np.concatenate(families, axis=1)[:, used] * np.exp(posterior.log_evidence)[:, None]
