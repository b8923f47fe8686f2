"""Restarts side by side: copies and exchanges move whole units and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learning.learner import evaluate_state
from engine.learning.learners.auto.slots import Slots
from engine.learning.starts import make_starts
from engine.learning.task import make_task
from engine.learning.workspace import Workspace
from tests.engine.learning.models import chain, chain_data

RESTARTS = 4


@pytest.fixture
def batch():
    """Restarts of a problem with several components: its task, state and slots."""
    task = make_task(chain(), chain_data())
    objective = task.objective.repeated(RESTARTS)
    theta = make_starts(task, "random", RESTARTS, 3).reshape(-1)
    state, _ = evaluate_state(Workspace(objective), theta)
    return task, state, Slots(objective, np.arange(objective.n_components))


def check(task, before, after, source):
    """Every unit is what it was in its source: parameters, counts, objective and likelihood."""
    component = task.objective.component
    for name in ("theta", "counts", "objective", "log_likelihood"):
        old, new = (getattr(state, name).reshape(RESTARTS, -1) for state in (before, after))
        group = component if name in ("theta", "counts") else np.arange(task.objective.n_components)
        for slot in range(RESTARTS):
            for g in range(task.objective.n_components):
                np.testing.assert_array_equal(new[slot][group == g], old[source[slot][g]][group == g])


@pytest.mark.parametrize("home", [0, 1])
def test_the_best_of_each_group_changes_places_with_the_one_in_its_home(batch, home):
    task, state, slots = batch
    values = slots.values(state.objective)
    np.testing.assert_array_equal(values, state.objective.reshape(RESTARTS, -1))
    values[:, 1] = -np.inf  # of a group that is left alone
    homes = np.where(np.arange(slots.groups) == 1, 0, home)
    after, moved_values, moved = slots.exchange_best(state, values, homes)
    source = np.tile(np.arange(RESTARTS)[:, None], slots.groups)
    for g, (at, slot) in enumerate(zip(homes, values.argmax(axis=0), strict=True)):
        source[at, g], source[slot, g] = slot, at
    check(task, state, after, source)
    np.testing.assert_array_equal(moved, source != np.arange(RESTARTS)[:, None])
    assert moved.any()
    assert not moved[:, 1].any()
    np.testing.assert_array_equal(moved_values[home], values.max(axis=0))


def test_copies(batch):
    task, state, slots = batch
    own = np.tile(np.arange(RESTARTS)[:, None], slots.groups)
    slot = np.arange(slots.groups) % RESTARTS
    check(task, state, slots.copy_to_first(state, slot), np.concatenate([[slot], own[1:]]))
    units = np.zeros((RESTARTS, slots.groups), dtype=bool)
    units[2, 1] = units[3, 0] = True
    source = own.copy()
    source[2, 1] = source[3, 0] = 0
    check(task, state, slots.copy_first(state, units), source)
    picked = slots.pick(state.theta, slot)
    np.testing.assert_array_equal(picked, slots.copy_to_first(state, slot).theta[: len(picked)])
    parameters = slots.parameters(units)
    np.testing.assert_array_equal(parameters[2], task.objective.component == 1)
    assert not parameters[:2].any()


def test_components_that_are_coupled_are_one_group():
    task = make_task(chain(), chain_data())
    objective = task.objective.repeated(RESTARTS)
    slots = Slots(objective, np.arange(objective.n_components) // task.objective.n_components)
    assert (slots.number, slots.groups) == (RESTARTS, 1)
    values = np.arange(float(objective.n_components))
    np.testing.assert_array_equal(slots.values(values)[:, 0], values.reshape(RESTARTS, -1).sum(axis=1))
