"""Expectation maximisation (Alg. 3 [thesis]), for maximum likelihood and for MAP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from engine.learning.base import State, evaluate_state
from engine.learning.problem import Problem
from engine.model.arrays import Floats, Ints


@dataclass(frozen=True)
class EM:
    """θ(x|u) ← (ψ − 1 + Σ Pr(xu|d)) / (Σ ψ − |X| + Σ Pr(u|d)). Never decreases the objective."""

    counts_complete_data: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    equations: ClassVar[str] = (
        r"\theta_{x|u} \leftarrow \frac{\psi_{x|u} - 1 + \sum_i \Pr(x u \mid d_i)}"
        r"{\sum_x (\psi_{x|u} - 1) + \sum_i \Pr(u \mid d_i)}"
    )
    explanation: ClassVar[str] = (
        "Every row is completed in all ways, each weighted by its probability under the current parameters. "
        "Counting the completed rows gives the next parameters."
    )

    def begin(self, problem: Problem, theta: Floats, cancelled: Callable[[], bool]) -> State:
        """The E-step at the start."""
        return evaluate_state(problem, theta, cancelled)

    def step(self, problem: Problem, state: State, unit: Ints, cancelled: Callable[[], bool]) -> State:
        """The M-step from the counts at hand, and the E-step at the new parameters."""
        return evaluate_state(problem, maximise_counts(problem, state), cancelled)


def maximise_counts(problem: Problem, state: State) -> Floats:
    """The M-step: expected counts and prior, normalised; parameter sets without either stay."""
    return problem.normalise(state.counts + (problem.exponents - 1), otherwise=state.theta)
