"""What to make of counts and a prior: the mode that learners climb to, or the posterior predictive [notes §2.1].

Under a Dirichlet prior with exponents ψ, and counts n of N rows with the parents' states, the posterior of a parameter
set is again a Dirichlet, with exponents n + ψ. Its mode is (n + ψ − 1) / (N + Σψ − |X|); its mean, which is the
probability that the next row has a state, is (n + ψ) / (N + Σψ). Where values are missing the counts are those that are
expected at the learned parameters: the predictive is then that of the data completed so, not of the data.
"""

from __future__ import annotations

import numpy as np

from engine.learning.parameters import Simplex
from engine.learning.snapshot import Snapshot
from engine.model.arrays import Floats
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork, Network
from engine.model.prior import Prior
from engine.model.table_prior import TablePrior, describe_table_prior

ESTIMATES = ("mode", "predictive")


def reason_against_predictive(network: Network, prior: Prior) -> str:
    """Why a problem has no predictive estimate, as what is said of it; empty if it has."""
    if not isinstance(network, BayesianNetwork):
        return "is for Bayesian networks: factors have no distribution of which it would be the mean; use the mode"
    if isinstance(prior, TablePrior):
        return f"has no formula with {describe_table_prior(prior)}; use the mode, or Dirichlet exponents"
    return ""


def find_predictive(snapshot: Snapshot) -> Floats:
    """The posterior predictive parameters of the best restart, from the expected counts at what it has learned."""
    geometry = snapshot.task.geometry
    reason = reason_against_predictive(snapshot.task.network, geometry.prior or 1.0)
    if reason or not isinstance(geometry, Simplex):
        raise ModelError(f"the predictive estimate {reason}")
    counts = snapshot.counts[snapshot.best] + snapshot.task.exponents
    return np.asarray(counts / geometry.sums(counts))
