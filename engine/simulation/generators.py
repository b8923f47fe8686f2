"""Networks of well-known shapes with random tables. Variables are named X0, X1, ..."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.model.errors import ModelError
from engine.model.network import MOST_AXES, BayesianNetwork, MarkovNetwork
from engine.model.randomness import RandomState, make_generator
from engine.model.variable import Variable

MOST_CELLS = 50_000_000
"""The most cells of all tables of a generated network."""
MOST_VARIABLES = 1_000_000


def chain(
    n: int, *, cardinality: int = 2, concentration: float = 1.0, random_state: RandomState = 0
) -> BayesianNetwork:
    """A chain X0 → X1 → ... of ``n`` variables.

    Parameters
    ----------
    cardinality : int
        States of every variable.
    concentration : float
        Rows of the tables are drawn from a symmetric Dirichlet distribution with this parameter:
        1 is uniform over distributions, smaller is closer to deterministic.
    random_state : int or Generator

    Examples
    --------
    >>> chain(4).parents
    ((), (0,), (1,), (2,))
    """
    _check_size(n)
    return random_bayesian_network([[i - 1] if i else [] for i in range(n)], cardinality, concentration, random_state)


def binary_tree(
    n: int, *, cardinality: int = 2, concentration: float = 1.0, random_state: RandomState = 0
) -> BayesianNetwork:
    """A complete binary tree of ``n`` variables, arrows from the root; depth d takes 2**(d + 1) − 1.

    >>> binary_tree(6).parents
    ((), (0,), (0,), (1,), (1,), (2,))
    """
    _check_size(n)
    parents = [[(i - 1) // 2] if i else [] for i in range(n)]
    return random_bayesian_network(parents, cardinality, concentration, random_state)


def naive_bayes(
    n_attributes: int, *, cardinality: int = 2, concentration: float = 1.0, random_state: RandomState = 0
) -> BayesianNetwork:
    """A class X0 that is the only parent of each attribute X1, X2, ...

    >>> naive_bayes(3).parents
    ((), (0,), (0,), (0,))
    """
    _check_size(n_attributes + 1)
    return random_bayesian_network([[], *([0] for _ in range(n_attributes))], cardinality, concentration, random_state)


def grid(
    rows: int, columns: int, *, cardinality: int = 2, concentration: float = 1.0, random_state: RandomState = 0
) -> BayesianNetwork:
    """A grid with arrows to the right and downwards; variables are numbered row by row.

    >>> grid(2, 2).parents
    ((), (0,), (0,), (1, 2))
    """
    _check_size(rows, columns)
    parents: list[list[int]] = [[] for _ in range(rows * columns)]
    for a, b in _grid_edges(rows, columns):
        parents[b].append(a)
    return random_bayesian_network(parents, cardinality, concentration, random_state)


def chain_markov(
    n: int,
    *,
    cardinality: int = 2,
    spread: float = 1.0,
    coupling: float | None = None,
    unary: bool = True,
    random_state: RandomState = 0,
) -> MarkovNetwork:
    """A chain of ``n`` variables, with a factor per pair of neighbours and, if ``unary``, one per variable.

    The papers' chains, trees and grids are "randomly generated", without ranges. Those of their grids that can be
    had, the UAI competition's grid10x10.f5 and f10, have ``coupling`` 5 and 10.

    Parameters
    ----------
    cardinality : int
        States of every variable.
    spread : float
        Logarithms of the factors' values are normal with this standard deviation.
    coupling : float, optional
        Draw an Ising model instead, of two states: the logarithms are ±h for a variable, h uniform in [−1, 1], and
        J for two equal neighbours, −J for others, J uniform in [−coupling, coupling].
    random_state : int or Generator

    Examples
    --------
    >>> chain_markov(3).scopes
    ((0,), (1,), (2,), (0, 1), (1, 2))
    """
    _check_size(n)
    edges = [(i - 1, i) for i in range(1, n)]
    return _random_markov_network(n, edges, cardinality, spread, coupling, unary, random_state)


def tree_markov(
    n: int,
    *,
    cardinality: int = 2,
    spread: float = 1.0,
    coupling: float | None = None,
    unary: bool = True,
    random_state: RandomState = 0,
) -> MarkovNetwork:
    """A complete binary tree of ``n`` variables; depth d takes 2**(d + 1) − 1. See :func:`chain_markov`.

    >>> tree_markov(4, unary=False).scopes
    ((0, 1), (0, 2), (1, 3))
    """
    _check_size(n)
    edges = [((i - 1) // 2, i) for i in range(1, n)]
    return _random_markov_network(n, edges, cardinality, spread, coupling, unary, random_state)


def grid_markov(
    rows: int,
    columns: int,
    *,
    cardinality: int = 2,
    spread: float = 1.0,
    coupling: float | None = None,
    unary: bool = True,
    wrap: bool = False,
    random_state: RandomState = 0,
) -> MarkovNetwork:
    """A grid, numbered row by row. See :func:`chain_markov`.

    Parameters
    ----------
    wrap : bool
        Join the last row with the first one, and the last column with the first, where there are three or more.

    Examples
    --------
    >>> grid_markov(1, 3).scopes
    ((0,), (1,), (2,), (0, 1), (1, 2))
    """
    _check_size(rows, columns)
    edges = _grid_edges(rows, columns)
    if wrap and rows > 2:
        edges += [(c, (rows - 1) * columns + c) for c in range(columns)]
    if wrap and columns > 2:
        edges += [(r * columns, (r + 1) * columns - 1) for r in range(rows)]
    return _random_markov_network(rows * columns, edges, cardinality, spread, coupling, unary, random_state)


def random_dag(
    n: int,
    max_parents: int = 3,
    density: float = 0.2,
    *,
    cardinality: int = 2,
    concentration: float = 1.0,
    random_state: RandomState = 0,
) -> BayesianNetwork:
    """A random network: each earlier variable is a parent with probability ``density``.

    Where that gives a variable more than ``max_parents``, it keeps that many of them.
    """
    _check_size(n)
    if not 0 <= density <= 1:
        raise ModelError(f"the density is {density}; expected a probability, from 0 to 1")
    if max_parents < 0:
        raise ModelError(f"the most parents of a variable are {max_parents}; expected a number ≥ 0")
    generator = make_generator(random_state)
    counts = np.minimum(generator.binomial(np.arange(n), density), max_parents)
    parents: list[list[int]] = []
    for i, count in enumerate(counts.tolist()):
        parents.append(sorted(generator.choice(i, size=count, replace=False).tolist()) if count else [])
    return random_bayesian_network(parents, cardinality, concentration, generator)


def random_bayesian_network(
    parents: Sequence[Sequence[int]], cardinality: int, concentration: float, random_state: RandomState
) -> BayesianNetwork:
    """A network of that graph; rows of its tables are drawn from a symmetric Dirichlet distribution."""
    if not 1e-3 <= concentration <= 1e6:
        raise ModelError(f"the concentration is {concentration}; expected from 0.001 to 1,000,000")
    variables = _make_variables(len(parents), cardinality)
    _check_cells([len(given) + 1 for given in parents], cardinality)
    generator = make_generator(random_state)
    alpha = np.full(cardinality, concentration)
    tables = [generator.dirichlet(alpha, size=(cardinality,) * len(given)) for given in parents]
    return BayesianNetwork(variables, tuple(tuple(given) for given in parents), tuple(tables))


def _random_markov_network(
    n: int,
    edges: Sequence[tuple[int, int]],
    cardinality: int,
    spread: float,
    coupling: float | None,
    unary: bool,
    random_state: RandomState,
) -> MarkovNetwork:
    """A network with a factor per edge and, if ``unary``, one per variable: see :func:`chain_markov`."""
    if not 0 <= spread <= 100:
        raise ModelError(f"the spread is {spread}; expected from 0 to 100")
    if coupling is not None and not (cardinality == 2 and 0 <= coupling <= 100):
        raise ModelError(f"a coupling of {coupling}, {cardinality} states; expected from 0 to 100, and 2 states")
    variables = _make_variables(n, cardinality)
    scopes: list[tuple[int, ...]] = [(i,) for i in range(n)] if unary else []
    scopes += edges
    _check_cells([len(scope) for scope in scopes], cardinality)
    generator = make_generator(random_state)
    if coupling is None:
        tables = [generator.lognormal(0.0, spread, size=(cardinality,) * len(scope)) for scope in scopes]
        return MarkovNetwork(variables, tuple(scopes), tuple(tables))
    signs = {1: np.array([1.0, -1.0]), 2: np.array([[1.0, -1.0], [-1.0, 1.0]])}
    most = {1: 1.0, 2: coupling}
    strengths = [generator.uniform(-most[len(scope)], most[len(scope)]) for scope in scopes]
    ising = [np.exp(j * signs[len(scope)]) for j, scope in zip(strengths, scopes, strict=True)]
    return MarkovNetwork(variables, tuple(scopes), tuple(ising))


def _make_variables(n: int, cardinality: int) -> tuple[Variable, ...]:
    if not 1 <= cardinality <= MOST_CELLS:
        raise ModelError(f"variables of {cardinality} states; expected at least 1")
    states = tuple(map(str, range(cardinality)))
    return tuple(Variable(f"X{i}", states) for i in range(n))


def _grid_edges(rows: int, columns: int) -> list[tuple[int, int]]:
    """Pairs of neighbours, (upper or left, lower or right), ordered by the latter."""
    edges = []
    for r in range(rows):
        for c in range(columns):
            i = r * columns + c
            edges += [(i - columns, i)] if r else []
            edges += [(i - 1, i)] if c else []
    return edges


def _check_size(*sizes: int) -> None:
    if min(sizes) < 1:
        raise ModelError(f"a network of {' × '.join(map(str, sizes))} variables; expected at least 1")
    if math.prod(sizes) > MOST_VARIABLES:
        raise ModelError(f"a network of {math.prod(sizes):,} variables; at most {MOST_VARIABLES:,} are supported")


def _check_cells(axes: Sequence[int], cardinality: int) -> None:
    """Refuse tables that are too large before they are made."""
    if max(axes, default=0) > MOST_AXES:
        raise ModelError(f"a table over {max(axes)} variables; at most {MOST_AXES} are supported")
    cells = sum(cardinality**k for k in axes)
    if cells > MOST_CELLS:
        raise ModelError(f"the tables would have {cells:,} cells; at most {MOST_CELLS:,} are supported")
