"""The edges of a Markov network: those of all pairs whose factors an L1 prior leaves (§2.2.2 [notes]).

Under a Laplace prior on its logarithms a factor that the data has little to say of is exactly 1, and its edge is not
needed. All pairs at once are one clique for inference, so that this is for few variables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np

from engine.learning.learn import learn
from engine.learning.snapshot import Snapshot
from engine.learning.stopping import Stopping
from engine.model.dataset import Dataset
from engine.model.errors import ModelError
from engine.model.network import MarkovNetwork, table_shape
from engine.model.prior import Laplace
from engine.model.variable import Variable
from engine.structure.hill_climbing import never

MOST_STATES = 1 << 20
"""Joint states of all variables at most: inference on all pairs has a table of them."""


def make_pairwise(variables: Sequence[Variable]) -> MarkovNetwork:
    """A factor of ones for each variable and each pair of them."""
    scopes = (*((v,) for v in range(len(variables))), *combinations(range(len(variables)), 2))
    return MarkovNetwork(tuple(variables), scopes, tuple(np.ones(table_shape(variables, scope)) for scope in scopes))


def suggest_scale(dataset: Dataset) -> float:
    """A width b of the Laplace prior: 1/b is ½ √(N log n), about as high as chance alone would have a slope be."""
    return 2.0 / math.sqrt(max(1.0, dataset.total_weight * math.log(max(2, len(dataset.variables)))))


def learn_pairs(
    dataset: Dataset,
    scale: float,
    *,
    stopping: Stopping | None = None,
    cancelled: Callable[[], bool] = never,
) -> Iterator[Snapshot]:
    """Learn a factor for each pair under a Laplace prior of some width, by L-BFGS (OWL-QN), from uniform factors."""
    joint = math.prod(variable.cardinality for variable in dataset.variables)
    if joint > MOST_STATES:
        raise ModelError(
            f"edges by L1 need a factor for each pair, and so a table of all {joint:.3g} joint states at once; at most "
            f"{MOST_STATES:,} are allowed: leave columns out, or use chow-liu"
        )
    network = make_pairwise(dataset.variables)
    return learn(
        network,
        dataset,
        "lbfgs",
        start="current",
        prior=Laplace(scale, singles=False),
        stopping=stopping or Stopping(tol=1e-9, criterion="likelihood"),
        cancelled=cancelled,
    )


def drop_ones(network: MarkovNetwork) -> MarkovNetwork:
    """The same distribution without the factors of several variables that are 1 everywhere."""
    kept = [
        k
        for k, (scope, table) in enumerate(zip(network.scopes, network.tables, strict=True))
        if len(scope) < 2 or (table != 1.0).any()
    ]
    scopes, tables = tuple(network.scopes[k] for k in kept), tuple(network.tables[k] for k in kept)
    return MarkovNetwork(network.variables, scopes, tables)
