"""The prior networks of BDe: how probable states of several variables were before the data was seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engine.inference.posterior import infer
from engine.model.arrays import Floats, Ints
from engine.model.dataset import MISSING, Dataset
from engine.model.errors import ModelError
from engine.model.messages import count
from engine.model.network import BayesianNetwork
from engine.structure.completion import find_logs
from engine.structure.counts import Cells, Counts

Places = tuple[Ints, Ints, Ints]
"""Columns, configurations and states of the child."""


class PriorNetwork(Protocol):
    """What a network says of sets of variables."""

    def find_shares(self, cells: Cells, at: Places) -> Floats:
        """The probability of some cells."""

    def find_highest(self, child: int) -> float:
        """No state of the child is more probable than this, whatever is known of others."""


@dataclass(frozen=True, eq=False)
class WithoutArrows:
    """A network without arrows.

    Attributes
    ----------
    marginals : tuple of array
        Per variable, P(x).
    """

    marginals: tuple[Floats, ...]

    def find_shares(self, cells: Cells, at: Places) -> Floats:
        column, w, x = at
        common = np.ones(cells.counts.shape[1])
        for v, codes in zip(cells.common, cells.codes, strict=True):
            common = common * self.marginals[v][codes]
        own = np.ones(1) if cells.child is None else self.marginals[cells.child]
        added = np.ones(1) if len(cells.counts) == 1 else np.concatenate(self.marginals)
        return np.asarray(added[column] * common[w] * own[x])

    def find_highest(self, child: int) -> float:
        return float(self.marginals[child].max())


@dataclass(frozen=True, eq=False)
class WithArrows:
    """Any network, of which inference finds what it says."""

    network: BayesianNetwork

    def find_shares(self, cells: Cells, at: Places) -> Floats:
        """Each configuration with each state of the child is a row of evidence."""
        columns, configurations, states = cells.counts.shape
        variables = self.network.variables
        codes = np.full((len(variables), configurations, states), MISSING, dtype=np.int16)
        codes[list(cells.common)] = cells.codes[:, :, None]
        if cells.child is not None:
            codes[cells.child] = np.arange(states)
        rows = configurations * states
        posterior = infer(self.network, Dataset(variables, codes.reshape(-1, rows), np.ones(rows)))
        shares = np.exp(posterior.log_evidence)[None]
        if columns > 1:
            shares = shares * np.concatenate([posterior.marginal(v).T for v in range(len(variables))])
        return np.asarray(shares.reshape(cells.counts.shape)[at])

    def find_highest(self, child: int) -> float:
        return 1.0


def make_prior_network(network: BayesianNetwork, counts: Counts) -> PriorNetwork:
    """What a network of the data's variables says of them.

    Raises
    ------
    ModelError
        If rows have probability 0: no structure would have another.
    """
    if network.variables != counts.variables:
        raise ModelError("the prior network must have the variables of the data, in their order and with their states")
    impossible = int((np.isneginf(find_logs(network, counts)) & (counts.weights > 0)).sum())
    if impossible:
        raise ModelError(
            f"{count(impossible, 'distinct row')} of the data {'has' if impossible == 1 else 'have'} probability 0 "
            "under the prior network; give it no zeros there"
        )
    return WithArrows(network)
