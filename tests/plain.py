"""Engine objects as the plain lists that oracles take."""

from __future__ import annotations

import numpy as np

from engine.model.dataset import FIRST_LIKELIHOOD, MISSING, Dataset
from engine.model.network import BayesianNetwork


def plain_rows(dataset: Dataset) -> list[list]:
    """Per row its cells: None, a state's code, a likelihood vector (a tuple), or a TargetCell."""
    return [[_cell(dataset, v, int(code)) for v, code in enumerate(codes)] for codes in dataset.codes.T]


def _cell(dataset: Dataset, variable: int, code: int):
    if code <= FIRST_LIKELIHOOD:
        return dataset.vector(variable, code)
    return None if code == MISSING else code


def plain_data(dataset: Dataset) -> tuple[list[list], list[float]]:
    """Rows and weights."""
    return plain_rows(dataset), dataset.weights.tolist()


def plain_model(network: BayesianNetwork) -> tuple[list[int], tuple, tuple]:
    """Cardinalities, scopes and tables."""
    return [v.cardinality for v in network.variables], network.scopes, network.tables


def filled_exponents(network: BayesianNetwork, prior) -> list[np.ndarray]:
    """Exponents as one table per variable, from one number, or numbers or tables by name."""
    values = [prior.get(v.name, 1.0) if isinstance(prior, dict) else prior for v in network.variables]
    return [np.zeros(table.shape) + value for table, value in zip(network.tables, values, strict=True)]
