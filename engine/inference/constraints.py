"""Target marginals: the distribution nearest to the model in which some variables are as they shall be."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.inference.plan import MEMORY_LIMIT
from engine.inference.posterior import Posterior
from engine.inference.propagate import Propagation
from engine.model.arrays import Floats
from engine.model.errors import ImpossibleEvidenceError
from engine.model.variable import list_names

LEAST_CHANGE = 1e-9
"""A round in which the distance to the targets changes by less than this fraction has stalled."""
PATIENCE = 30
"""After this many stalled rounds in a row, the targets are taken not to hold together: targets that do,
but only in states the model gives next to no probability, stall for a while at the start."""

SCALE = 2.0**-60
"""Makes room for a target divided by the smallest number above 0; a power of two rounds nothing."""


def meet_targets(
    known: Posterior,
    targets: Mapping[int, Floats],
    memory_limit: int = MEMORY_LIMIT,
    tol: float = 1e-10,
    max_iter: int = 1000,
) -> Posterior:
    """The posterior of one row in which some variables have given marginals.

    By virtual-evidence IPFP (BN-IPFP-1 [uncertain §4]): each constrained variable has a likelihood,
    multiplied by target / current marginal in turn until all targets hold at once. With one target this
    is Jeffrey's rule, in one step (Eq. 58–59 [uncertain]). The plan of ``known`` is run again and again:
    only numbers change.

    Parameters
    ----------
    known : Posterior
        Of the rest of the evidence; the cells of the constrained variables are likelihoods of ones.
    targets : mapping from variable to array (states,)
        Each sums to 1.

    Returns
    -------
    Posterior
        Its log evidence is that of ``known``.

    Raises
    ------
    ImpossibleEvidenceError
        If the targets cannot hold together.
    """
    plan, names = known.plan, [known.plan.network.variables[v].name for v in targets]
    propagation = Propagation(plan, plan.network, memory_limit)
    factors = {v: np.ones(len(target)) for v, target in targets.items()}
    posterior, off, stalled, rounds = known, np.inf, 0, 0
    while rounds < max_iter and stalled < PATIENCE:
        for (v, target), name in zip(targets.items(), names, strict=True):
            factors[v] = _step(factors[v], target, posterior.marginal(v)[0], name)
            propagation.set_likelihoods(v, factors[v][None])
            posterior = _run(propagation, known)
        before, rounds = off, rounds + 1
        off = max(abs(posterior.marginal(v)[0] - target).max() for v, target in targets.items())
        if off <= tol:
            met = plan.with_likelihoods({v: factor[None] for v, factor in factors.items()})
            return Posterior(met, known.log_sum, posterior.results, memory_limit)
        stalled = stalled + 1 if abs(off - before) <= LEAST_CHANGE * off else 0
    raise ImpossibleEvidenceError(
        f"the target marginals of {list_names(names)} are still off by {off:.2g} after {rounds} rounds; "
        "they probably cannot hold at once under this model and evidence: give fewer of them, or weaker ones"
    )


def _run(propagation: Propagation, known: Posterior) -> Posterior:
    result = propagation.run()
    return Posterior(known.plan, result.log_sum, result.blocks, known.memory_limit)


def _step(factor: Floats, target: Floats, current: Floats, name: str) -> Floats:
    """A likelihood times target / current marginal, scaled to a maximum of 1."""
    if (target[current <= 0] > 0).any():
        raise ImpossibleEvidenceError(
            f"the target marginal of {name!r} gives probability to a state that the model, the evidence or the other "
            "targets exclude: give that state 0"
        )
    ratio = np.divide(SCALE * target, current, out=np.zeros_like(target), where=current > 0)
    scaled = factor * ratio
    return np.asarray(scaled / scaled.max())
