"""The objective as a sum of signed terms: Markov networks against enumeration, and learned by what knows no kind."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from engine.inference import levels, tape
from engine.inference.plan import BYTES_PER_CELL, MEMORY_LIMIT
from engine.learning.bounds import find_bounds
from engine.learning.decomposition import decompose
from engine.learning.learn import learn
from engine.learning.learner import evaluate_state
from engine.learning.learners.edml import EDML
from engine.learning.markov_bounds import Fit, find_markov_bounds
from engine.learning.methods import METHODS, Method
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.learning.workspace import Workspace
from engine.model.dataset import Dataset, make_dataset
from engine.model.errors import ModelError
from engine.model.network import MarkovNetwork, as_markov
from engine.model.variable import Variable
from engine.simulation.missingness import hide
from engine.simulation.sampling import simulate
from pgmgui.project.examples import find_example
from tests import oracles, strategies
from tests.engine.learning.models import COIN, chain, evaluate, positive, random_network
from tests.plain import plain_data, plain_model

pytestmark = pytest.mark.filterwarnings("error")


def likelihood_of(network, dataset, tables):
    """Σ w log Z(row) − N log Z, by enumeration."""
    cardinalities, scopes, _ = plain_model(network)
    rows, weights = plain_data(dataset)
    nothing = [[None] * len(cardinalities)]
    data = oracles.log_likelihood(cardinalities, scopes, tables, rows, weights)
    return data - oracles.log_likelihood(cardinalities, scopes, tables, nothing, [float(sum(weights))])


@st.composite
def problems(draw, most=5, most_rows=6):
    """A network with scopes of up to four variables, nested and equal ones, up to four states, zeros, and factors of
    1e-12 to 1e40; and rows that its zeros do not exclude, with likelihoods and weights."""
    network = draw(strategies.markov_networks(most, widest=4, states=4))
    if draw(st.booleans()):  # else mostly zeros and small numbers
        network = positive(network, np.random.default_rng(draw(st.integers(0, 99))))
    dataset = draw(strategies.datasets(network.variables, most_rows))
    joint = oracles.joint_weights(*plain_model(network), {})
    cardinalities, rows = plain_model(network)[0], plain_data(dataset)[0]
    possible = [k for k, row in enumerate(rows) if oracles.row_joint(cardinalities, joint, row).sum() > 0]
    assume(possible)
    return network, dataset.take(np.array(possible))


@pytest.fixture(params=["cliques", "levels"])
def way(request, monkeypatch):
    """How log Z is found: clique by clique, or level by level however few cliques a level has.

    And how counts are: those of rows that read the same apart, however few there are, or not.
    """
    monkeypatch.setattr(levels, "FEWEST_AT_A_TIME", {"cliques": math.inf, "levels": 0}[request.param])
    monkeypatch.setattr(tape, "FEWEST_STEADY", {"cliques": 0, "levels": math.inf}[request.param])


same_way = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)


@same_way
@given(problem=problems())
def test_a_markov_network_is_its_data_minus_its_partition_function(way, problem):
    network, dataset = problem
    task = make_task(network, dataset)
    theta = task.layout.flatten(network.tables)
    found = Workspace(task.objective).evaluate(theta)
    expected = likelihood_of(network, dataset, network.tables)
    assert found.log_likelihood.sum() == pytest.approx(expected, rel=1e-9, abs=1e-9)
    counts = oracles.expected_counts(*plain_model(network), *plain_data(dataset))
    np.testing.assert_allclose(found.counts, task.layout.flatten(counts), rtol=1e-9, atol=1e-9)
    nothing = [[None] * len(network.variables)], [dataset.total_weight]
    model_counts = oracles.expected_counts(*plain_model(network), *nothing)
    np.testing.assert_allclose(found.model_counts, task.layout.flatten(model_counts), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("states", [127, 128, 129, 300])
def test_complete_data_is_counted_whatever_the_size_of_a_table(states):
    """Cells are numbered in integers as small as the table allows."""
    variables = Variable("One", ("only",)), Variable("Many", tuple(map(str, range(states)))), Variable("Coin", COIN)
    shapes = (states,), (1, states), (states, 2), ()
    network = MarkovNetwork(variables, ((1,), (0, 1), (1, 2), ()), tuple(map(np.ones, shapes)))
    rows = [["only", str(k % states), COIN[k % 2]] for k in range(3 * states)]
    counts = make_task(network, make_dataset(network.variables, rows)).objective.counts
    pairs = np.zeros((states, 2))
    for k in range(3 * states):
        pairs[k % states, k % 2] += 1
    expected = [pairs.sum(axis=1), pairs.sum(axis=1), pairs.reshape(-1), [3 * states]]
    np.testing.assert_array_equal(counts, np.concatenate(expected))


@settings(same_way, max_examples=20)
@given(problem=problems(4, 4))
def test_the_slope_is_the_difference_of_both_counts(problem):
    """By finite differences of the enumerated likelihood; a zero has no slope."""
    network, dataset = problem
    task = make_task(network, dataset)
    theta = task.layout.flatten(network.tables)
    state = evaluate(task, theta)
    slope = task.geometry.pull_back(theta, state.counts, state.model_counts)
    h = 1e-5
    for k in range(len(theta)):
        ends = [task.layout.tables(theta * np.exp(s * h * (np.arange(len(theta)) == k))) for s in (1, -1)]
        above, below = (likelihood_of(network, dataset, tables) for tables in ends)
        assert slope[k] == pytest.approx((above - below) / (2 * h), rel=1e-5, abs=1e-5)
    assert (slope[theta == 0] == 0).all()


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_factor_belongs_to_one_component_and_its_data_term_to_no_other(data):
    """Changing a factor changes the data term of its own component only."""
    network = positive(data.draw(strategies.markov_networks(5)), np.random.default_rng(data.draw(st.integers(0, 99))))
    dataset = data.draw(strategies.datasets(network.variables))
    task = make_task(network, dataset)
    factors = [f for component in task.decomposition.components for f in component.factors]
    assert sorted(factors) == list(range(len(network.scopes)))
    theta = task.layout.flatten(network.tables)
    before = evaluate(task, theta).log_likelihood
    for factor, component in enumerate(task.decomposition.component_of):
        changed = theta.copy()
        changed[task.layout.starts[factor]] *= 1.7
        after = evaluate(task, changed).log_likelihood
        others = np.delete(np.arange(len(before) - 1), component)
        np.testing.assert_allclose(after[others], before[others], rtol=1e-12, atol=1e-12)


def test_the_grid_of_the_paper_falls_apart_as_it_says():
    """§4 [compression]: the 3 × 3 grid with 2, 3, 4, 5, 7, 9 observed, and its four rows."""
    edges = [(1, 2), (1, 4), (2, 3), (2, 5), (3, 6), (4, 5), (4, 7), (5, 6), (5, 8), (6, 9), (7, 8), (8, 9)]
    nodes = tuple(Variable(f"{k}", COIN) for k in range(1, 10))
    network = MarkovNetwork(nodes, tuple((a - 1, b - 1) for a, b in edges), tuple(np.ones((2, 2)) for _ in edges))
    hidden = {1, 6, 8}
    rows = [[None if k in hidden else "a" for k in range(1, 10)] for _ in range(2)]
    found = decompose(network, make_dataset(nodes, rows)).components
    named = {frozenset(edges[f] for f in component.factors) for component in found}
    assert named == {
        frozenset({(1, 2), (1, 4)}),
        frozenset({(3, 6), (5, 6), (6, 9)}),
        frozenset({(5, 8), (7, 8), (8, 9)}),
        *(frozenset({edge}) for edge in [(2, 3), (2, 5), (4, 5), (4, 7)]),
    }
    first = next(c for c in found if 0 in c.factors)
    assert (first.variables, first.boundary) == ((0,), (1, 3))


def test_the_four_rows_of_the_paper_are_two_for_the_first_component():
    """(t, f, f) twice and (?, t, f) twice, over 1, 2 and 4."""
    document, data = find_example("thesis-grid").read()
    found = decompose(document.network, data.dataset)
    assert len(found.components) == 7
    rows = found.project(next(c for c in found.components if 0 in c.factors))
    names = [variable.name for variable in rows.variables]
    shown = {
        tuple(
            "?" if code < 0 else variable.states[code] for variable, code in zip(rows.variables, codes, strict=True)
        ): weight
        for codes, weight in zip(rows.codes.T, rows.weights, strict=True)
    }
    assert (names, shown) == (["1", "2", "4"], {("t", "f", "f"): 2.0, ("?", "t", "f"): 2.0})


COUNTS = [4, 18, 2, 13, 1, 1, 42, 19]


def triangle():
    """§5.5 [thesis]: A, B, C in a triangle, and the counts of all eight rows."""
    nodes = tuple(Variable(name, COIN) for name in "ABC")
    rows = [list(row) for row in itertools.product(COIN, repeat=3)]
    scopes = ((0, 1), (1, 2), (0, 2))
    network = MarkovNetwork(nodes, scopes, tuple(np.ones((2, 2)) for _ in scopes))
    return network, make_dataset(nodes, rows, COUNTS)


MARKOV_METHODS = [name for name, method in METHODS.items() if MarkovNetwork in method.kinds and method.settles]


@pytest.mark.parametrize("method", MARKOV_METHODS)
def test_the_triangle_of_the_thesis_is_learned(method):
    """From uniform factors ℓ = −207.9442; the optimum is −155.513378, with these fitted counts."""
    network, dataset = triangle()
    stopping = Stopping(tol=1e-10, criterion="likelihood", max_iter=5000, patience=3)
    snapshots = list(learn(network, dataset, method, start="current", stopping=stopping))
    trace = [float(s.objective[0].sum()) for s in snapshots]
    assert trace[0] == pytest.approx(-207.9442, abs=1e-4)
    assert trace[-1] == pytest.approx(-155.513378, abs=1e-6)
    assert all(b >= a - 1e-10 for a, b in itertools.pairwise(trace))
    cardinalities, scopes, tables = plain_model(snapshots[-1].network())
    joint = oracles.joint_weights(cardinalities, scopes, tables, {})
    fitted = 100 * (joint / joint.sum()).reshape(-1)
    expected = [3.6177, 18.3823, 2.3823, 12.6177, 1.3823, 0.6177, 41.6177, 19.3823]
    np.testing.assert_allclose(fitted, expected, atol=1e-4 if method.endswith(("lbfgs", "cg")) else 1e-2)


@pytest.mark.parametrize("steps", [(0.5, [-165.6827, -158.2748]), (0.0, [-173.4498, -207.5062])])
def test_all_factors_at_once_need_damping(steps):
    """§5.5 [thesis]: half of the old factors kept, it climbs; with none, it is thrown away from the optimum."""
    damping, expected = steps
    network, dataset = triangle()
    stopping = Stopping(tol=0.0, max_iter=45 if damping else 2)
    *trace, last = learn(network, dataset, Method("EDML", EDML(damping)), start="current", stopping=stopping)
    assert [float(s.objective.sum()) for s in [*trace, last][1:3]] == pytest.approx(expected, abs=1e-4)
    assert (float(last.objective.sum()) > -155.513378 - 1e-6) == (damping > 0)
    if damping:
        first = trace[1].network().tables[0]  # θ_AB after the first step: half way to what the data says
        np.testing.assert_allclose(first / first.sum(), (0.25 + np.array([[22, 15], [2, 61]]) / 100) / 2, atol=1e-12)


@pytest.mark.filterwarnings("error")
def test_what_diverges_says_so():
    """Undamped, the factors leave all numbers: an error, and no NaN or warning on the way."""
    network, dataset = triangle()
    run = learn(network, dataset, "edml-undamped", start="current", stopping=Stopping(0.0, max_iter=5000))
    heights = []
    with pytest.raises(ModelError, match=r"EDML without damping has diverged.*; use edml"):
        heights.extend(float(snapshot.objective.sum()) for snapshot in run)
    assert len(heights) > 50
    assert np.isfinite(heights).all()
    assert heights[-1] < -10_000


@settings(max_examples=40, deadline=None)
@given(network=strategies.markov_networks(4, widest=4, states=4), seed=st.integers(0, 99))
def test_in_turn_is_iterative_proportional_fitting_on_complete_data(network, seed):
    """Step by step: θ_f ← θ_f n(x_f) / (N Pr(x_f)), one factor after the other, by enumeration."""
    generator = np.random.default_rng(seed)
    network = positive(network, generator)
    rows = [[str(generator.choice(variable.states)) for variable in network.variables] for _ in range(10)]
    weights = generator.integers(1, 5, 10).astype(float)
    dataset = make_dataset(network.variables, rows, weights)
    cardinalities, scopes, tables = plain_model(network)
    tables = [table / table.max() for table in tables]
    counts = oracles.expected_counts(cardinalities, scopes, tables, *plain_data(dataset))
    stopping = Stopping(tol=0.0, max_iter=4)
    for method in ("edml-in-turn", "ipf", "d-edml-in-turn"):
        fitted = list(tables)
        for snapshot in list(learn(network, dataset, method, start="current", stopping=stopping))[1:]:
            for f, scope in enumerate(scopes):
                joint = oracles.joint_weights(cardinalities, scopes, fitted, {})
                model = weights.sum() * oracles.marginal(joint / joint.sum(), scope)
                fitted[f] = fitted[f] * np.divide(counts[f], model, out=np.zeros_like(model), where=model > 0)
            ours, expected = (
                oracles.joint_weights(cardinalities, scopes, found, {}) for found in (snapshot.network().tables, fitted)
            )
            np.testing.assert_allclose(ours / ours.sum(), expected / expected.sum(), rtol=1e-9, atol=1e-12)


def dense_problem(kind, seed=0):
    """Scopes of one to three variables, nested and equal ones, two and three states; every cell has rows."""
    nodes = (Variable("A", COIN), Variable("B", ("a", "b", "c")), Variable("C", COIN), Variable("D", COIN))
    scopes = {
        "ring": ((0, 1), (1, 2), (2, 3), (3, 0)),
        "nested": ((0, 1, 2), (0, 1), (1,), (2, 3), (3, 2), (0, 3)),
    }[kind]
    generator = np.random.default_rng(seed)
    rows = [list(row) for row in itertools.product(*(node.states for node in nodes))]
    weights = generator.integers(1, 12, len(rows)).astype(float)
    tables = tuple(generator.lognormal(0, 1, [nodes[v].cardinality for v in scope]) for scope in scopes)
    return MarkovNetwork(nodes, scopes, tables), make_dataset(nodes, rows, weights)


@pytest.mark.parametrize("kind", ["ring", "nested"])
@pytest.mark.parametrize("method", MARKOV_METHODS)
def test_all_learners_reach_one_optimum_on_complete_data(method, kind):
    """The problem is concave; the reference is iterative proportional fitting of the enumerated joint."""
    network, dataset = dense_problem(kind)
    best = oracles.fit_scopes(*plain_model(network)[:2], *plain_data(dataset), rounds=2000)
    stopping = Stopping(tol=1e-8, criterion="likelihood", max_iter=5000, patience=3)
    *_, last = learn(network, dataset, method, n_init=2, stopping=stopping)
    reached = last.objective.sum(axis=1)
    if METHODS[method].learner.chooses_units:  # it leaves those that are not needed
        reached = reached.max()
    np.testing.assert_allclose(reached, best, rtol=1e-6)


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_tables_whose_parents_are_joined_have_their_own_likelihood_as_factors(data):
    """The chordal case: on complete data the factors reach what counting the tables reaches."""
    count = data.draw(st.integers(2, 5))
    parents = [()]
    for v in range(1, count):  # all parents from one family before: the moral graph adds no edge
        other = data.draw(st.integers(0, v - 1))
        family = (*parents[other], other)
        parents.append(tuple(p for p in family if data.draw(st.booleans())))
    network = random_network([f"X{v}" for v in range(count)], parents, ("a", "b", "c"), seed=1)
    dataset = simulate(network, 40, data.draw(st.integers(0, 99)))
    *_, counted = learn(network, dataset, "counting")
    markov = as_markov(network)
    for method in ("ipf", "lbfgs"):
        *_, last = learn(markov, dataset, method, stopping=Stopping(1e-9, "likelihood", max_iter=3000, patience=3))
        reached = counted.objective.sum()
        assert last.objective.sum() == pytest.approx(reached, rel=1e-6, abs=1e-6 if method == "ipf" else 1e-3)
    assert find_markov_bounds(make_task(markov, dataset)).scopes == Fit(pytest.approx(reached, abs=1e-8), "exact")


LEARNERS = {name: METHODS[name].learner for name in ("em", "edml", "hybrid", "lbfgs", "cg", "edml-in-turn")}


@pytest.mark.parametrize("name", LEARNERS)
def test_decomposed_learners_take_the_path_of_whole_ones(name):
    """Against one inference on the whole network per distinct row: the same steps, to 1e-9."""
    network, dataset = make_hidden(holes=0.0)
    stopping = Stopping(tol=0.0, max_iter=6)
    whole = learn(network, dataset, Method(name, LEARNERS[name], conditioned=False), stopping=stopping)
    apart = list(learn(network, dataset, f"d-{name}", stopping=stopping))
    assert apart[0].task.objective.n_components > 4
    for one, other in zip(whole, apart, strict=True):
        assert one.task.objective.n_components == 1
        assert other.objective.sum() == pytest.approx(one.objective.sum(), rel=1e-9)
        np.testing.assert_allclose(other.theta, one.theta, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("method", "network"), [("ipf", chain(3)), ("counting", triangle()[0])])
def test_a_method_for_the_other_kind_of_network_is_refused(method, network):
    dataset = make_dataset(network.variables, [["a"] * 3])
    with pytest.raises(ModelError, match=r"is for (Markov|Bayesian) networks"):
        next(iter(learn(network, dataset, method)))


def test_ipf_needs_complete_data():
    network, _ = triangle()
    said = r"IPF needs complete data, but values of 'B' are missing \(1 of 3 cells\); use em"
    with pytest.raises(ModelError, match=said):
        next(iter(learn(network, make_dataset(network.variables, [["a", None, "b"]]), "ipf")))


def make_hidden(holes=0.1):
    """A ring of six with two hidden variables and some holes in the others."""
    generator = np.random.default_rng(3)
    nodes = tuple(Variable(f"X{k}", COIN) for k in range(6))
    scopes = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5), (2,))
    network = MarkovNetwork(nodes, scopes, tuple(generator.lognormal(0, 1, (2,) * len(s)) for s in scopes))
    cells = [
        [None if k in (1, 4) or generator.random() < holes else str(generator.choice(COIN)) for k in range(6)]
        for _ in range(60)
    ]
    return network, make_dataset(nodes, cells)


@pytest.mark.parametrize("method", LEARNERS)
def test_hidden_variables_of_a_markov_network(method):
    """Monotone, the same decomposed or not, and at the end expected and model counts agree (Eq. B.2)."""
    network, dataset = make_hidden()
    stopping = Stopping(tol=1e-8, criterion="likelihood", max_iter=4000, patience=3)
    plain, apart = (list(learn(network, dataset, name, stopping=stopping)) for name in (method, f"d-{method}"))
    for one, other in zip(plain, apart, strict=True):
        np.testing.assert_allclose(one.theta, other.theta, rtol=1e-9)
        np.testing.assert_array_equal(other.converged, np.broadcast_to(other.converged[:, :1], other.converged.shape))
    trace = [float(s.objective.sum()) for s in plain]
    assert all(b >= a - 1e-9 for a, b in itertools.pairwise(trace))
    assert trace[-1] > trace[0] + 1
    assert trace[-1] == pytest.approx(likelihood_of(network, dataset, plain[-1].network().tables), abs=1e-8)
    state = evaluate(plain[-1].task, plain[-1].theta[0])
    np.testing.assert_allclose(state.counts, state.model_counts, atol=0.02)


def test_structural_zeros_stay():
    network, _ = triangle()
    network = network.with_tables([np.array([[1.0, 0.0], [2.0, 3.0]]), *network.tables[1:]])
    dataset = make_dataset(network.variables, [list("aaa"), list("bab"), ["b", "b", None]], [3.0, 2.0, 4.0])
    for method in (name for name in MARKOV_METHODS if not METHODS[name].complete):
        *_, last = learn(network, dataset, method, stopping=Stopping(max_iter=20))
        assert (last.network().tables[0] == 0).tolist() == [[False, True], [False, False]], method


def test_restarts_of_a_markov_network_are_one_batch():
    network, dataset = triangle()
    together = list(learn(network, dataset, "em", n_init=3, stopping=Stopping(max_iter=8, tol=0.0)))
    for k in range(3):
        start = together[0].network(k)
        alone = list(learn(network, dataset, "em", start=start, stopping=Stopping(max_iter=8, tol=0.0)))
        for one, batch in zip(alone, together, strict=True):
            np.testing.assert_allclose(one.theta[0], batch.theta[k], rtol=1e-9)
            np.testing.assert_allclose(one.objective[0], batch.objective[k], rtol=1e-9)


@pytest.mark.parametrize("kind", ["bayesian", "markov"])
def test_weights_of_any_sign(kind):
    """A term whose weights are turned round adds what it took away."""
    network = chain(4) if kind == "bayesian" else triangle()[0].with_tables([np.full((2, 2), 1.5)] * 3)
    names = [v.name for v in network.variables]
    dataset = make_dataset(network.variables, [["a", None, *["b"] * (len(names) - 2)], [None] * len(names)], [2.0, 3.0])
    task = make_task(network, dataset)
    theta = task.layout.flatten(network.tables)
    found = Workspace(task.objective).evaluate(theta)
    term = task.objective.terms[0]
    jobs = tuple(type(job)(job.part, -job.weights, job.component) for job in term.jobs)
    turned = type(term)(term.sign, -term.counts, term.component, jobs)
    objective = type(task.objective)(
        task.geometry,
        (turned, *task.objective.terms[1:]),
        task.objective.component,
        task.objective.n_components,
        task.objective.constant,
        task.objective.evidence,
    )
    other = Workspace(objective).evaluate(theta)
    np.testing.assert_allclose(other.counts, -found.counts, atol=1e-12)
    rest = found.log_likelihood[-1] if kind == "markov" else 0.0
    assert other.log_likelihood.sum() - rest == pytest.approx(rest - found.log_likelihood.sum(), rel=1e-12)


def test_rows_of_no_weight_count_nothing_even_if_impossible():
    network = chain(3).with_tables([np.array([1.0, 0.0]), np.eye(2), np.eye(2)])
    rows = make_dataset(network.variables, [["a", None, "a"], ["a", None, "b"]], [1.0, 0.0])
    task = make_task(network, rows)
    state = evaluate(task, task.layout.flatten(network.tables))
    assert state.log_likelihood.sum() == 0.0
    assert state.counts.sum() == pytest.approx(3.0)


@pytest.mark.parametrize("kind", [as_markov, lambda network: network])
def test_a_pass_takes_no_more_memory_than_it_may(kind):
    network = kind(random_network("ABCDE", [(), (0,), (1,), (2,), (3,)]))
    dataset = hide(simulate(network, 60, 3), ["B", "D"])
    theta = make_task(network, dataset).layout.flatten(network.tables)
    room = BYTES_PER_CELL * max(job.part.tree.cells for job in make_task(network, dataset).objective.jobs)
    found = []
    for limit in (MEMORY_LIMIT, 2 * room, room):
        work = Workspace(make_task(network, dataset, memory_limit=limit).objective.repeated(3))
        found.append(work.evaluate(np.tile(theta, 3)))
        for job, run in work._runs.items():
            assert run.tape.rows * job.part.tree.cells * BYTES_PER_CELL <= limit
    assert len(work._runs) < sum(len(run.chunks) for run in work._runs.values())
    for other in found[1:]:
        np.testing.assert_allclose(other.log_likelihood, found[0].log_likelihood, rtol=1e-12)
        np.testing.assert_allclose(other.counts, found[0].counts, rtol=1e-12, atol=1e-13)


def test_what_a_pass_costs_is_returned_by_it():
    network, dataset = triangle()
    hidden = Dataset(dataset.variables, np.where(np.arange(3)[:, None] == 1, -1, dataset.codes), dataset.weights)
    task = make_task(network, hidden)
    _, info = evaluate_state(Workspace(task.objective), task.layout.flatten(network.tables))
    assert info.propagated.tolist() == [4, 0, 1]  # A and C in four ways; {AC} is counted; one row for log Z


def test_bounds_are_those_of_bayesian_networks():
    with pytest.raises(ModelError, match="bounds of Bayesian networks"):
        find_bounds(make_task(*triangle()))
