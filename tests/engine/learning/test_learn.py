"""Learning from start to end: restarts, what is reported, and data at the edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.learning import learn as learning
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.model.dataset import make_dataset
from engine.model.errors import ImpossibleEvidenceError, ModelError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from engine.simulation.missingness import hide
from engine.simulation.sampling import simulate
from tests import oracles, strategies
from tests.engine.learning.models import cells, chain, chain_data, latent_class, latent_data, random_network
from tests.plain import filled_exponents, plain_data, plain_model

pytestmark = pytest.mark.filterwarnings("error")

METHODS = ["em", "d-em", "em-textbook"]
COIN = ("a", "b")


def run(network, dataset, method="d-em", tol=1e-3, max_iter=1000, **options):
    return list(learn(network, dataset, method, stopping=Stopping(tol=tol, max_iter=max_iter), **options))


# Going on


@pytest.mark.parametrize("cells_in_a_batch", [20_000_000, 1])
@pytest.mark.parametrize("method", METHODS)
def test_what_goes_on_after_a_stop_ends_where_it_would_have(method, cells_in_a_batch, monkeypatch):
    """The same parameters and iterations of every restart, and all that is counted is counted on."""
    monkeypatch.setattr(learning, "MOST_BATCH_CELLS", cells_in_a_batch)
    network, dataset = latent_class(), latent_data()
    options = {"n_init": 3, "random_state": 2, "tol": 0.0}
    whole = run(network, dataset, method, max_iter=25, **options)[-1]
    half = run(network, dataset, method, max_iter=10, **options)[-1]
    first, *_, last = run(network, dataset, method, max_iter=25, tol=0.0, resume=half)
    np.testing.assert_array_equal(first.theta, half.theta)
    np.testing.assert_allclose(first.objective.sum(axis=1), half.objective.sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(last.theta, whole.theta, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(last.iterations, whole.iterations)
    assert (first.iteration, last.iteration, last.stop) == (10, whole.iteration, "iterations")
    assert last.seconds > half.seconds
    assert whole.inferences <= last.inferences <= whole.inferences + half.inferences


def test_what_has_converged_is_left_as_it_is():
    network, dataset = latent_class(), latent_data()
    done = run(network, dataset)[-1]
    assert done.stop == "converged"
    last = run(network, dataset, resume=done)[-1]
    assert (last.stop, last.iteration) == ("converged", done.iteration)
    np.testing.assert_array_equal(last.theta, done.theta)


@pytest.mark.parametrize("method", METHODS)
def test_going_on_that_is_cancelled_at_once_loses_nothing(method):
    network, dataset = latent_class(), latent_data()
    half = run(network, dataset, method, tol=0.0, max_iter=5, n_init=2)[-1]
    last = run(network, dataset, method, resume=half, cancelled=lambda: True)[-1]
    assert last.stop == "cancelled"
    np.testing.assert_array_equal(last.theta, half.theta)
    np.testing.assert_allclose(last.objective.sum(axis=1), half.objective.sum(axis=1), rtol=1e-12)


# Restarts


@pytest.mark.parametrize("cells_in_a_batch", [20_000_000, 1])
@pytest.mark.parametrize("method", METHODS)
def test_restarts_together_are_as_each_alone(method, cells_in_a_batch, monkeypatch):
    """In one batch, or each in its own: the parameters, objective and iterations of each start."""
    monkeypatch.setattr(learning, "MOST_BATCH_CELLS", cells_in_a_batch)
    network, dataset = chain(), chain_data()
    together = run(network, dataset, method, n_init=4, random_state=2)
    last = together[-1]
    assert last.theta.shape[0] == 4
    assert last.stop == "converged"
    generator = np.random.default_rng(2)
    for k in range(4):
        alone = run(network, dataset, method, random_state=generator)
        np.testing.assert_allclose(last.theta[k], alone[-1].theta[0], atol=1e-10)
        np.testing.assert_allclose(last.objective[k], alone[-1].objective[0], atol=1e-9)
        np.testing.assert_array_equal(last.iterations[k], alone[-1].iterations[0])
        if cells_in_a_batch > 1:
            trace = [float(s.objective[k].sum()) for s in together[: len(alone)]]
            np.testing.assert_allclose(trace, [float(s.objective.sum()) for s in alone], atol=1e-8)


def test_the_best_restart_is_the_best():
    network, dataset = latent_class(), latent_data()
    last = run(network, dataset, n_init=8, random_state=5)[-1]
    objectives = [oracles.log_likelihood(*plain_model(last.network(k)), *plain_data(dataset)) for k in range(8)]
    assert max(objectives) - min(objectives) > 0.1  # several optima, or the test shows nothing
    assert last.best == int(np.argmax(objectives))
    np.testing.assert_allclose(last.objective.sum(axis=1), objectives, rtol=1e-9)
    np.testing.assert_array_equal(last.network().tables[1], last.network(last.best).tables[1])


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_run(method):
    network, dataset = chain(), chain_data()
    first, second = (run(network, dataset, method, n_init=3, random_state=1) for _ in range(2))
    assert len(first) == len(second)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a.theta, b.theta)


def test_batches_report_the_worst_reason(monkeypatch):
    """The first restart of two needs more iterations than allowed, the second does not."""
    network, dataset = chain(), chain_data()
    lengths = [run(network, dataset, "em", random_state=seed)[-1].iteration for seed in range(4)]
    slow, fast = int(np.argmax(lengths)), int(np.argmin(lengths))
    limit = (lengths[slow] + lengths[fast]) // 2
    assert lengths[fast] < limit < lengths[slow]
    starts = np.stack([run(network, dataset, random_state=seed, max_iter=0)[0].theta[0] for seed in (slow, fast)])
    monkeypatch.setattr(learning, "make_starts", lambda *_: starts)
    monkeypatch.setattr(learning, "MOST_BATCH_CELLS", 1)
    snapshots = run(network, dataset, "em", n_init=2, max_iter=limit)
    assert [s.stop for s in snapshots if s.stop] == ["iterations"]
    assert snapshots[-1].converged[:, 0].tolist() == [False, True]


def test_batches_share_the_time(monkeypatch):
    network, dataset = chain(), chain_data()
    monkeypatch.setattr(learning, "MOST_BATCH_CELLS", 1)
    clock = iter(range(100_000))
    monkeypatch.setattr("engine.learning.stopping.time.perf_counter", lambda: float(next(clock)))
    *_, last = learn(network, dataset, n_init=3, stopping=Stopping(tol=0.0, max_seconds=9.0))
    assert last.stop == "time"
    assert last.iterations.max(axis=1)[1:].tolist() == [0, 0]
    assert np.isfinite(last.objective).all()


# Counting, and complete data


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_counting_equals_counts(data):
    network = data.draw(strategies.bayesian_networks())
    prior = data.draw(strategies.priors(network))
    dataset = simulate(network, data.draw(st.integers(1, 30)), data.draw(st.integers(0, 99)))
    start = network.with_tables([np.full(t.shape, 1 / t.shape[-1]) for t in network.tables])
    last = run(network, dataset, "counting", prior=prior, start=start)[-1]
    assert last.stop == "converged"
    assert last.iteration == 1
    exponents = filled_exponents(network, prior)
    unseen = []
    for v, (scope, psi) in enumerate(zip(network.scopes, exponents, strict=True)):
        counts = psi - 1
        for codes in dataset.codes.T:
            counts[tuple(codes[u] for u in scope)] += 1
        np.testing.assert_allclose(last.network().tables[v], oracles.normalised(counts, start.tables[v]), atol=1e-12)
        sums = counts.sum(axis=-1).reshape(-1)
        unseen += [(v, int(row)) for row in np.flatnonzero(sums == 0)]
    assert last.unseen() == unseen


@pytest.mark.parametrize("rows", [["a?b"], ["aab", "?bb"]])
def test_counting_refuses_incomplete_data(rows):
    network = chain(3)
    said = r"counting needs complete data, but values of 'X\d' are missing \(1 of \d cells\); use em"
    with pytest.raises(ModelError, match=said):
        run(network, cells(network, rows), "counting")


def test_counting_refuses_likelihood_cells():
    network = chain(2)
    with pytest.raises(ModelError, match="values of 'X1' are missing"):
        run(network, make_dataset(network.variables, [["a", (0.5, 1.0)]]), "counting")


@pytest.mark.parametrize("method", METHODS)
def test_complete_data_have_one_optimum(method):
    """EM reaches it in one step from any start, whatever the method."""
    network = latent_class()
    dataset = simulate(network, 100, 8)
    counting = run(network, dataset, "counting", prior=1.5)[-1]
    em = run(network, dataset, method, prior=1.5, max_iter=1)[-1]
    np.testing.assert_allclose(em.theta, counting.theta, atol=1e-12)
    assert em.objective.sum() == pytest.approx(counting.objective.sum(), rel=1e-12)


@pytest.mark.parametrize("start", ["random", "uniform"])
def test_only_leaves_missing_has_one_optimum(start):
    """Leaves missing in some rows: complete rows decide, and EM and D-EM reach the same objective."""
    network = latent_class()
    complete = simulate(network, 80, 8)
    codes = complete.codes.copy()
    generator = np.random.default_rng(0)
    codes[1:][generator.random(codes[1:].shape) < 0.3] = -1
    dataset = make_dataset(network.variables, [[None if c < 0 else "abc"[c] for c in column] for column in codes.T])
    found = {m: run(network, dataset, m, start=start, tol=1e-10)[-1] for m in METHODS}
    for v in range(1, 5):
        seen = codes[v] >= 0
        counts = np.zeros((3, 3))
        np.add.at(counts, (codes[0, seen], codes[v, seen]), 1)
        for last in found.values():
            np.testing.assert_allclose(last.network().tables[v], counts / counts.sum(axis=1, keepdims=True), atol=1e-7)
    objectives = [float(last.objective.sum()) for last in found.values()]
    assert objectives == pytest.approx([objectives[0]] * 3, abs=1e-6)


# What is reported


def test_unseen_parent_configurations_keep_their_start():
    """Y = y never occurs with X = b; the rest of the table is counted."""
    network = random_network("XYZ", [(), (), (0, 1)])
    dataset = cells(network, ["aaa", "bab", "aba", "abb"])
    for method in (*METHODS, "counting"):
        last = run(network, dataset, method, start="current", max_iter=2)[-1]
        assert last.unseen() == [(2, 3)]
        table = last.network().tables[2]
        np.testing.assert_array_equal(table[1, 1], network.tables[2][1, 1])
        np.testing.assert_allclose(table.reshape(4, 2)[:3], [[1, 0], [0.5, 0.5], [0, 1]])


def test_configurations_that_became_impossible_are_unseen():
    """With θ(H = b) = 0, nothing is learned about what H = b does."""
    network = random_network("HX", [(), (0,)]).with_tables([[1.0, 0.0], [[0.5, 0.5], [0.25, 0.75]]])
    last = run(network, cells(network, ["?a", "?b", "?b"]), start="current")[-1]
    assert last.unseen() == [(1, 1)]
    np.testing.assert_allclose(last.network().tables[1], [[1 / 3, 2 / 3], [0.25, 0.75]])


def test_a_prior_leaves_nothing_unseen():
    network = random_network("XYZ", [(), (), (0, 1)])
    last = run(network, cells(network, ["aaa"]), prior=2.0)[-1]
    assert last.unseen() == []
    np.testing.assert_allclose(last.network().tables[2].reshape(4, 2)[1:], 0.5)


@pytest.mark.parametrize("method", ["em", "d-em"])
def test_an_impossible_start_is_refused_with_advice(method):
    network = random_network("HXZ", [(), (0,), ()])
    start = network.with_tables([[0.5, 0.5], [[1.0, 0.0], [1.0, 0.0]], [0.5, 0.5]])
    with pytest.raises(ImpossibleEvidenceError, match=r"probability 0 under the starting.*'H', 'X'.*start from other"):
        run(network, cells(network, ["?aa", "?ba"]), method, start=start)


def test_an_impossible_start_of_the_textbook_names_the_network():
    network = random_network("HXZ", [(), (0,), ()])
    start = network.with_tables([[0.5, 0.5], [[1.0, 0.0], [1.0, 0.0]], [0.5, 0.5]])
    with pytest.raises(ImpossibleEvidenceError, match="parameters of the network"):
        run(network, cells(network, ["?ba"]), "em-textbook", start=start)


@pytest.mark.parametrize("method", ["em", "d-em", "counting"])
@pytest.mark.parametrize("criterion", ["parameters", "likelihood"])
def test_complete_components_need_no_possible_start(method, criterion):
    """Counting does not look at its start; a zero there is no reason to refuse."""
    network = random_network("XY", [(), (0,)])
    start = network.with_tables([[1.0, 0.0], network.tables[1]])
    *_, last = learn(network, cells(network, ["aa", "ba"]), method, start=start, stopping=Stopping(criterion=criterion))
    np.testing.assert_allclose(last.network().tables[0], [0.5, 0.5])
    assert last.stop == "converged"


@pytest.mark.parametrize("criterion", ["parameters", "likelihood"])
def test_a_zero_start_under_a_prior_is_left_at_once(criterion):
    """The log prior of the start is −∞, its likelihood is not: the first step is finite."""
    network = random_network("HX", [(), (0,)])
    start = network.with_tables([[1.0, 0.0], network.tables[1]])
    first, second, *_, last = learn(
        network, cells(network, ["?a", "?b"]), start=start, prior=2.0, stopping=Stopping(criterion=criterion)
    )
    assert np.isneginf(first.objective.sum())
    assert np.isfinite(second.objective).all()
    assert last.stop == "converged"


def test_a_zero_weight_row_may_be_impossible():
    network = random_network("HX", [(), (0,)])
    start = network.with_tables([[0.5, 0.5], [[1.0, 0.0], [1.0, 0.0]]])
    for method in METHODS:
        last = run(network, cells(network, ["?a", "?b"], [2.0, 0.0]), method, start=start)[-1]
        assert last.log_likelihood.sum() == pytest.approx(0.0)


# Data at the edges


@pytest.mark.parametrize("method", [*METHODS, "counting"])
@pytest.mark.parametrize("prior", [1.0, 3.0])
def test_no_rows(method, prior):
    """Nothing is known: the start stays, or the prior's mode is learned."""
    network = chain(4)
    first, *_, last = run(network, cells(network, []), method, start="current", prior=prior)
    assert last.stop == "converged"
    assert last.log_likelihood.sum() == 0.0
    for table, other in zip(last.network().tables, network.tables, strict=True):
        np.testing.assert_allclose(table, other if prior == 1.0 else 0.5, atol=1e-12)
    assert first.objective.sum() <= last.objective.sum()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("prior", [1.0, 3.0])
def test_everything_hidden(method, prior):
    network = chain(4)
    last = run(network, cells(network, ["????"] * 3), method, start="current", prior=prior, tol=1e-10)[-1]
    assert last.stop == "converged"
    assert last.log_likelihood.sum() == pytest.approx(0.0, abs=1e-9)
    for table, other in zip(last.network().tables, network.tables, strict=True):
        np.testing.assert_allclose(table, other if prior == 1.0 else 0.5, atol=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_rows_without_weight_count_for_nothing(method):
    network = chain(4)
    rows = ["a?bb", "ab?a", "b?aa"]
    expected = run(network, cells(network, rows), method)[-1]
    more = run(network, cells(network, [*rows, "bbbb", "b?ba"], [1, 1, 1, 0, 0]), method)[-1]
    np.testing.assert_allclose(more.theta, expected.theta, atol=1e-9)
    nothing = run(network, cells(network, rows, [0, 0, 0]), method, start="current")[-1]
    for table, other in zip(nothing.network().tables, network.tables, strict=True):
        np.testing.assert_array_equal(table, other)


@pytest.mark.parametrize("method", METHODS)
def test_weights_are_repeated_rows(method):
    network = chain(4)
    weighted = run(network, cells(network, ["a?bb", "ab?a"], [3, 1]), method)[-1]
    repeated = run(network, cells(network, ["a?bb", "ab?a", "a?bb", "a?bb"]), method)[-1]
    np.testing.assert_allclose(weighted.theta, repeated.theta, atol=1e-9)
    assert weighted.objective.sum() == pytest.approx(repeated.objective.sum(), rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_variables_of_one_state(method):
    """They have nothing to learn, and join nothing, be they missing, observed or soft."""
    nodes = (Variable("C", ("only",)), *(Variable(name, COIN) for name in "HAB"), Variable("D", ("one",)))
    table = [[0.9, 0.1], [0.3, 0.7]]
    network = BayesianNetwork(
        nodes, ((), (0,), (0, 1), (0,), (1,)), ([1.0], [[0.4, 0.6]], [table], [[0.5, 0.5]], [[1.0], [1.0]])
    )
    rows = [[None, None, "a", "b", None], ["only", None, "b", "b", (2.0,)], [None, None, "b", "a", "one"]]
    dataset = make_dataset(nodes, rows)
    before, *_, last = run(network, dataset, method, start="current", max_iter=1)
    expected = oracles.em_step(*plain_model(network), *plain_data(dataset), filled_exponents(network, 1.0))
    for found, other in zip(last.network().tables, expected, strict=True):
        np.testing.assert_allclose(found, other, atol=1e-12)
    total = oracles.log_likelihood(*plain_model(network), *plain_data(dataset))
    assert before.log_likelihood.sum() == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_a_network_without_variables(method):
    network = BayesianNetwork((), (), ())
    last = run(network, make_dataset((), [[], []]), method, n_init=2)[-1]
    assert last.stop == "converged"
    assert last.objective.sum() == 0.0


def test_data_over_other_variables_are_refused():
    network = chain(3)
    with pytest.raises(ModelError, match="align it first"):
        run(network, chain_data(5, 4))


def test_an_unknown_method_is_refused():
    with pytest.raises(ModelError, match="'magic' is not known; use one of auto, d-em, em"):
        run(chain(), chain_data(), "magic")


def test_decomposed_em_reaches_what_em_reaches():
    """From the same start, where each component has one optimum within reach."""
    network, dataset = chain(), hide(simulate(chain(), 200, 3), ["X8"])
    em, decomposed = (run(network, dataset, m, tol=1e-9)[-1] for m in ("em", "d-em"))
    np.testing.assert_allclose(decomposed.objective, em.objective, atol=1e-9)
