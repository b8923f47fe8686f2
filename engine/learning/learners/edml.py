"""EDML (Alg. 4 [thesis]): every parameter set solves its own small learning problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from engine.learning.learner import Info, State, make_state
from engine.learning.local_problems import MOST_STEPS, solve_sets
from engine.learning.objective import Objective
from engine.learning.parameters import Geometry, LogLinear
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
        first (half in a Markov network), half way to standing still after every loss of a unit, and less
        again after a gain.
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
        least = _least_damping(work.objective.geometry)
        damping = np.full(work.objective.n_components, least if self.damping is None else self.damping)
        return replace(state, memory=Memory(evidence, damping)), info

    def step(self, work: Workspace, state: State, unit: Ints, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """Solve all sub-problems, and find the soft evidence at the new parameters.

        Sets that go to zero at once can make rows impossible together; such a component goes half way.
        """
        memory: Memory = state.memory
        component = work.objective.component
        geometry, kept = work.objective.geometry, memory.damping[component]
        solved = self.solve(work.objective, state, memory.evidence, cancelled)
        theta = geometry.fix_gauge(kept * state.theta + (1 - kept) * solved)
        after, info, evidence = evaluate_softly(work, theta, cancelled)
        impossible = np.isneginf(after.log_likelihood)[component]
        if impossible.any():
            theta = np.where(impossible, (state.theta + theta) / 2, theta)
            after, more, evidence = evaluate_softly(work, theta, cancelled)
            info = Info(info.propagated + more.propagated)
        damping = memory.damping
        if self.damping is None:
            damping = _adapt(damping, unit, after.objective - state.objective, _least_damping(geometry))
        return replace(after, memory=Memory(evidence, damping)), info

    def solve(
        self, objective: Objective, state: State, evidence: SoftEvidence, cancelled: Callable[[], bool] = NEVER
    ) -> Floats:
        """The best parameters of every set under its soft evidence (Eq. 4.2, 5.8 [thesis])."""

        def check() -> None:
            if cancelled():
                raise Cancelled

        geometry = objective.geometry
        local = geometry.to_local(state.theta, state.model_counts)
        fixed = geometry.with_prior(objective.counts)
        moved = solve_sets(geometry, local, evidence, fixed, self.solver, self.local_steps, check)
        return geometry.from_local(state.theta, local, moved)


def evaluate_softly(work: Workspace, theta: Floats, cancelled: Callable[[], bool]) -> tuple[State, Info, SoftEvidence]:
    """The state at some parameters, what it cost, and the soft evidence there."""
    found, evidence = collect(work, theta, cancelled)
    return *make_state(work.objective, theta, found), evidence


def _least_damping(geometry: Geometry) -> float:
    """What damping begins with and goes back to. All factors of a Markov network at once diverge without any."""
    return 0.5 if isinstance(geometry, LogLinear) else 0.0


def _adapt(damping: Floats, unit: Ints, gain: Floats, least: float) -> Floats:
    """The next damping of each component, from what its unit gained."""
    units = int(unit.max()) + 1
    lost = (weighted_counts(unit, gain, units) < 0)[unit]
    relaxed = np.where(damping < LEAST_DAMPING, 0.0, RELAX * damping)
    return np.where(lost, (1 + damping) / 2, np.maximum(relaxed, least))
