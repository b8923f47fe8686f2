"""Several learners on one problem: each unit takes the steps that its learner alone would take."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learning.learner import evaluate_state
from engine.learning.learners.auto.crew import REST, Crew
from engine.learning.learners.em import EM
from engine.learning.learners.gradient import Gradient
from engine.learning.learners.hybrid import Hybrid
from engine.learning.starts import make_starts
from engine.learning.task import make_task
from engine.learning.workspace import NEVER, Workspace
from tests.engine.learning.models import chain, chain_data

pytestmark = pytest.mark.filterwarnings("error")

LEARNERS = (Gradient("lbfgs"), EM(), Hybrid())


@pytest.fixture(scope="module")
def task():
    return make_task(chain(), chain_data())


def begin(task, restarts):
    """A batch of restarts at their starts, and its units."""
    objective = task.objective.repeated(restarts)
    work = Workspace(objective)
    starts = make_starts(task, "random", restarts, 0)
    state, _ = evaluate_state(work, starts.reshape(-1))
    return work, state, np.arange(objective.n_components), starts


def step_alone(task, learner, start, steps):
    """The parameters after each step of a learner alone."""
    work, unit = Workspace(task.objective), np.arange(task.objective.n_components)
    state, _ = learner.begin(work, start, NEVER)
    found = []
    for _ in range(steps):
        state, _ = learner.step(work, state, unit, NEVER)
        found.append(state)
    return found


def test_each_unit_is_stepped_by_its_learner(task):
    """The restarts by one learner each, but for components that rest."""
    work, state, unit, starts = begin(task, 3)
    n = task.objective.n_components
    which = np.repeat([0, 1, 2], n)
    which[n + 2] = REST
    alone = [step_alone(task, learner, start, 6) for learner, start in zip(LEARNERS, starts, strict=True)]
    crew = Crew.of(LEARNERS)
    for k in range(6):
        crew, state, info = crew.step(work, state, unit, which, NEVER)
        theta, objective = state.theta.reshape(3, -1), state.objective.reshape(3, -1)
        rests = task.objective.component == 2
        for row in range(3):
            moves = ~rests if row == 1 else np.ones_like(rests)
            np.testing.assert_allclose(theta[row][moves], alone[row][k].theta[moves], atol=1e-12)
            kept = np.arange(n) != 2 if row == 1 else slice(None)
            np.testing.assert_allclose(objective[row][kept], alone[row][k].objective[kept], rtol=1e-12)
        np.testing.assert_array_equal(theta[1][rests], starts[1][rests])
        assert info.propagated[n + 2] == 0


def test_who_comes_later_takes_nothing_from_those_who_are_there(task):
    """L-BFGS of one restart goes on as if it were alone when another joins after three steps."""
    work, state, unit, starts = begin(task, 2)
    n = task.objective.n_components
    first, second = step_alone(task, LEARNERS[0], starts[0], 8), step_alone(task, LEARNERS[0], starts[1], 5)
    crew = Crew.of(LEARNERS)
    for k in range(8):
        crew, state, _ = crew.step(work, state, unit, np.repeat([0, 0 if k >= 3 else REST], n), NEVER)
        theta = state.theta.reshape(2, -1)
        np.testing.assert_allclose(theta[0], first[k].theta, atol=1e-9)
        if k >= 3:
            np.testing.assert_allclose(theta[1], second[k - 3].theta, atol=1e-9)


def test_what_was_remembered_of_a_unit_that_moved_is_forgotten(task):
    """A restart that is put back to its start takes its first steps again."""
    work, state, unit, starts = begin(task, 2)
    n = task.objective.n_components
    alone = step_alone(task, LEARNERS[0], starts[1], 4)
    which, crew = np.zeros(2 * n, dtype=np.int64), Crew.of(LEARNERS)
    for _ in range(4):
        crew, state, _ = crew.step(work, state, unit, which, NEVER)
    theta = np.stack([state.theta.reshape(2, -1)[0], starts[1]]).reshape(-1)
    state, _ = evaluate_state(work, theta)
    crew = crew.forget(np.repeat([False, True], n))
    for k in range(4):
        crew, state, _ = crew.step(work, state, unit, which, NEVER)
        np.testing.assert_allclose(state.theta.reshape(2, -1)[1], alone[k].theta, atol=1e-9)
