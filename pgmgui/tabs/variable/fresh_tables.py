"""Tables begun anew: drawn at random, or uniform."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.model.arrays import Floats
from engine.model.network import BayesianNetwork, Network


def draw_table(shape: Sequence[int], is_bayesian: bool, generator: np.random.Generator) -> Floats:
    """A table whose rows are drawn from all distributions alike; of a factor, its numbers together, of mean 1."""
    if is_bayesian:
        return np.asarray(generator.dirichlet(np.ones(shape[-1]), tuple(shape[:-1])), dtype=np.float64)
    size = math.prod(shape)
    return np.asarray(generator.dirichlet(np.ones(size)).reshape(shape) * size, dtype=np.float64)


def level_table(shape: Sequence[int], is_bayesian: bool) -> Floats:
    """A table that tells no states apart."""
    return np.full(tuple(shape), 1 / shape[-1] if is_bayesian else 1.0)


def draw_tables(network: Network, seed: int) -> list[Floats]:
    """All tables of a network, drawn at random by a seed."""
    generator, is_bayesian = np.random.default_rng(seed), isinstance(network, BayesianNetwork)
    return [draw_table(table.shape, is_bayesian, generator) for table in network.tables]


def level_tables(network: Network) -> list[Floats]:
    """All tables of a network, uniform."""
    is_bayesian = isinstance(network, BayesianNetwork)
    return [level_table(table.shape, is_bayesian) for table in network.tables]
