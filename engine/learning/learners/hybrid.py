"""Hybrid EDML/EM (§4.5 [thesis]): both updates from one pass, the better one kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from engine.learning.base import State
from engine.learning.learners.edml import EDML, evaluate_softly
from engine.learning.learners.em import maximise_counts
from engine.learning.problem import Problem
from engine.learning.soft_evidence import SoftEvidence, merge_evidence
from engine.model.arrays import Bools, Floats, Ints, weighted_counts


@dataclass(frozen=True, eq=False)
class Memory:
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
    equations: ClassVar[str] = (
        r"\theta \leftarrow \arg\max_{\theta' \in \{\mathrm{EM}(\theta),\, \mathrm{EDML}(\theta)\}} "
        r"\ell(\theta') + \log \rho(\theta')"
    )
    explanation: ClassVar[str] = (
        "One pass over the data gives the updates of both EM and EDML. "
        "The one with the higher objective is kept, so that it never decreases."
    )

    def begin(self, problem: Problem, theta: Floats, cancelled: Callable[[], bool]) -> State:
        """The soft evidence at the start."""
        state, evidence = evaluate_softly(problem, theta, cancelled)
        return replace(state, memory=Memory(evidence, np.zeros(problem.n_components, dtype=bool)))

    def step(self, problem: Problem, state: State, unit: Ints, cancelled: Callable[[], bool]) -> State:
        """Evaluate both updates and choose, unit by unit."""
        memory: Memory = state.memory
        solved = self.edml.solve(problem, state.theta, memory.evidence, cancelled)
        em, em_evidence = evaluate_softly(problem, maximise_counts(problem, state), cancelled)
        edml, edml_evidence = evaluate_softly(problem, solved, cancelled)
        units = int(unit.max()) + 1
        better = weighted_counts(unit, edml.objective, units) > weighted_counts(unit, em.objective, units)
        won = better[unit]
        parameters = won[problem.component]
        evidence = merge_evidence(em_evidence, edml_evidence, parameters[problem.row_starts])
        return State(
            np.where(parameters, edml.theta, em.theta),
            np.where(won, edml.log_likelihood, em.log_likelihood),
            np.where(won, edml.objective, em.objective),
            np.where(parameters, edml.counts, em.counts),
            Memory(evidence, won),
        )
