"""Small jobs side by side in a forest: the same numbers as each by itself, whatever becomes of the others."""

from __future__ import annotations

import itertools
import math
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from engine.inference.planner import _Planner
from engine.learning import groves, workers
from engine.learning.learn import learn
from engine.learning.soft_evidence import Collector
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.learning.team import Team
from engine.learning.workspace import Workspace
from engine.model.network import MarkovNetwork, as_markov
from engine.simulation.missingness import hide, remove_mcar
from engine.simulation.sampling import simulate
from tests import oracles
from tests.engine.learning.models import chain, positive, random_network
from tests.engine.learning.problems import draw_data, draw_network
from tests.engine.learning.test_executors import Recorder, same
from tests.plain import plain_data, plain_model

pytestmark = pytest.mark.filterwarnings("error")
CONSTANTS = {"FEWEST_JOBS": groves.FEWEST_JOBS, "MOST_CELLS": groves.MOST_CELLS}


@pytest.fixture(autouse=True)
def many_forests(monkeypatch):
    """Blocks fall apart by what is missing; a component with two small jobs has a forest, and a forest few cells."""
    monkeypatch.setattr(_Planner, "_estimate_whole", lambda *_: math.inf)
    monkeypatch.setattr(groves, "FEWEST_JOBS", 2)
    monkeypatch.setattr(groves, "MOST_CELLS", 400)


def work_apart(objective, monkeypatch):
    """A workspace whose jobs are propagated one by one, in the order in which they are when together."""
    together = Workspace(objective)
    terms = [replace(t, jobs=tuple(itertools.chain(*together.find_groves(t)))) for t in objective.terms]
    with monkeypatch.context() as patch:
        patch.setattr(groves, "FEWEST_JOBS", math.inf)
        apart = Workspace(replace(objective, terms=tuple(terms)))
        assert all(len(grove) == 1 for term in apart.objective.terms for grove in apart.find_groves(term))
    return apart


def count(work, theta):
    """± w log Z of each row, and what all rows count."""
    work._fill(theta)
    counts, log_z = np.zeros(len(theta)), [np.empty(0)]
    with np.errstate(all="ignore"):
        for term in work.objective.terms:
            for span, counted, weighted in work.count_chunks(term, (0, 10**6)):
                counts[span] += term.sign * counted
                log_z.append(weighted.copy())
    return np.concatenate(log_z), counts


def check(objective, theta, monkeypatch):
    """± w log Z of each row and the number of forests, once they are the same as those of jobs one by one.

    Twice, for what the first run leaves behind must not matter; evaluated as well as row by row.
    """
    together, apart = Workspace(objective), work_apart(objective, monkeypatch)
    for _ in range(2):
        found_z, found = count(together, theta)
        expected_z, expected = count(apart, theta)
        np.testing.assert_allclose(found_z, expected_z, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-11)
        one, other = together.evaluate(theta), apart.evaluate(theta)
        np.testing.assert_allclose(one.log_likelihood, other.log_likelihood, rtol=1e-12, atol=1e-10)
        np.testing.assert_allclose(one.counts, other.counts, rtol=1e-12, atol=1e-11)
    return found_z, len(together._forests)


def scattered(network, rows, share=0.4, seed=1, columns=None):
    """Rows of a network in which a cell is missing whatever the others."""
    return remove_mcar(simulate(network, rows, seed), share, seed + 100, columns)


def diamonds(n=8):
    """Variables of two states with up to two parents, joined in many ways."""
    parents = [(), (0,), (0,), (1, 2), (3,), (3,), (4, 5), (6,)]
    return random_network([f"X{k}" for k in range(n)], parents[:n], seed=5)


def lose_factors(network, generator):
    """A Markov network without some of the tables: variables that nothing touches among them."""
    kept = np.flatnonzero(generator.random(len(network.scopes)) < 0.6)
    return MarkovNetwork(
        network.variables, tuple(network.scopes[k] for k in kept), tuple(network.tables[k] for k in kept)
    )


@pytest.mark.parametrize("kind", ["bayesian", "markov", "bits"])
def test_forests_count_what_jobs_count_one_by_one(kind, monkeypatch):
    """All kinds of cells, weights of zero, variables that nothing touches, impossible rows."""
    forests = 0
    for seed in range(40):
        generator = np.random.default_rng(seed)
        network = draw_network(generator)
        dataset = draw_data(generator, network)
        network = network if kind == "bayesian" else as_markov(network)
        network = lose_factors(network, generator) if kind == "bits" else network
        task = make_task(network, dataset)
        forests += check(task.objective, task.layout.flatten(network.tables), monkeypatch)[1]
    assert forests > 20


@pytest.mark.parametrize("seed", range(10))
def test_forests_count_what_enumeration_counts(seed, monkeypatch):
    """A Markov network with factors above 1, of which some cells of all kinds are seen, or each cell by chance."""
    generator = np.random.default_rng(seed)
    drawn = draw_network(generator, 6)
    network = positive(as_markov(drawn), generator)
    dataset = draw_data(generator, drawn, 15) if seed % 2 else scattered(drawn, 15, 0.5, seed)
    task = make_task(network, dataset)
    theta = task.layout.flatten(network.tables)
    check(task.objective, theta, monkeypatch)
    found = Workspace(task.objective).evaluate(theta)
    counts = oracles.expected_counts(*plain_model(network), *plain_data(dataset))
    np.testing.assert_allclose(found.counts, task.layout.flatten(counts), rtol=1e-9, atol=1e-9)
    joint = oracles.joint_weights(*plain_model(network), {})
    expected = oracles.log_likelihood(*plain_model(network), *plain_data(dataset))
    expected -= dataset.total_weight * math.log(sum(joint.values()) if isinstance(joint, dict) else joint.sum())
    assert found.log_likelihood.sum() == pytest.approx(expected, rel=1e-9)


def test_rows_that_are_subtracted_have_forests_too(monkeypatch):
    """Given the middle of a chain its ends are apart, in many ways; and of the data cells are missing."""
    network = positive(as_markov(chain(9)), np.random.default_rng(3))
    dataset = scattered(chain(9), 80, columns=["X0", "X1", "X7", "X8"])
    task = make_task(network, dataset, given=[2, 4, 6])
    work = Workspace(task.objective)
    assert [sum(len(grove) > 1 for grove in work.find_groves(term)) for term in task.objective.terms] == [1, 1]
    assert check(task.objective, task.layout.flatten(network.tables), monkeypatch)[1] == 2


@pytest.mark.parametrize("tiny", [1e-210, 0.0], ids=["doubtful", "impossible"])
def test_what_underflows_does_not_touch_the_others(tiny, monkeypatch):
    """A state that is all but impossible is seen in some rows: those are found in log space, or count nothing."""
    network = diamonds()
    dataset = scattered(network, 80)
    task = make_task(network, dataset)
    tables = [table.copy() for table in network.tables]
    for v in (3, 4, 6):
        tables[v][0, ..., 0] = tiny
    theta = task.layout.flatten(tables)
    log_z, forests = check(task.objective, theta, monkeypatch)
    assert forests > 1
    work = Workspace(task.objective)
    work.evaluate(theta)
    doubtful = []
    for run in work._forests.values():
        with np.errstate(all="ignore"):
            run.tape.run(0, 1.0)
        found = run.tape.find_doubtful()
        doubtful += [] if found is None else [len(found) / run.tape.rows]
    assert 0 < max(doubtful) < 0.5
    assert 0 < np.count_nonzero(log_z < math.log(1e-100)) < 0.5 * len(log_z)
    assert bool(np.isneginf(log_z).any()) == (tiny == 0.0)


def test_restarts_have_trees_of_their_own(monkeypatch):
    """Side by side, and of some of them; one of them underflows."""
    network = diamonds()
    task = make_task(network, scattered(network, 60))
    generator = np.random.default_rng(1)
    starts = [task.layout.flatten([generator.dirichlet([1, 1], t.shape[:-1]) for t in network.tables]) for _ in "abc"]
    starts[1][::7] = 1e-150
    objective = task.objective.repeated(3)
    assert check(objective, np.concatenate(starts), monkeypatch)[1] > 1
    kept = np.arange(objective.n_components) // task.objective.n_components != 1
    assert check(objective.only(kept), np.concatenate(starts), monkeypatch)[1] > 1
    found = Workspace(objective).evaluate(np.concatenate(starts))
    alone = Workspace(task.objective).evaluate(starts[2])
    np.testing.assert_allclose(found.counts[-len(starts[2]) :], alone.counts, rtol=1e-12, atol=1e-11)


def two_components():
    """Two diamonds with nothing between them: two components, some jobs of which have the same shape."""
    parents = [(), (0,), (0,), (1, 2), (3,), (3,), (4, 5), (6,)]
    both = [*parents, *(tuple(p + 8 for p in above) for above in parents)]
    network = random_network([f"X{k}" for k in range(16)], both, seed=2)
    return network, scattered(network, 40, 0.3)


def test_a_forest_is_kept_as_long_as_its_component_is_active(monkeypatch):
    network, dataset = two_components()
    task = make_task(network, dataset)
    theta = task.layout.flatten(network.tables)
    work = Workspace(task.objective)
    before = work.evaluate(theta)
    first = np.arange(task.objective.n_components) == task.objective.incomplete[0]
    rest = work.focus(first)
    made = dict(rest._forests)
    found = rest.evaluate(theta)
    assert 0 < len(made) == len(rest._forests) < len(work._forests)
    assert all(work._forests[grove] is run for grove, run in made.items())
    np.testing.assert_allclose(found.log_likelihood[first], before.log_likelihood[first], rtol=1e-14)
    inside = first[task.objective.component]
    # Jobs that have rows of both components are propagated with fewer, whose sums may be rounded otherwise.
    np.testing.assert_allclose(found.counts[inside], before.counts[inside], rtol=1e-14)


def test_jobs_of_several_components_are_alone():
    network, dataset = two_components()
    objective = make_task(network, dataset).objective
    work = Workspace(objective)
    for grove in work.find_groves(objective.terms[0]):
        assert len({job.home for job in grove}) == 1
        assert len(grove) == 1 or {int(k) for job in grove for k in job.component} == {grove[0].home}
    mixed = [job for job in objective.jobs if len(set(job.component.tolist())) > 1]
    assert mixed
    assert {job.home for job in mixed} == {-1}
    some = objective.only(np.arange(objective.n_components) == objective.incomplete[0])
    assert {job.home for job in some.jobs} == {-1, int(objective.incomplete[0])}  # a forest stays as it is


def test_a_handful_of_jobs_is_propagated_as_before(monkeypatch):
    objective = make_task(chain(12), scattered(chain(12), 30, 0.1)).objective
    [term] = objective.terms
    assert len(Workspace(objective).find_groves(term)) < len(objective.jobs)
    monkeypatch.setattr(groves, "FEWEST_JOBS", len(objective.jobs) + 1)
    assert Workspace(objective).find_groves(term) == tuple((job,) for job in objective.jobs)


def test_forests_take_no_more_memory_than_they_may(monkeypatch):
    network = diamonds()
    dataset = scattered(network, 60)
    for limit in (10**9, 20_000, 1_000):
        objective = make_task(network, dataset, memory_limit=limit).objective
        for grove in Workspace(objective).find_groves(objective.terms[0]):
            cells = sum(job.part.tree.cells * job.part.rows for job in grove)
            assert len(grove) == 1 or cells * groves.BYTES_PER_CELL <= limit
        forests = check(objective, make_task(network, dataset).layout.flatten(network.tables), monkeypatch)[1]
        assert (forests > 0) == (limit > 1_000)


def test_large_jobs_stay_alone(monkeypatch):
    """A column that is missing throughout has many rows."""
    monkeypatch.setattr(groves, "SMALL", 30)
    network = diamonds()
    objective = make_task(network, hide(scattered(network, 400, 0.02), ["X3"])).objective
    large = {job for job in objective.jobs if job.part.tree.largest * job.part.rows > groves.SMALL}
    assert 0 < len(large) < len(objective.jobs)
    for grove in Workspace(objective).find_groves(objective.terms[0]):
        assert len(grove) == 1 or large.isdisjoint(grove)


def test_who_visits_sees_every_family_as_before(monkeypatch):
    network = diamonds()
    task = make_task(network, scattered(network, 60))
    theta = task.layout.flatten(network.tables)
    found = []
    for work in (Workspace(task.objective), work_apart(task.objective, monkeypatch)):
        collector = Collector(task.objective, theta)
        found.append((work.evaluate(theta, visit=collector.visit), collector.result(lambda: None)))
        assert not work._forests
    (one, seen), (other, expected) = found
    np.testing.assert_array_equal(one.counts, other.counts)
    np.testing.assert_array_equal(one.log_likelihood, other.log_likelihood)
    np.testing.assert_array_equal(seen.coefficient, expected.coefficient)


@pytest.mark.parametrize("method", ["em", "d-em", "edml", "d-edml", "lbfgs"])
def test_learners_come_to_the_same(method, monkeypatch):
    network, dataset = two_components()
    options = {"random_state": 3, "n_init": 2, "stopping": Stopping(tol=1e-4, max_iter=6)}
    *_, together = learn(network, dataset, method, **options)
    monkeypatch.setattr(groves, "FEWEST_JOBS", math.inf)
    *_, apart = learn(network, dataset, method, **options)
    np.testing.assert_allclose(together.theta, apart.theta, atol=1e-8)
    np.testing.assert_allclose(together.log_likelihood, apart.log_likelihood, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("method", ["em", "d-em"])
def test_workers_find_the_same_bits(method, monkeypatch):
    """Whether they learn a component each, or count some forests each."""
    monkeypatch.setattr(workers, "PARCEL_SECONDS", 0.0)
    network, dataset = two_components()
    options = {"random_state": 3, "prior": 1.5, "stopping": Stopping(tol=0, max_iter=6)}
    *_, here = learn(network, dataset, method, executor=Team(Recorder(), 1), **options)
    for size, shares_from in itertools.product((2, 3), (0.0, np.inf)):
        *_, there = learn(network, dataset, method, executor=Team(Recorder(), size, shares_from=shares_from), **options)
        same(here, there)


def test_processes_find_the_same_bits(monkeypatch):
    """Who starts them anew has the constants as they are."""
    for name, value in CONSTANTS.items():
        monkeypatch.setattr(groves, name, value)
    network = diamonds()
    dataset = scattered(network, 80)
    options = {"random_state": 3, "stopping": Stopping(tol=0, max_iter=3)}
    *_, here = learn(network, dataset, "em", executor=Team(Recorder(), 1), **options)
    objective = make_task(network, dataset).objective
    assert max(map(len, Workspace(objective).find_groves(objective.terms[0]))) >= groves.FEWEST_JOBS
    with ProcessPoolExecutor(2) as pool:
        team = Team(pool, 3, shares_from=0.0)
        *_, there = learn(network, dataset, "em", executor=team, **options)
    same(here, there)
    assert not team.trouble
