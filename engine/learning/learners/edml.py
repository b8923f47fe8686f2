"""EDML (Alg. 4 [thesis]): every parameter set solves its own small learning problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from engine.learning.learner import Info, State, Words, make_state
from engine.learning.local_problems import MOST_STEPS, solve_sets
from engine.learning.objective import Objective
from engine.learning.parameters import SMALLEST, Geometry, LogLinear
from engine.learning.soft_evidence import SoftEvidence, collect
from engine.learning.workspace import NEVER, Workspace, make_check
from engine.model.arrays import Bools, Floats, Ints, weighted_counts
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork, MarkovNetwork, Network

RELAX = 0.7
"""What is left of the damping after a step that gained."""
MOST_TRIES = 40
"""Of a step that goes half way again and again."""
ROUNDING = 1e-13
"""A loss this small, relative to the objective, may be none."""
MOST_RATIO = 1e6
"""How many times as large a cell of a factor may become in a step whose damping adapts."""
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
    chooses_units: ClassVar[bool] = False
    words: ClassVar[Mapping[type[Network], Words]] = {
        BayesianNetwork: Words(
            "Every row becomes soft evidence on every parameter set. "
            "Each set then finds its best parameters exactly, as if the others stood still.",
            r"\lambda^i_{x|u} = \frac{\mathrm{Pr}(x u \mid d_i)}{\theta_{x|u}} - \mathrm{Pr}(u \mid d_i) + 1, \qquad "
            r"\theta_{\cdot|u} \leftarrow \mathrm{arg}\max\limits_\theta \prod_x \theta_x^{\psi_{x|u} - 1} "
            r"\prod_i \sum_x \lambda^i_{x|u} \theta_x",
        ),
        MarkovNetwork: Words(
            "Every row becomes soft evidence on every factor, which finds its best marginal exactly, as if the others "
            "stood still. All move at once, and too far together, unless damping κ keeps some of what they were.",
            r"\theta_f \leftarrow \kappa \, \theta_f + (1 - \kappa) \, \theta_f \, \frac{t_f}{\mathrm{Pr}(x_f)}, "
            r"\qquad t_f = \mathrm{arg}\max\limits_t \sum_i \log \sum_{x_f} "
            r"\frac{\mathrm{Pr}(x_f \mid d_i)}{\mathrm{Pr}(x_f)} t(x_f)",
        ),
    }

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

        Sets that go to zero at once can make rows impossible together; such a component goes half way. So does
        a Markov network that would lose: what all its factors want together climbs, if it is not followed too far.
        """
        memory: Memory = state.memory
        objective, damping = work.objective, memory.damping
        solved = self.solve(objective, state, memory.evidence, cancelled)
        propagated = np.zeros(objective.n_components, dtype=np.int64)
        for _ in range(MOST_TRIES):
            kept = damping[objective.component]
            theta = objective.geometry.fix_gauge(kept * state.theta + (1 - kept) * solved)
            after, info, evidence = evaluate_softly(work, theta, cancelled)
            propagated += info.propagated
            back = self._goes_back(objective, unit, state, after)
            if not back.any():
                break
            damping = np.where(back, (1 + damping) / 2, damping)
        if self.damping is None:
            damping = _adapt(damping, unit, state, after, _least_damping(objective.geometry))
        else:
            damping = memory.damping
        return replace(after, memory=Memory(evidence, damping)), Info(propagated)

    def _goes_back(self, objective: Objective, unit: Ints, before: State, after: State) -> Bools:
        """The components that have gone too far: rows are impossible there, or a Markov network has lost."""
        stops_with = objective.stops_with
        impossible = np.zeros(objective.n_components, dtype=bool)
        impossible[stops_with[np.isneginf(after.log_likelihood)]] = True
        impossible = impossible[stops_with]
        if self.damping is not None or not isinstance(objective.geometry, LogLinear):
            return impossible
        return impossible | _lost(unit, before, after, ROUNDING)

    def solve(
        self, objective: Objective, state: State, evidence: SoftEvidence, cancelled: Callable[[], bool] = NEVER
    ) -> Floats:
        """The best parameters of every set under its soft evidence (Eq. 4.2, 5.8 [thesis])."""
        geometry = objective.geometry
        local = geometry.to_local(state.theta, state.model_counts)
        fixed = geometry.with_prior(geometry.gather(objective.counts))
        moved = solve_sets(geometry, local, evidence, fixed, self.solver, self.local_steps, make_check(cancelled))
        if self.damping == 0 and ((state.theta > 0) & (local <= SMALLEST) & (moved > 0)).any():
            raise ModelError("EDML without damping has diverged: its factors exclude what the data has; use edml")
        if self.damping is None and isinstance(geometry, LogLinear):
            # Of a step to 10^170 times a cell not even the 2^-40th part climbs, which is the shortest that is tried.
            # Cut, it leads uphill still: no cell turns round.
            moved = np.minimum(moved, MOST_RATIO * local)
        return geometry.from_local(state.theta, local, moved)


def evaluate_softly(work: Workspace, theta: Floats, cancelled: Callable[[], bool]) -> tuple[State, Info, SoftEvidence]:
    """The state at some parameters, what it cost, and the soft evidence there."""
    found, evidence = collect(work, theta, cancelled)
    return *make_state(work.objective, theta, found), evidence


def _least_damping(geometry: Geometry) -> float:
    """What damping begins with and goes back to. All factors of a Markov network at once diverge without any."""
    return 0.5 if isinstance(geometry, LogLinear) else 0.0


def _adapt(damping: Floats, unit: Ints, before: State, after: State, least: float) -> Floats:
    """The next damping of each component: more where its unit lost."""
    relaxed = np.where(damping < LEAST_DAMPING, 0.0, RELAX * damping)
    return np.where(_lost(unit, before, after, 0.0), (1 + damping) / 2, np.maximum(relaxed, least))


def _lost(unit: Ints, before: State, after: State, rounding: float) -> Bools:
    """The components whose unit has lost, by more than a fraction of its objective."""
    units = int(unit.max()) + 1
    gain = weighted_counts(unit, after.objective - before.objective, units)
    return ~(gain >= -rounding * np.abs(weighted_counts(unit, before.objective, units)))[unit]
