"""The automatic learner, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from engine.learning.bounds import CERTIFIED
from engine.learning.course import Course
from engine.learning.learner import Info, State, Words, evaluate_state
from engine.learning.learners.auto.crew import REST, Crew
from engine.learning.learners.auto.memory import SEARCH, TRY, Memory
from engine.learning.learners.auto.polish import (
    BOTH,
    MAXIMISE,
    TITLES,
    begin_polish,
    choose_leaders,
    count_work,
    look,
    try_learners,
)
from engine.learning.learners.auto.search import (
    BAYESIAN,
    MARKOV,
    Pace,
    begin_search,
    end_round,
    halve,
    vary,
)
from engine.learning.learners.auto.slots import Slots
from engine.learning.learners.auto.variations import Variations
from engine.learning.learners.em import EM
from engine.learning.learners.gradient import Gradient
from engine.learning.learners.hybrid import Hybrid
from engine.learning.parameters import LogLinear
from engine.learning.task import LearningTask
from engine.learning.workspace import Workspace
from engine.model.arrays import Bools, Floats, Ints
from engine.model.network import BayesianNetwork, MarkovNetwork, Network


@dataclass(frozen=True, eq=False)
class Auto:
    """Search and polish, group by group; :meth:`for_task` makes it for a task.

    Attributes
    ----------
    variations : Variations, optional
        Without them the search ends with the restarts.
    ceilings : array (groups,), optional
        What no parameters surpass.
    pace : Pace
        How the search goes on.
    polishers : int
        How many of the learners may polish.
    has_one_optimum : bool
        Whether all starts lead to the same, so that there is nothing to search for.
    """

    variations: Variations | None = None
    ceilings: Floats | None = None
    pace: Pace = BAYESIAN
    polishers: int = len(TITLES)
    has_one_optimum: bool = False
    counts_complete_data: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    chooses_units: ClassVar[bool] = True
    words: ClassVar[Mapping[type[Network], Words]] = {
        BayesianNetwork: Words(
            "Restarts and variations of the best are stepped together by EM, at last by L-BFGS, and the worse half of "
            "each component's is dropped again and again. EM, hybrid or L-BFGS polishes what is left, whichever gains "
            "most for its work, until it is certified or nothing moves.",
            r"\theta_S \leftarrow \mathrm{arg}\max\limits_{\theta_S \in \{\mathrm{restarts},\, \mathrm{variations}\}} "
            r"\ell_S(\theta_S) + \log \rho(\theta_S)",
        ),
        MarkovNetwork: Words(
            "Restarts and variations of the best are stepped together by L-BFGS, and the worse half is dropped again "
            "and again, unless the data is complete and has one optimum. L-BFGS, EM or hybrid polishes what is left, "
            "whichever gains most for its work, until it is certified or nothing moves.",
            r"\theta \leftarrow \mathrm{arg}\max\limits_{\theta \in \{\mathrm{restarts},\, \mathrm{variations}\}} "
            r"\ell(\theta)",
        ),
    }

    def for_task(self, task: LearningTask, ceilings: Floats) -> Auto:
        """The learner of a task, which knows its bounds and what can be varied."""
        is_markov = isinstance(task.network, MarkovNetwork)
        has_prior = isinstance(task.geometry, LogLinear) and task.geometry.has_prior
        return replace(
            self,
            variations=Variations.of(task),
            ceilings=ceilings,
            pace=MARKOV if is_markov else BAYESIAN,
            polishers=BOTH if has_prior or task.given else len(TITLES),
            has_one_optimum=is_markov and not any(term.jobs for term in task.objective.terms if term.sign > 0),
        )

    def begin(self, work: Workspace, theta: Floats, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """All restarts at their start."""
        return evaluate_state(work, theta, cancelled)

    def step(self, work: Workspace, state: State, unit: Ints, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """Some steps of every unit by its learner, and what is decided when it is time."""
        slots = Slots(work.objective, unit)
        memory = state.memory or self._begin(slots, state)
        propagated = np.zeros(work.objective.n_components, dtype=np.int64)
        for _ in range(self.pace.rungs[memory.search.rung][1] if memory.stage == SEARCH else 1):
            crew, state, info = memory.crew.step(work, state, unit, memory.which.reshape(-1), cancelled)
            memory, propagated = replace(memory, crew=crew), propagated + info.propagated
        rows = slots.values(work.objective.rows_per_pass)
        if memory.stage == TRY:
            memory = count_work(memory, slots.values(info.propagated), rows)
        state, memory = self._end_groups(slots, state, memory, rows[0] == 0)
        memory = replace(memory, clock=memory.clock - 1)
        if not memory.done.all():
            if memory.clock <= 0:
                state, memory, more = self._decide(work, slots, state, unit, memory, cancelled)
                propagated = propagated + more
            memory = look(slots.values(state.objective), memory)
        return replace(state, memory=memory), Info(propagated, memory.wish())

    def courses(self, state: State) -> tuple[Course, ...]:
        """What was done for each group; nothing before the first step."""
        memory: Memory | None = state.memory
        if memory is None:
            return ()
        restarts, groups = memory.which.shape
        ends = [memory.counted, memory.certified, memory.polish.settled]
        end = np.select(ends, ["counted", "certified", "settled"], default="")
        leaders = [TITLES[k] if k != REST else "" for k in memory.polish.leader]
        search = memory.search
        return tuple(
            Course(restarts, int(search.tried[g]), int(search.better[g]), leaders[g], str(end[g]))
            for g in range(groups)
        )

    def _begin(self, slots: Slots, state: State) -> Memory:
        which = np.full((slots.number, slots.groups), self.pace.learner)
        if self.has_one_optimum:
            which[1:] = REST
        nothing = np.zeros(slots.groups, dtype=bool)
        crew = Crew.of((Gradient("lbfgs"), EM(), Hybrid()))
        polish = begin_polish(slots.values(state.objective))
        return Memory(crew, SEARCH, 0, which, nothing, nothing, begin_search(slots.groups), polish)

    def _end_groups(self, slots: Slots, state: State, memory: Memory, idle: Bools) -> tuple[State, Memory]:
        """End groups that have nothing to propagate, which one step of EM solves, and those at their bound."""
        counted = idle & (self.pace.learner == MAXIMISE)
        certified = memory.certified
        values = slots.values(state.objective)
        if self.ceilings is not None:
            near = CERTIFIED / max(1, int(np.count_nonzero(~counted)))  # so that all together are as near
            certified = certified | (~counted & (values.max(axis=0) >= self.ceilings - near))
        new = (counted | certified) & ~memory.done
        if not new.any():
            return state, memory
        state = slots.copy_to_first(state, np.where(new, np.argmax(values, axis=0), 0))
        return state, replace(memory, which=np.where(new, REST, memory.which), counted=counted, certified=certified)

    def _decide(
        self, work: Workspace, slots: Slots, state: State, unit: Ints, memory: Memory, cancelled: Callable[[], bool]
    ) -> tuple[State, Memory, Ints | int]:
        """What is done next, with the rows propagated for it."""
        if memory.stage == TRY:
            return *choose_leaders(slots, state, memory), 0
        if memory.stage == SEARCH and not self.has_one_optimum:
            searched = (memory.which != REST).any(axis=0)
            state, memory = halve(slots, state, memory, self.pace)
            if memory.search.rung < len(self.pace.rungs):
                return state, memory, 0
            search = end_round(memory.search, searched, self.pace)
            memory, wanted = replace(memory, search=search), ~memory.done & (search.epoch < self.pace.epochs)
            if self.variations is not None and slots.number > 1 and wanted.any():
                return vary(work, slots, state, unit, memory, self.variations, self.pace.learner, wanted, cancelled)
        return *try_learners(slots, state, memory, self.polishers), 0
