"""The search: candidates are stepped together, the worse half dropped again and again; then come variations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from engine.learning.learner import State, evaluate_state
from engine.learning.learners.auto.crew import REST
from engine.learning.learners.auto.memory import Memory, Search
from engine.learning.learners.auto.slots import Slots
from engine.learning.learners.auto.variations import Variations
from engine.learning.workspace import Workspace
from engine.model.arrays import Bools, Ints

RUNGS = (15, 15, 40)
"""Steps of the scout in an iteration, after which the worse half is dropped; after the last the best is taken."""
PATIENCE = 16
"""Rounds in a row with nothing better, after which a group is searched no further."""
ANEW = 3
"""Every so many rounds the candidates are no variations, but new starts."""
LEAST_GAIN = 1e-2
"""Nats: less is no better."""


def begin_search(groups: int) -> Search:
    """The search before its first step."""
    none, nothing = np.zeros(groups, dtype=np.int64), np.zeros(groups, dtype=bool)
    return Search(0, 0, none, none, none, nothing)


def halve(slots: Slots, state: State, memory: Memory) -> tuple[State, Memory]:
    """Drop the worse half of the candidates, and have the best in the first slot."""
    search, searched = memory.search, (memory.which != REST).any(axis=0)
    values = np.where(memory.which != REST, slots.values(state.objective), -np.inf)
    is_better = search.is_better | (searched & (values.max(axis=0) > values[0] + LEAST_GAIN))
    state, values, moved = slots.exchange_best(state, values, searched)
    racing = np.isfinite(values[1:])
    rank = np.argsort(np.argsort(-values[1:], axis=0, kind="stable"), axis=0)
    which = memory.which.copy()
    which[1:] = np.where(racing & (rank < np.ceil(racing.sum(axis=0) / 2)), which[0], REST)
    search = replace(search, rung=search.rung + 1, is_better=is_better)
    return state, replace(memory, which=which, search=search).forget(moved)


def end_round(search: Search, searched: Bools) -> Search:
    """The search after a round of some groups. Of the first one, some restart was the best: that says nothing."""
    if not search.round:
        return replace(search, round=1)
    return replace(
        search,
        round=search.round + 1,
        misses=np.where(searched, np.where(search.is_better, 0, search.misses + 1), search.misses),
        better=search.better + (searched & search.is_better),
    )


def vary(
    work: Workspace,
    slots: Slots,
    state: State,
    unit: Ints,
    memory: Memory,
    variations: Variations,
    scout: int,
    searched: Bools,
    cancelled: Callable[[], bool],
) -> tuple[State, Memory, Ints]:
    """Begin a round: variations of the best of some groups, or new starts, in all other slots. It costs a pass."""
    units = np.tile(searched, (slots.number, 1))
    units[0] = False
    own, search = state.theta.reshape(slots.number, -1), memory.search
    generator = np.random.default_rng([search.round, slots.number])
    drawn = variations.draw(own[0], slots.number - 1, generator, anew=search.round % ANEW == 0)
    theta = np.where(slots.parameters(units), np.concatenate([own[:1], drawn]), own).reshape(-1)
    components = units.reshape(-1)[unit]
    found, info = evaluate_state(work.focus(components), theta, cancelled)
    state = found.choose(components, components[work.objective.component], state)
    which = np.where(np.tile(searched, (slots.number, 1)), scout, REST)
    varied = search.varied + searched * (slots.number - 1)
    search = replace(search, rung=0, varied=varied, is_better=np.zeros_like(searched))
    memory = replace(memory, which=which, search=search)
    return state, memory.forget(units), info.propagated
