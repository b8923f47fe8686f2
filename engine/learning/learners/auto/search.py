"""The search: candidates are stepped together, the worse half dropped again and again; then come variations.

A search begins with restarts, of which the best is varied in rounds until none of its variations has been better for
some of them. It then begins anew from other starts, in all slots but the first, which keeps the best so far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from engine.learning.learner import State, evaluate_state
from engine.learning.learners.auto.crew import REST
from engine.learning.learners.auto.memory import Memory, Search
from engine.learning.learners.auto.polish import LBFGS, MAXIMISE
from engine.learning.learners.auto.slots import Slots
from engine.learning.learners.auto.variations import Variations
from engine.learning.workspace import Workspace
from engine.model.arrays import Bools, Floats, Ints


@dataclass(frozen=True)
class Pace:
    """How a search goes on.

    Attributes
    ----------
    rungs : tuple of (int, int)
        The learner that steps the candidates, by its number, and its steps in an iteration, after which the worse half
        is dropped; after the last the best is taken.
    patience : int
        Rounds in a row with nothing better, after which it begins anew.
    epochs : int
        How often it begins.
    """

    rungs: tuple[tuple[int, int], ...]
    patience: int
    epochs: int

    @property
    def learner(self) -> int:
        """The one that candidates begin with."""
        return self.rungs[0][0]


BAYESIAN = Pace(((MAXIMISE, 15), (MAXIMISE, 15), (MAXIMISE, 30), (LBFGS, 20)), 5, 8)
"""EM chooses the basin, for its are higher than those of L-BFGS from the same starts; L-BFGS then tells two that are
almost as high apart, for which EM would take hundreds of steps. It also keeps the best so far near to its peak."""
MARKOV = Pace(((LBFGS, 5), (LBFGS, 5), (LBFGS, 15)), 3, 5)
LEAST_GAIN = 1e-2
"""Nats: less is no better."""


def begin_search(groups: int) -> Search:
    """The search before its first step."""
    none, nothing = np.zeros(groups, dtype=np.int64), np.zeros(groups, dtype=bool)
    return Search(0, 0, none, none - 1, none, none, nothing)


def halve(slots: Slots, state: State, memory: Memory, pace: Pace) -> tuple[State, Memory]:
    """Drop the worse half of the candidates, and have the best where they are varied from; and in the first slot."""
    search, races = memory.search, memory.which != REST
    home, every = search.home, np.arange(slots.groups)
    reached = slots.values(state.objective)
    values = np.where(races, reached, -np.inf)
    searched = races.any(axis=0)
    is_better = search.is_better | (searched & (values.max(axis=0) > values[home, every] + LEAST_GAIN))
    state, values, moved = slots.exchange_best(state, values, np.where(searched, home, np.argmax(values, axis=0)))
    rise = np.where(searched & (home > 0), values[home, every] - reached[0], 0.0)
    state = slots.copy_to_first(state, np.where(rise > 0, home, 0))
    slot = np.arange(slots.number)[:, None]
    rivals = np.where(slot > home, values, -np.inf)
    rank = np.argsort(np.argsort(-rivals, axis=0, kind="stable"), axis=0)
    most = np.ceil(np.isfinite(rivals).sum(axis=0) / 2)
    stays = searched & (slot == home) | np.isfinite(rivals) & (rank < most)
    rung = search.rung + 1
    learner = pace.rungs[rung][0] if rung < len(pace.rungs) else pace.learner
    search = replace(search, rung=rung, is_better=is_better, better=search.better + (rise > LEAST_GAIN))
    return state, replace(memory, which=np.where(stays, learner, REST), search=search).forget(moved)


def end_round(search: Search, searched: Bools, pace: Pace) -> Search:
    """The search after a round of some groups. Of the first in an epoch, some start was the best: that says nothing."""
    is_fresh = search.misses < 0
    misses = np.where(is_fresh | search.is_better, 0, search.misses + 1)
    better = search.better + (searched & search.is_better & ~is_fresh & (search.epoch == 0))
    is_over = searched & (misses >= pace.patience)
    return replace(
        search,
        round=search.round + 1,
        epoch=search.epoch + is_over,
        misses=np.where(is_over, -1, np.where(searched, misses, search.misses)),
        better=better,
    )


def vary(
    work: Workspace,
    slots: Slots,
    state: State,
    unit: Ints,
    memory: Memory,
    variations: Variations,
    learner: int,
    searched: Bools,
    cancelled: Callable[[], bool],
) -> tuple[State, Memory, Ints]:
    """Begin a round of some groups: variations of their best, or other starts. It costs a pass over their rows."""
    search, slot = memory.search, np.arange(slots.number)[:, None]
    is_fresh, home = search.misses < 0, search.home
    units = searched & ((slot > home) | (is_fresh & (slot == home)))
    own = state.theta.reshape(slots.number, -1)
    drawn = _draw(slots, own, variations, search, np.random.default_rng([search.round, slots.number]))
    theta = np.where(slots.parameters(units), drawn, own).reshape(-1)
    components = units.reshape(-1)[unit]
    found, info = evaluate_state(work.focus(components), theta, cancelled)
    state = found.choose(components, components[work.objective.component], state)
    tried = search.tried + units.sum(axis=0)
    search = replace(search, rung=0, tried=tried, is_better=np.zeros_like(searched))
    which = np.where(searched & (slot >= home), learner, REST)
    return state, replace(memory, which=which, search=search).forget(units), info.propagated


def _draw(slots: Slots, own: Floats, variations: Variations, search: Search, generator: np.random.Generator) -> Floats:
    """For every slot a variation of the best of each group, or another start where its search begins anew."""
    varied = variations.draw(slots.pick(own, search.home), own[0], slots.number, generator)
    fresh = variations.draw_anew(slots.number, generator)
    is_fresh = np.tile(search.misses < 0, (slots.number, 1))
    return np.where(slots.parameters(is_fresh), fresh, varied)
