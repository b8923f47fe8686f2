"""A learning problem of a study: a network, and an incomplete dataset to learn it from."""

from __future__ import annotations

from dataclasses import dataclass

from engine.model.dataset import Dataset
from engine.model.network import Network


@dataclass(frozen=True, eq=False)
class LearningProblem:
    """A network and an incomplete dataset to learn it from.

    Attributes
    ----------
    name : str
        Of the network.
    hidden : float
        The share of hidden variables.
    number : int
        Of the dataset, from 1.
    start : int
        The seed of the parameters that every method starts from.
    complete : Dataset
        The same rows with nothing hidden.
    """

    name: str
    hidden: float
    number: int
    network: Network
    dataset: Dataset
    start: int
    complete: Dataset
