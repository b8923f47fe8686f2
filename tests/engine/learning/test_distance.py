"""The estimated distance still to go: against sequences whose limit is known, and runs that are led to their end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engine.learning.bounds import CERTIFIED, find_bounds
from engine.learning.distance import KEPT, estimate_distance, no_history, remember
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from pgmgui.project.examples import load_gallery
from tests.engine.learning.models import chain, chain_data, latent_class, latent_data

pytestmark = pytest.mark.filterwarnings("error")
EXAMPLES = {example.id: example for example in load_gallery()}
LONG = 100_000


def load(name):
    document, data = EXAMPLES[name].read()
    return document.network, data.dataset


def run(problem, method="d-em", seed=0, n_init=1, executor=None, resume=None, **stopping):
    options = {"random_state": seed, "n_init": n_init, "executor": executor, "resume": resume}
    *_, last = learn(*problem, method, stopping=Stopping(**stopping), **options)
    return last


def last_ones(objective, t):
    """The objectives at t, t − 1, …, as they are remembered."""
    return np.array([objective(t - k) for k in range(KEPT)])


@pytest.mark.parametrize("ratio", [0.05, 0.5, 0.9, 0.99, 0.999])
def test_a_geometric_tail_is_known_exactly(ratio):
    recent = last_ones(lambda t: -(ratio**t), 14)
    assert estimate_distance(recent) == pytest.approx(ratio**14, rel=1e-5, abs=1e-12)


@pytest.mark.parametrize("power", [0.5, 1, 2, 4])
@pytest.mark.parametrize("iteration", [60, 200])
def test_a_tail_that_slows_down_is_known_nearly(power, iteration):
    """A geometric tail of the same ratio would be up to three times shorter."""
    recent = last_ones(lambda t: -(float(t) ** -power), iteration)
    assert 0.95 < estimate_distance(recent) * iteration**power < 1.25


def test_several_units_at_once_and_too_few_steps():
    recent = no_history(3)
    ratios = np.array([0.3, 0.6, 0.9])
    for t in range(KEPT):
        assert np.isinf(estimate_distance(recent)).all()
        recent = remember(recent, -(ratios**t), None if t < 5 else np.array([True, True, t < 6]))
    assert estimate_distance(recent)[:2] == pytest.approx(ratios[:2] ** (KEPT - 1), rel=1e-6)
    assert np.isinf(estimate_distance(recent)[2])  # it has stopped, and is remembered as it was
    assert recent[2, 0] == -(0.9**5)


def test_what_does_not_shrink_has_a_long_way_to_go():
    assert estimate_distance(last_ones(lambda t: 0.1 * t, 50)) == pytest.approx(1000.0)
    assert estimate_distance(last_ones(lambda t: 1.01**t, 50)) > 100
    assert estimate_distance(np.full(KEPT, -1e4)) == pytest.approx(4e-9)  # only rounding is left
    assert np.isinf(estimate_distance(np.full(KEPT, -np.inf)))


def test_asia_ends_where_it_says_and_reaches_its_bound_when_asked_to():
    """The page's rule stops it 0.0068 nats under a bound that it would reach (issue 13)."""
    network, dataset = load("asia")
    stopped = run((network, dataset), tol=1e-4, criterion="likelihood")
    bound = find_bounds(stopped.task).total
    gap = bound - stopped.objective.sum()
    assert gap == pytest.approx(0.0068, abs=1e-4)
    assert stopped.distance.sum() == pytest.approx(gap, rel=0.25)
    asked = run((network, dataset), until=CERTIFIED, max_iter=LONG)
    assert asked.stop == "converged"
    assert 0 <= bound - asked.objective.sum() <= CERTIFIED
    assert asked.distance.sum() <= CERTIFIED


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_distance_is_that_to_the_bound_where_the_bound_is_reached(seed):
    """Asia's component is stopped at 1000 iterations, with 0.01 nats to go."""
    last = run(load("asia"), seed=seed)
    gap = find_bounds(last.task).total - last.objective.sum()
    assert gap > 0.005
    assert last.distance.sum() == pytest.approx(gap, rel=0.3)


@pytest.mark.parametrize("method", ["em", "d-em", "d-edml", "d-hybrid", "lbfgs", "d-lbfgs"])
@pytest.mark.parametrize("until", [1e-2, 1e-4])
def test_no_more_than_asked_is_left(method, until):
    """Each restart for itself, by components or as a whole: against going on to the end."""
    problem = chain(), chain_data()
    asked = run(problem, method, n_init=3, until=until, max_iter=LONG)
    ended = run(problem, method, n_init=3, tol=1e-9, max_iter=3000)
    assert asked.stop == "converged"
    assert asked.distance.shape == ((3, 5) if method.startswith("d-") else (3, 1))
    assert (asked.distance.sum(axis=1) <= until).all()
    assert (ended.objective.sum(axis=1) - asked.objective.sum(axis=1) <= until).all()
    assert asked.iteration < ended.iteration


@pytest.mark.parametrize("method", ["em", "lbfgs", "edml-in-turn"])
def test_markov_networks_have_a_distance_of_the_whole(method):
    problem = load("thesis-triangle")
    asked = run(problem, method, n_init=2, until=1e-4, max_iter=LONG)
    assert asked.distance.shape == (2, 1)
    assert asked.stop == "converged"
    ended = run(problem, "lbfgs", n_init=2, tol=1e-12, criterion="likelihood")
    assert (ended.objective.sum(axis=1) - asked.objective.sum(axis=1) <= 1e-4).all()


def test_complete_components_have_nothing_to_go_after_a_step():
    last = run((chain(), chain_data()), max_iter=1)
    complete = [k for k, component in enumerate(last.task.decomposition.components) if component.is_complete]
    assert complete
    assert (last.distance[0, complete] < 1e-9).all()
    assert np.isinf(last.distance[0]).any()


def test_batches_workers_and_what_goes_on_know_it_too(monkeypatch):
    problem = latent_class(), latent_data()
    whole = run(problem, n_init=3, until=1e-3, max_iter=LONG)
    with ThreadPoolExecutor(1) as executor:
        by_workers = run(problem, n_init=3, until=1e-3, max_iter=LONG, executor=executor)
    np.testing.assert_allclose(by_workers.distance, whole.distance, rtol=1e-6)
    first = run(problem, n_init=3, until=1e-3, max_iter=20)
    assert first.stop == "iterations"
    later = run(problem, n_init=3, until=1e-3, max_iter=LONG, resume=first)
    np.testing.assert_allclose(later.distance, whole.distance, rtol=1e-6)
    assert (later.iterations == whole.iterations).all()
    plain = run(problem, "em", n_init=3, until=1e-3, max_iter=LONG, resume=first)  # units of another kind
    assert plain.distance.shape == (3, 1)
    monkeypatch.setattr("engine.learning.learn.MOST_BATCH_CELLS", 1)
    np.testing.assert_allclose(run(problem, n_init=3, until=1e-3, max_iter=LONG).distance, whole.distance, rtol=1e-6)
