"""Hybrid EDML/EM (§4.5 [thesis]): both updates from one pass, the better one kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from engine.learning.learner import Info, State, Words
from engine.learning.learners.edml import EDML, evaluate_softly
from engine.learning.learners.em import maximise_counts
from engine.learning.soft_evidence import SoftEvidence, merge_evidence
from engine.learning.workspace import Workspace
from engine.model.arrays import Bools, Floats, Ints, weighted_counts
from engine.model.network import BayesianNetwork, MarkovNetwork, Network

ROUNDING = 1e-13
"""A gain this small, relative to the objective or to one nat, may be none."""


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
    chooses_units: ClassVar[bool] = False
    words: ClassVar[Mapping[type[Network], Words]] = {
        BayesianNetwork: Words(
            "One pass over the data gives the updates of both EM and EDML. "
            "The one with the higher objective is kept, so that it never decreases.",
            r"\theta \leftarrow \mathrm{arg}\max\limits_{\theta′ \in \{\mathrm{EM}(\theta),\, \mathrm{EDML}(\theta)\}} "
            r"\ell(\theta′) + \log \rho(\theta′)",
        ),
        MarkovNetwork: Words(
            "One pass over the data gives the updates of both EM and EDML, of all factors at once. "
            "The one with the higher likelihood is kept, so that it never decreases.",
            r"\theta \leftarrow \mathrm{arg}\max\limits_{\theta′ \in \{\mathrm{EM}(\theta),\, \mathrm{EDML}(\theta)\}} "
            r"\ell(\theta′)",
        ),
    }

    def begin(self, work: Workspace, theta: Floats, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """The soft evidence at the start."""
        state, info, evidence = evaluate_softly(work, theta, cancelled)
        return replace(state, memory=Memory(evidence, np.zeros(work.objective.n_components, dtype=bool))), info

    def step(self, work: Workspace, state: State, unit: Ints, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """Evaluate both updates and choose, unit by unit."""
        memory: Memory = state.memory
        solved = work.objective.geometry.fix_gauge(self.edml.solve(work.objective, state, memory.evidence, cancelled))
        maximised, propagated = maximise_counts(work, state, unit, cancelled)
        em, em_info, em_evidence = evaluate_softly(work, maximised, cancelled)
        edml, edml_info, edml_evidence = evaluate_softly(work, solved, cancelled)
        units = int(unit.max()) + 1
        reached = weighted_counts(unit, em.objective, units)
        # Of two that are equally good, EM's: rounding is not to choose, for they may be far apart.
        won = (weighted_counts(unit, edml.objective, units) > reached + ROUNDING * (1 + np.abs(reached)))[unit]
        parameters = won[work.objective.component]
        evidence = merge_evidence(em_evidence, edml_evidence, parameters[work.objective.geometry.starts])
        info = Info(em_info.propagated + edml_info.propagated + propagated)
        return edml.choose(won, parameters, em, Memory(evidence, won)), info
