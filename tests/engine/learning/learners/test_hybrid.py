"""Hybrid EDML/EM: never worse than either update (§4.5 [thesis])."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.learning.learners.edml import EDML, evaluate_softly
from engine.learning.learners.em import maximise_counts
from engine.learning.learners.hybrid import ROUNDING, Hybrid
from engine.learning.task import make_task
from engine.learning.workspace import NEVER, Workspace
from tests import oracles, strategies
from tests.engine.learning.models import chain, chain_data, evaluate
from tests.plain import filled_exponents, plain_data, plain_model

pytestmark = pytest.mark.filterwarnings("error")


def rounding(values):
    return 1e-10 * max(1.0, *np.abs(values[np.isfinite(values)]), 1.0)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_the_better_update_is_kept(data):
    """Component by component: θ, likelihood, objective, counts and evidence are those of the update that won."""
    network, dataset = data.draw(strategies.learning_problems())
    prior = data.draw(strategies.priors(network))
    task = make_task(network, dataset, prior)
    work, theta = Workspace(task.objective), task.layout.flatten(network.tables)
    learner, unit = Hybrid(), np.arange(task.objective.n_components)
    state, _ = learner.begin(work, theta, NEVER)
    for _ in range(4):
        em = evaluate(task, maximise_counts(work, state, unit, NEVER)[0])
        edml = evaluate(task, EDML().solve(task.objective, state, state.memory.evidence))
        after, _ = learner.step(work, state, unit, NEVER)
        won = after.memory.edml_won
        tie = ROUNDING * (1 + np.abs(em.objective))  # which rounding is not to decide
        np.testing.assert_array_equal(won, edml.objective > em.objective + tie)
        np.testing.assert_allclose(after.objective, np.maximum(em.objective, edml.objective), rtol=1e-12, atol=1e-12)
        kept = won[task.objective.component]
        np.testing.assert_allclose(after.theta, np.where(kept, edml.theta, em.theta), atol=1e-14)
        np.testing.assert_allclose(after.counts, np.where(kept, edml.counts, em.counts), atol=1e-12)
        assert (after.objective >= state.objective - rounding(state.objective)).all()
        *_, fresh = evaluate_softly(work, after.theta, NEVER)
        for name in ("set", "weight", "constant", "start", "parameter", "coefficient"):
            np.testing.assert_allclose(
                getattr(after.memory.evidence, name), getattr(fresh, name), rtol=1e-9, atol=1e-12
            )
        state = after


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_objective_never_decreases_by_enumeration(data):
    network, dataset = data.draw(strategies.learning_problems())
    prior = data.draw(strategies.priors(network))
    task = make_task(network, dataset, prior)
    learner, unit = Hybrid(), np.zeros(task.objective.n_components, dtype=int)
    state, _ = learner.begin(Workspace(task.objective), task.layout.flatten(network.tables), NEVER)
    trace = []
    for _ in range(6):
        learned = network.with_tables(task.layout.tables(state.theta))
        likelihood = oracles.log_likelihood(*plain_model(learned), *plain_data(dataset))
        trace.append(likelihood + oracles.log_prior(learned.tables, filled_exponents(network, prior)))
        assert state.objective.sum() == pytest.approx(trace[-1], rel=1e-9, abs=1e-9)
        state, _ = learner.step(Workspace(task.objective), state, unit, NEVER)
    assert all(b >= a - rounding(np.array(trace)) for a, b in itertools.pairwise(trace))


def test_a_unit_of_several_components_chooses_once():
    """Plain hybrid compares whole objectives: all of a restart's components keep the same update."""
    network, dataset = chain(), chain_data()
    task = make_task(network, dataset)
    generator = np.random.default_rng(0)
    learner = Hybrid()
    kinds = set()
    for _ in range(20):
        weights = generator.exponential(size=task.objective.n_parameters)
        theta = task.geometry.normalise(weights, otherwise=weights)
        state, _ = learner.begin(Workspace(task.objective), theta, NEVER)
        for _ in range(5):
            work, unit = Workspace(task.objective), np.zeros(task.objective.n_components, dtype=int)
            after, _ = learner.step(work, state, unit, NEVER)
            em = evaluate(task, maximise_counts(work, state, unit, NEVER)[0]).objective.sum()
            edml = evaluate(task, EDML().solve(task.objective, state, state.memory.evidence))
            won = set(after.memory.edml_won.tolist())
            assert won == {bool(edml.objective.sum() > em)}
            kinds |= won
            state = after
    assert kinds == {True, False}  # both updates are kept at times
