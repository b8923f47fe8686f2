"""Polishing: learners are tried side by side on the best, and the one that gains most for its work goes on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.learning.distance import estimate_distance, no_history, remember
from engine.learning.learner import State
from engine.learning.learners.auto.crew import REST
from engine.learning.learners.auto.memory import POLISH, TRY, Memory, Polish
from engine.learning.learners.auto.slots import Slots
from engine.model.arrays import Floats

LBFGS, MAXIMISE, BOTH = range(3)
"""The learners, by number: L-BFGS, EM and hybrid. In a trial each has the slot of its number."""
TITLES = ("L-BFGS", "EM", "hybrid")
COST = np.array([1.0, 1.0, 15.0])
"""What a row costs in each of them, beside EM: EDML's own small problems take longer than propagation."""
TRIAL = 20
"""Steps of a trial, and the passes that a learner other than L-BFGS may use in it, by cost."""
STINT = 40
"""Steps by the one that gained most until learners are tried again; then twice as many."""
SETTLED = 1e-3
"""Nats: groups that have no more to go together, by estimate, are stepped on only until they converge."""


def begin_polish(values: Floats) -> Polish:
    """What is known of polishing before the first step, from the objectives of all units."""
    groups = values.shape[1]
    nothing = np.zeros(groups, dtype=bool)
    recent = remember(no_history(groups), values[0])
    return Polish(STINT, np.full(groups, REST), nothing, np.zeros_like(values), values, recent, nothing)


def try_learners(slots: Slots, state: State, memory: Memory, polishers: int) -> tuple[State, Memory]:
    """Begin a trial: the first learners side by side at the best of every group that has some way to go."""
    polish = memory.polish
    tried = ~memory.done & ~polish.settled
    if not tried.any():
        return state, replace(memory, stage=POLISH, clock=STINT)
    number = min(polishers, slots.number)
    copies = np.zeros_like(memory.which, dtype=bool)
    copies[1:number] = tried
    state = slots.copy_first(state, copies)
    which = np.where(tried, REST, memory.which)
    which[:number] = np.where(tried, np.arange(number)[:, None], which[:number])
    values = slots.values(state.objective)
    polish = replace(polish, tried=tried, work=np.zeros_like(values), begun=values)
    return state, replace(memory, stage=TRY, clock=TRIAL, which=which, polish=polish).forget(copies)


def count_work(memory: Memory, propagated: Floats, rows: Floats) -> Memory:
    """Add up what the learners of a trial cost; those in other slots than the first rest when they have used up theirs.

    L-BFGS, in the first, would lose what it remembers.
    """
    work = memory.polish.work + propagated * COST[memory.which]
    spent = memory.polish.tried & (work >= TRIAL * rows)
    spent[0] = False
    which = np.where(spent, REST, memory.which)
    return replace(memory, which=which, polish=replace(memory.polish, work=work))


def choose_leaders(slots: Slots, state: State, memory: Memory) -> tuple[State, Memory]:
    """End a trial: in every group the learner goes on that has gained most for its work, from the highest of all."""
    polish, values = memory.polish, slots.values(state.objective)
    has_tried = polish.work > 0
    rate = np.divide(values - polish.begun, polish.work, out=np.full_like(values, -np.inf), where=has_tried)
    leader = np.where(polish.tried, np.argmax(rate, axis=0), polish.leader)
    highest = np.where(polish.tried, np.argmax(np.where(has_tried, values, -np.inf), axis=0), 0)
    state = slots.copy_to_first(state, highest)
    which = np.where(polish.tried, REST, memory.which)
    which[0] = np.where(polish.tried, leader, which[0])
    moved = np.zeros_like(which, dtype=bool)
    moved[0] = highest != 0
    polish = replace(polish, leader=leader, stint=2 * polish.stint, tried=np.zeros_like(polish.tried))
    memory = replace(memory, stage=POLISH, clock=memory.polish.stint, which=which, polish=polish)
    return state, memory.forget(moved)


def look(values: Floats, memory: Memory) -> Memory:
    """Find which groups have no more to go, from the objectives of all units."""
    polish = memory.polish
    recent, settled = remember(polish.recent, values[0]), polish.settled
    if memory.stage == POLISH:
        share = SETTLED / max(1, int(np.count_nonzero(~memory.counted)))
        settled = settled | (estimate_distance(recent) <= share)
    return replace(memory, polish=replace(polish, recent=recent, settled=settled))
