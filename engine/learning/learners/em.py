"""Expectation maximisation (Alg. 3 [thesis]), for maximum likelihood and for MAP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from engine.learning.learner import Info, State, evaluate_state
from engine.learning.workspace import Workspace
from engine.model.arrays import Floats, Ints


@dataclass(frozen=True)
class EM:
    """θ(x|u) ← (ψ − 1 + Σ Pr(xu|d)) / (Σ ψ − |X| + Σ Pr(u|d)). Never decreases the objective.

    In a Markov network the M-step is one step of generalised iterative scaling: it gains, and need not be whole.
    """

    counts_complete_data: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    equations: ClassVar[str] = (
        r"\theta_{x|u} \leftarrow \frac{\psi_{x|u} - 1 + \sum_i \mathrm{Pr}(x u \mid d_i)}"
        r"{\sum_x (\psi_{x|u} - 1) + \sum_i \mathrm{Pr}(u \mid d_i)}"
    )
    explanation: ClassVar[str] = (
        "Every row is completed in all ways, each weighted by its probability under the current parameters. "
        "Counting the completed rows gives the next parameters."
    )

    def begin(self, work: Workspace, theta: Floats, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """The E-step at the start."""
        return evaluate_state(work, theta, cancelled)

    def step(self, work: Workspace, state: State, unit: Ints, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """The M-step from the counts at hand, and the E-step at the new parameters."""
        return evaluate_state(work, maximise_counts(work, state), cancelled)


def maximise_counts(work: Workspace, state: State) -> Floats:
    """The M-step: the best parameters for the expected counts."""
    return work.objective.geometry.maximise(state.counts, state.model_counts, state.theta)
