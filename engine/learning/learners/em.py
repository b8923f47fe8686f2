"""Expectation maximisation (Alg. 3 [thesis]), for maximum likelihood and for MAP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from engine.learning.learner import Info, State, Words, evaluate_state
from engine.learning.learners.gradient import Gradient
from engine.learning.workspace import Workspace
from engine.model.arrays import Floats, Ints
from engine.model.network import BayesianNetwork, MarkovNetwork, Network

INNER_STEPS = 5
"""Of an M-step that has no closed form."""


@dataclass(frozen=True)
class EM:
    """θ(x|u) ← (ψ − 1 + Σ Pr(xu|d)) / (Σ ψ − |X| + Σ Pr(u|d)). Never decreases the objective.

    In a Markov network the M-step is some steps of L-BFGS: it gains, and need not be whole.
    """

    counts_complete_data: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    chooses_units: ClassVar[bool] = False
    words: ClassVar[Mapping[type[Network], Words]] = {
        BayesianNetwork: Words(
            "Every row is completed in all ways, each weighted by its probability under the current parameters. "
            "Counting the completed rows gives the next parameters.",
            r"\theta_{x|u} \leftarrow \frac{\psi_{x|u} - 1 + \sum_i \mathrm{Pr}(x u \mid d_i)}"
            r"{\sum_x (\psi_{x|u} - 1) + \sum_i \mathrm{Pr}(u \mid d_i)}",
        ),
        MarkovNetwork: Words(
            "Every row is completed in all ways, each weighted by its probability under the current factors. "
            "Some steps of L-BFGS fit the factors to the counts of the completed rows, for which there is no formula.",
            r"\theta \leftarrow \mathrm{arg}\max\limits_\theta \sum_f \sum_{x_f} \bar{n}_{x_f} \log \theta_{x_f} "
            r"- N \log Z(\theta), \qquad \bar{n}_{x_f} = \sum_i \mathrm{Pr}(x_f \mid d_i)",
        ),
    }

    def begin(self, work: Workspace, theta: Floats, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """The E-step at the start."""
        return evaluate_state(work, theta, cancelled)

    def step(self, work: Workspace, state: State, unit: Ints, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """The M-step from the counts at hand, and the E-step at the new parameters."""
        theta, propagated = maximise_counts(work, state, unit, cancelled)
        after, info = evaluate_state(work, theta, cancelled)
        return after, info if isinstance(propagated, int) else Info(info.propagated + propagated)


def maximise_counts(
    work: Workspace, state: State, unit: Ints, cancelled: Callable[[], bool]
) -> tuple[Floats, Ints | int]:
    """The M-step: better parameters for the expected counts, and the rows propagated to find them, per component.

    The best ones, where they have a closed form (Bayesian networks). Where not, some steps of L-BFGS on the completed
    data, which need no pass over the rows and never lose (generalised EM).
    """
    best = work.objective.geometry.maximise(state.counts, state.theta)
    if best is not None:
        return best, 0
    complete, climb = work.complete(state.counts), Gradient("lbfgs")
    inner, info = climb.begin(complete, state.theta, cancelled)
    propagated = info.propagated
    for _ in range(INNER_STEPS):
        inner, info = climb.step(complete, inner, unit, cancelled)
        propagated = propagated + info.propagated
    return inner.theta, propagated
