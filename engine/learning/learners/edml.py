"""EDML (Alg. 4 [thesis]): every parameter set solves its own small learning problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from engine.learning.learner import Info, State, make_state
from engine.learning.local_problems import MOST_STEPS, solve_sets
from engine.learning.objective import Objective
from engine.learning.soft_evidence import SoftEvidence, collect
from engine.learning.workspace import NEVER, Workspace
from engine.model.arrays import Floats, Ints, weighted_counts
from engine.model.errors import Cancelled, ModelError

RELAX = 0.7
"""What is left of the damping after a step that gained."""
LEAST_DAMPING = 0.05
"""Damping below this is given up."""


@dataclass(frozen=True, eq=False)
class Memory:
    """Soft evidence for the next step, and the damping of each component."""

    evidence: SoftEvidence
    damping: Floats


@dataclass(frozen=True)
class EDML:
    """Each row becomes soft evidence on each parameter set; each set finds its best parameters alone.

    Not monotone: the sets move at once, each as if the others stood still, and may overshoot together.

    Attributes
    ----------
    damping : float, optional
        How much of the old parameters is kept at a step, in [0, 1). If not given it adapts: none at
        first, half way to standing still after every loss of a unit, and less again after a gain.
    solver : {"newton", "fixed-point"}
        How the sub-problems are solved; both reach the same optimum.
    local_steps : int
        The most steps of the solver.
    """

    damping: float | None = None
    solver: str = "newton"
    local_steps: int = MOST_STEPS
    counts_complete_data: ClassVar[bool] = True
    monotone: ClassVar[bool] = False
    equations: ClassVar[str] = (
        r"\lambda^i_{x|u} = \frac{\mathrm{Pr}(x u \mid d_i)}{\theta_{x|u}} - \mathrm{Pr}(u \mid d_i) + 1, \qquad "
        r"\theta_{\cdot|u} \leftarrow \mathrm{arg}\max\limits_\theta \prod_x \theta_x^{\psi_{x|u} - 1} "
        r"\prod_i \sum_x \lambda^i_{x|u} \theta_x"
    )
    explanation: ClassVar[str] = (
        "Every row becomes soft evidence on every parameter set. "
        "Each set then finds its best parameters exactly, as if the others stood still."
    )

    def __post_init__(self) -> None:
        if self.damping is not None and not 0 <= self.damping < 1:
            raise ModelError(f"damping must be at least 0 and below 1; got {self.damping}")
        if self.solver not in ("newton", "fixed-point"):
            raise ModelError(f"the solver {self.solver!r} is not known; use 'newton' or 'fixed-point'")

    def begin(self, work: Workspace, theta: Floats, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """The soft evidence at the start."""
        state, info, evidence = evaluate_softly(work, theta, cancelled)
        damping = np.full(work.objective.n_components, self.damping or 0.0)
        return replace(state, memory=Memory(evidence, damping)), info

    def step(self, work: Workspace, state: State, unit: Ints, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """Solve all sub-problems, and find the soft evidence at the new parameters.

        Sets that go to zero at once can make rows impossible together; such a component goes half way.
        """
        memory: Memory = state.memory
        component = work.objective.component
        kept = memory.damping[component]
        theta = kept * state.theta + (1 - kept) * self.solve(work.objective, state.theta, memory.evidence, cancelled)
        after, info, evidence = evaluate_softly(work, theta, cancelled)
        impossible = np.isneginf(after.log_likelihood)[component]
        if impossible.any():
            theta = np.where(impossible, (state.theta + theta) / 2, theta)
            after, more, evidence = evaluate_softly(work, theta, cancelled)
            info = Info(info.propagated + more.propagated)
        damping = memory.damping
        if self.damping is None:
            damping = _adapt(damping, unit, after.objective - state.objective)
        return replace(after, memory=Memory(evidence, damping)), info

    def solve(
        self, objective: Objective, theta: Floats, evidence: SoftEvidence, cancelled: Callable[[], bool] = NEVER
    ) -> Floats:
        """The best parameters of every set under its soft evidence at ``theta`` (Eq. 4.2 [thesis])."""

        def check() -> None:
            if cancelled():
                raise Cancelled

        return solve_sets(objective, theta, evidence, self.solver, self.local_steps, check)


def evaluate_softly(work: Workspace, theta: Floats, cancelled: Callable[[], bool]) -> tuple[State, Info, SoftEvidence]:
    """The state at some parameters, what it cost, and the soft evidence there."""
    found, evidence = collect(work, theta, cancelled)
    return *make_state(work.objective, theta, found), evidence


def _adapt(damping: Floats, unit: Ints, gain: Floats) -> Floats:
    """The next damping of each component, from what its unit gained."""
    units = int(unit.max()) + 1
    lost = (weighted_counts(unit, gain, units) < 0)[unit]
    relaxed = np.where(damping < LEAST_DAMPING, 0.0, RELAX * damping)
    return np.where(lost, (1 + damping) / 2, relaxed)
