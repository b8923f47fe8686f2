"""Hybrid EDML/EM (§4.5 [thesis]): both updates from one pass, the better one kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from engine.arrays import Bools, Floats, Ints
from engine.learners.base import State
from engine.learners.edml import EDML, soft_state
from engine.learners.em import maximise_counts
from engine.learners.problem import Problem
from engine.learners.soft_evidence import SoftEvidence, merge_evidence


@dataclass(frozen=True, eq=False)
class HybridMemory:
    """Soft evidence for the next step, and per component whether EDML's update was kept at the last."""

    evidence: SoftEvidence
    edml_won: Bools


@dataclass(frozen=True)
class Hybrid:
    """EM's update and EDML's, evaluated both; each unit keeps the one with the higher objective.

    As EM never decreases the objective, neither does this; both have the same fixed points (Theorem 4).
    """

    edml: EDML = field(default_factory=EDML)
    counts_complete_data: ClassVar[bool] = True
    monotone: ClassVar[bool] = True

    def begin(self, problem: Problem, theta: Floats, cancelled: Callable[[], bool]) -> State:
        """The soft evidence at the start."""
        state = soft_state(problem, theta, cancelled)
        return _remember(state, state.memory, np.zeros(problem.n_components, dtype=bool))

    def step(self, problem: Problem, state: State, unit: Ints, cancelled: Callable[[], bool]) -> State:
        """Evaluate both updates and choose, unit by unit."""
        memory: HybridMemory = state.memory
        with_evidence = _remember(state, memory.evidence)
        em = soft_state(problem, maximise_counts(problem, state), cancelled)
        edml = soft_state(problem, self.edml.update(problem, with_evidence), cancelled)
        units = int(unit.max()) + 1
        with np.errstate(invalid="ignore"):
            gained = np.bincount(unit, edml.objective, units) > np.bincount(unit, em.objective, units)
        won = gained[unit]
        parameters = won[problem.component]
        chosen = State(
            np.where(parameters, edml.theta, em.theta),
            np.where(won, edml.log_likelihood, em.log_likelihood),
            np.where(won, edml.objective, em.objective),
            np.where(parameters, edml.counts, em.counts),
        )
        rows = parameters[problem.row_starts]
        return _remember(chosen, merge_evidence(em.memory, edml.memory, rows), won)


def _remember(state: State, evidence: SoftEvidence, won: Bools | None = None) -> State:
    memory = evidence if won is None else HybridMemory(evidence, won)
    return State(state.theta, state.log_likelihood, state.objective, state.counts, memory)
