"""EDML for Markov networks, one factor after the other; on complete data it is iterative proportional fitting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from engine.learning.learner import Info, State, Words, evaluate_state
from engine.learning.learners.edml import EDML, evaluate_softly
from engine.learning.soft_evidence import select_evidence
from engine.learning.workspace import Workspace
from engine.model.arrays import Bools, Floats, Ints
from engine.model.network import MarkovNetwork, Network


@dataclass(frozen=True, eq=False)
class Memory:
    """Per component, the workspace with its data alone; made for one workspace of the whole."""

    whole: Workspace
    focused: dict[int, Workspace]


@dataclass(frozen=True)
class EDMLInTurn:
    """θ_f ← θ_f t / Pr(x_f), with t the best marginal of the factor while the others stand still.

    What t maximises is the objective over that factor alone (Eq. 5.8 [thesis]), so that it never decreases. Without
    missing values t is the factor's share of the data, and the update that of iterative proportional fitting.
    """

    edml: EDML = field(default_factory=EDML)
    counts_complete_data: ClassVar[bool] = False
    monotone: ClassVar[bool] = True
    chooses_units: ClassVar[bool] = False
    words: ClassVar[Mapping[type[Network], Words]] = {
        MarkovNetwork: Words(
            "One factor after the other finds its best values exactly, while the others stand still. "
            "With complete data this is iterative proportional fitting: each factor is scaled until the model has the "
            "data's marginal.",
            r"\theta_f \leftarrow \theta_f \, \frac{t_f}{\mathrm{Pr}(x_f)}, \qquad t_f = \mathrm{arg}\max\limits_t "
            r"\sum_i \log \sum_{x_f} \frac{\mathrm{Pr}(x_f \mid d_i)}{\mathrm{Pr}(x_f)} t(x_f)",
        ),
    }

    def begin(self, work: Workspace, theta: Floats, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """The pass at the start."""
        return evaluate_state(work, theta, cancelled)

    def step(self, work: Workspace, state: State, unit: Ints, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """Every factor once. Of several restarts, the same factor of all of them at a time."""
        memory: Memory | None = state.memory
        if memory is None or memory.whole is not work:
            memory = Memory(work, {})
        objective = work.objective
        restarts = int(unit.max()) + 1
        factors, components = len(objective.geometry.starts) // restarts, objective.n_components // restarts
        theta, propagated = state.theta, np.zeros(objective.n_components, dtype=np.int64)
        for factor in range(factors):
            component = int(objective.component[objective.geometry.starts[factor]])
            if component not in memory.focused:
                number = np.arange(objective.n_components) % components
                memory.focused[component] = work.focus((number == component) | (number == components - 1))
            chosen = np.arange(len(objective.geometry.starts)) % factors == factor
            theta, info = self._improve(memory.focused[component], theta, chosen, cancelled)
            propagated += info.propagated
        after, info = evaluate_state(work, theta, cancelled)
        return replace(after, memory=memory), Info(propagated + info.propagated)

    def _improve(
        self, work: Workspace, theta: Floats, chosen: Bools, cancelled: Callable[[], bool]
    ) -> tuple[Floats, Info]:
        """The parameters with some sets at their best, and what it cost."""
        geometry = work.objective.geometry
        state, info, evidence = evaluate_softly(work, theta, cancelled)
        own = select_evidence(evidence, chosen[evidence.set])
        solved = geometry.fix_gauge(self.edml.solve(work.objective, state, own, cancelled))
        return np.where(chosen[geometry.set_of], solved, theta), info
