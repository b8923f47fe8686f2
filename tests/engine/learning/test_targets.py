"""Learning from targets against brute force: IPFP on the enumerated joint, row by row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.learning.bounding import bound_task
from engine.learning.learn import learn
from engine.learning.methods import METHODS
from engine.learning.stopping import Stopping
from engine.learning.targets import fitting
from engine.learning.targets.splitting import split_targets
from engine.learning.task import make_task
from engine.learning.workspace import Workspace
from engine.model.dataset import FIRST_LIKELIHOOD, TargetCell, make_dataset
from engine.model.errors import ImpossibleEvidenceError, ModelError
from engine.model.network import MarkovNetwork
from tests import oracles, strategies
from tests.engine.learning.models import chain, evaluate, random_network
from tests.plain import plain_model, plain_rows

pytestmark = pytest.mark.filterwarnings("error")


def draw_cell(generator, variable, kind):
    """A cell of a kind: missing, a state, a likelihood, or a target, some of which have zeros."""
    if kind == "m":
        return None
    if kind == "h":
        return variable.states[generator.integers(variable.cardinality)]
    vector = generator.dirichlet(np.ones(variable.cardinality)) * 0.9 + 0.1 / variable.cardinality
    if variable.cardinality > 2 and generator.random() < 0.2:
        vector[0] = 0.0
    return TargetCell(tuple(vector / vector.sum())) if kind == "t" else tuple(3 * vector)


@st.composite
def target_problems(draw, most_targets=3, most=5):
    """A positive network, and rows of all kinds of cells with up to some targets each, two of which are equal."""
    network = draw(strategies.bayesian_networks(most))
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    tables = [generator.lognormal(0, 1.5, table.shape) for table in network.tables]
    network = network.with_tables([table / table.sum(axis=-1, keepdims=True) for table in tables])
    rows, columns = [], [generator.choice(list("mhst"), 2) for _ in network.variables]
    for _ in range(draw(st.integers(1, 6))):
        kinds = [str(generator.choice(kinds)) for kinds in columns]
        asked = [v for v, kind in enumerate(kinds) if kind == "t"]
        for v in asked[most_targets:]:
            kinds[v] = "m"
        rows.append([draw_cell(generator, v, kind) for v, kind in zip(network.variables, kinds, strict=True)])
    rows += rows[:1]
    return network, make_dataset(network.variables, rows, generator.choice([0.5, 1.0, 3.0], len(rows)))


def take_apart(dataset):
    """Rows without their targets, the targets of each, and the weights."""
    rows, targets = plain_rows(dataset), []
    for k, cells in enumerate(rows):
        wanted = np.flatnonzero(dataset.target_cells[:, k]).tolist()
        targets.append({v: cells[v].shares for v in wanted})
        for v in wanted:
            cells[v] = None
    return rows, targets, dataset.weights.tolist()


def start_of(task, network):
    return task.layout.flatten(network.tables)


def assert_counts(task, network, found, counts, places=1e-9):
    """That counts are as they should be; those of pruned variables are not kept."""
    for v, (own, right) in enumerate(zip(task.layout.tables(found), counts, strict=True)):
        if v not in task.decomposition.pruned:
            np.testing.assert_allclose(own, right, rtol=0, atol=places, err_msg=network.variables[v].name)


@settings(max_examples=60, deadline=None)
@given(target_problems(), st.booleans())
def test_counts_and_objective_are_those_of_the_nearest_distribution(problem, condition):
    network, dataset = problem
    counts, reached = oracles.jeffrey_counts(*plain_model(network), *take_apart(dataset))
    task = make_task(network, dataset, condition=condition)
    state = evaluate(task, start_of(task, network))
    assert state.objective.sum() == pytest.approx(reached, rel=1e-10, abs=1e-9)
    assert_counts(task, network, state.counts, counts)


@settings(max_examples=25, deadline=None)
@given(target_problems())
def test_fitting_by_propagation_finds_the_same(problem):
    """Where tables of all targets would be too large."""
    network, dataset = problem
    task = make_task(network, dataset)
    theta = start_of(task, network)
    by_table = evaluate(task, theta)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fitting, "MOST_CONFIGURATIONS", 0)
        again = evaluate(task, theta)
    np.testing.assert_allclose(again.objective, by_table.objective, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(again.counts, by_table.counts, rtol=0, atol=1e-8)


@settings(max_examples=25, deadline=None)
@given(target_problems(), st.sampled_from([1.0, 2.0]))
def test_a_step_of_em_is_that_of_brute_force(problem, prior):
    network, dataset = problem
    counts, _ = oracles.jeffrey_counts(*plain_model(network), *take_apart(dataset))
    steps = list(learn(network, dataset, "em", start="current", prior=prior, stopping=Stopping(tol=0, max_iter=1)))
    after = steps[-1].network()
    pruned = steps[-1].task.decomposition.pruned
    for v, (own, count, table) in enumerate(zip(after.tables, counts, network.tables, strict=True)):
        if v not in pruned:
            np.testing.assert_allclose(own, oracles.normalised(count + (prior - 1), table), atol=1e-8)


@settings(max_examples=25, deadline=None)
@given(target_problems(most_targets=1))
def test_splitting_rows_is_the_e_step_with_ipfp(problem):
    """One target a row: the same counts to 1e-10, found by another way."""
    network, dataset = problem
    split = split_targets(dataset)
    assert not split.dataset.targets
    counts, reached = oracles.jeffrey_counts(*plain_model(network), *take_apart(dataset))
    task = make_task(network, split.dataset)
    state = evaluate(task, start_of(task, network))
    assert_counts(task, network, state.counts, counts, 1e-10)
    assert state.objective.sum() + split.entropies.sum() == pytest.approx(reached, rel=1e-12, abs=1e-10)


@settings(max_examples=20, deadline=None)
@given(target_problems(), st.sampled_from(["d-em", "d-hybrid", "em"]))
def test_the_objective_never_falls(problem, method):
    network, dataset = problem
    stopping = Stopping(tol=0, max_iter=12)
    course = [s.objective.sum() for s in learn(network, dataset, method, random_state=3, stopping=stopping)]
    assert np.diff(course).min(initial=0.0) >= -1e-9 * (1 + abs(course[0]))


@settings(max_examples=20, deadline=None)
@given(target_problems())
def test_the_gradient_is_that_of_the_objective(problem):
    """∂J/∂θ = counts / θ, against finite differences; entries move on their own, as if nothing had to sum to 1."""
    network, dataset = problem
    task = make_task(network, dataset)
    theta = np.maximum(start_of(task, network), 1e-3)
    work = Workspace(task.objective)
    counts = work.evaluate(theta).counts
    generator = np.random.default_rng(0)
    direction = generator.normal(size=theta.size) * theta
    step = 1e-4
    ends = [work.evaluate(theta + sign * step * direction).log_likelihood.sum() for sign in (1, -1)]
    slope = (ends[0] - ends[1]) / (2 * step)
    assert slope == pytest.approx(float((counts / theta) @ direction), rel=1e-5, abs=1e-5)


@settings(max_examples=20, deadline=None)
@given(target_problems())
def test_whole_and_decomposed_are_one(problem):
    network, dataset = problem
    ways = [make_task(network, dataset, condition=condition) for condition in (True, False)]
    found = [evaluate(task, start_of(task, network)) for task in ways]
    assert found[0].objective.sum() == pytest.approx(found[1].objective.sum(), rel=1e-10, abs=1e-9)
    kept = ways[0].objective.component < len(ways[0].decomposition.components)
    np.testing.assert_allclose(found[0].counts[kept], found[1].counts[kept], atol=1e-8)


@settings(max_examples=30, deadline=None)
@given(target_problems(), st.sampled_from([1.0, 2.0]))
def test_no_run_gets_above_the_bound(problem, prior):
    network, dataset = problem
    task = make_task(network, dataset, prior)
    bounds = bound_task(task)
    last = list(learn(network, dataset, "d-em", n_init=3, prior=prior, stopping=Stopping(max_iter=60)))[-1]
    slack = 1e-7 * (1 + abs(bounds.total))
    assert last.objective.sum(axis=1).max() <= bounds.total + slack
    for own in (bounds.imap, bounds.patterns, bounds.decomposition):
        assert (last.objective <= own + slack).all()


@settings(max_examples=15, deadline=None)
@given(target_problems(most=4))
def test_a_markov_network_has_the_same_data_term(problem):
    network, dataset = problem
    markov = MarkovNetwork(network.variables, network.scopes, network.tables)
    counts, reached = oracles.jeffrey_counts(*plain_model(network), *take_apart(dataset))
    task = make_task(markov, dataset)
    state = evaluate(task, start_of(task, network))
    assert state.objective.sum() == pytest.approx(reached, rel=1e-9, abs=1e-8)
    for own, right in zip(task.layout.tables(state.counts), counts, strict=True):
        np.testing.assert_allclose(own, right, atol=1e-8)


def two_targets(rows=40, n=6, seed=4):
    """A chain with targets of two variables that are not neighbours, in rows that differ."""
    network, generator = chain(n), np.random.default_rng(seed)
    found = []
    for _ in range(rows):
        cells = [draw_cell(generator, v, "h") for v in network.variables]
        cells[1], cells[3], cells[4] = (draw_cell(generator, network.variables[v], "t") for v in (1, 3, 4))
        cells[2] = None
        found.append(cells)
    return network, make_dataset(network.variables, found)


@pytest.mark.parametrize(
    "method", [name for name, m in METHODS.items() if m.settles and not m.complete and "edml" not in name]
)
def test_every_learner_takes_rows_with_several_targets(method):
    network, dataset = two_targets()
    if METHODS[method].reason_against(network):
        network = MarkovNetwork(network.variables, network.scopes, network.tables)
    stopping = Stopping(max_iter=10 if method == "auto" else 400, until=1e-4)
    snapshots = list(learn(network, dataset, method, random_state=1, stopping=stopping))
    task = snapshots[-1].task
    best = max(s.objective.sum(axis=1).max() for s in snapshots[-1:])
    reference = list(learn(network, dataset, "em", random_state=1, stopping=stopping))[-1].objective.sum()
    assert best == pytest.approx(reference, abs=0.3)
    assert best <= bound_task(task).total + 1e-6


def test_restarts_in_a_batch_are_as_if_alone():
    """Each has likelihoods of its own."""
    network, dataset = two_targets(8)
    stopping = Stopping(tol=0, max_iter=5)
    together = list(learn(network, dataset, "d-em", n_init=3, random_state=5, stopping=stopping))[-1]
    task = make_task(network, dataset)
    for theta, objective in zip(together.theta, together.objective, strict=True):
        np.testing.assert_allclose(evaluate(task, theta).objective, objective, rtol=1e-12)


def test_a_target_that_the_start_excludes_is_named():
    network = random_network("AB", [(), (0,)])
    network = network.with_tables([[1.0, 0.0], network.tables[1]])
    rows = [["a", "b"], [TargetCell((0.5, 0.5)), TargetCell((0.4, 0.6))]]
    dataset = make_dataset(network.variables, rows)
    with pytest.raises(ImpossibleEvidenceError, match=r"row 2: the target of 'A' gives 'b' 0.5"):
        list(learn(network, dataset, "em", start="current"))


def test_targets_that_cannot_hold_at_once_are_named():
    network = random_network("AB", [(), (0,)])
    network = network.with_tables([[0.5, 0.5], np.eye(2)])
    dataset = make_dataset(network.variables, [["a", "a"], [TargetCell((0.5, 0.5)), TargetCell((0.4, 0.6))]])
    with pytest.raises(ImpossibleEvidenceError, match=r"row 2: the targets of 'A', 'B' cannot hold at once"):
        list(learn(network, dataset, "em", start="current"))


def test_a_row_without_targets_may_underflow_beside_rows_with_them():
    """Here it is impossible; rows of the same job have targets that can be met."""
    network = random_network("ABC", [(), (0,), (1,)])
    network = network.with_tables([network.tables[0], np.eye(2), np.eye(2)])
    rows = [[TargetCell((0.5, 0.5)), None, TargetCell((0.5, 0.5))], ["a", None, "b"]]
    task = make_task(network, make_dataset(network.variables, rows))
    assert evaluate(task, start_of(task, network)).objective.sum() == -np.inf
    with pytest.raises(ImpossibleEvidenceError, match="some rows have probability 0"):
        list(learn(network, task.dataset, "em", start="current"))


def test_a_row_of_sure_targets_is_a_row_of_states():
    network = random_network("ABC", [(), (0,), (1,)])
    sure = make_dataset(network.variables, [[TargetCell((0.0, 1.0)), TargetCell((1.0, 0.0)), None]])
    split = split_targets(sure)
    assert split.dataset.codes[:, 0].tolist() == [1, 0, -1]
    assert not split.dataset.targets


def test_the_split_rows_carry_the_shares():
    network = random_network("AB", [(), (0,)])
    rows = [[TargetCell((0.25, 0.75)), "b"], [(0.2, 0.4), None], [TargetCell((0.5, 0.5))] * 2]
    split = split_targets(make_dataset(network.variables, rows, [4, 1, 2]))
    assert split.dataset.weights.tolist() == [1, 3, 1, 2]
    assert split.dataset.codes[0, :2].tolist() == [0, 1]
    assert split.dataset.codes[1, :3].tolist() == [1, 1, -1]  # in the order of the rows that they came from
    assert (split.dataset.codes[:, 3] <= FIRST_LIKELIHOOD).all()
    assert split.entropies.tolist() == pytest.approx([-4 * (0.25 * np.log(0.25) + 0.75 * np.log(0.75)), 0.0])


@pytest.mark.parametrize("method", ["edml", "d-edml", "edml-in-turn"])
def test_edml_leaves_rows_with_several_targets_to_others(method):
    network, dataset = two_targets(4)
    if METHODS[method].reason_against(network):
        network = MarkovNetwork(network.variables, network.scopes, network.tables)
    with pytest.raises(ModelError, match="takes several targets in a row for likelihoods"):
        next(learn(network, dataset, method))


@pytest.mark.parametrize(("method", "fixed"), [("em", True), ("d-em", True), ("em-textbook", True), ("em", False)])
@pytest.mark.parametrize("prior", [1.0, 2.0])
def test_tied_tables_learn_from_the_targets_of_all_that_share_them(method, fixed, prior):
    """A chain with one transition: a step from brute force's counts, added up; and below the bound."""
    network, dataset = two_targets(12)
    tied = tuple(range(1, 6))
    network = network.with_tables([network.tables[0], *[network.tables[1]] * 5])
    count = oracles.jeffrey_counts if fixed else oracles.moving_counts
    counts, reached = count(*plain_model(network), *take_apart(dataset))
    shared = oracles.normalised(sum(counts[v] for v in tied) + (prior - 1), network.tables[1])
    options = {"prior": prior, "fixed": fixed, "ties": [tied]}
    steps = list(learn(network, dataset, method, start="current", stopping=Stopping(tol=0, max_iter=1), **options))
    assert steps[0].log_likelihood.sum() == pytest.approx(reached, rel=1e-9)
    for v in tied:
        np.testing.assert_allclose(steps[-1].network().tables[v], shared, atol=1e-8)
    last = list(learn(network, dataset, method, stopping=Stopping(max_iter=60), **options))[-1]
    assert last.objective.sum() <= bound_task(last.task).total + 1e-6


# Targets that are not fixed.


@settings(max_examples=40, deadline=None)
@given(target_problems(), st.booleans())
def test_moving_targets_hold_before_the_row_is_known(problem, condition):
    network, dataset = problem
    counts, reached = oracles.moving_counts(*plain_model(network), *take_apart(dataset))
    task = make_task(network, dataset, condition=condition, fixed=False)
    state = evaluate(task, start_of(task, network))
    assert state.objective.sum() == pytest.approx(reached, rel=1e-9, abs=1e-8)
    assert_counts(task, network, state.counts, counts, 1e-8)


def falling_problem(seed):
    """A → B ← C, A and C observed, targets of B: SPEC §6."""
    generator = np.random.default_rng(seed)
    network = random_network("ABC", [(), (0, 2), ()], seed=seed)
    rows = []
    for _ in range(10):
        share, seen = float(generator.uniform(0.01, 0.99)), generator.choice(["a", "b"], 2).tolist()
        rows.append([seen[0], TargetCell((share, 1 - share)), seen[1]])
    return network, make_dataset(network.variables, rows, generator.integers(1, 100, len(rows)))


def test_moving_targets_can_fall_and_the_best_iterate_is_kept():
    """The thesis' claim that the likelihood rises does not hold where a target has parents."""
    fallen, deepest = 0, 0.0
    for seed in range(40):
        network, dataset = falling_problem(seed)
        stopping = Stopping(tol=1e-9, max_iter=15)
        found = list(learn(network, dataset, "em", start="current", fixed=False, stopping=stopping))
        course = np.array([s.objective.sum() for s in found])
        drop = float(-np.diff(course[:-1]).min(initial=0.0))
        fallen, deepest = fallen + (drop > 1e-6), max(deepest, drop)
        assert course[-1] == pytest.approx(course.max(), abs=1e-12)
        state = evaluate(found[-1].task, found[-1].theta[0])
        assert state.objective.sum() == pytest.approx(course[-1], abs=1e-9)
        assert course.max() <= bound_task(found[-1].task).total
    assert fallen >= 5
    assert deepest > 1.0


def test_a_moving_target_of_a_root_never_falls():
    generator = np.random.default_rng(1)
    for seed in range(10):
        network = random_network("ABC", [(), (0,), (0,)], seed=seed)
        rows = [[draw_cell(generator, network.variables[0], "t"), "a", "b"] for _ in range(4)]
        dataset = make_dataset(network.variables, rows)
        stopping = Stopping(tol=0, max_iter=20)
        course = [s.objective.sum() for s in learn(network, dataset, "em", fixed=False, stopping=stopping)]
        assert np.diff(course).min() >= -1e-10


@pytest.mark.parametrize("method", ["d-em", "lbfgs", "hybrid", "edml", "auto"])
def test_only_em_takes_moving_targets(method):
    network, dataset = two_targets(4)
    with pytest.raises(ModelError, match="non-fixed targets"):
        next(learn(network, dataset, method, fixed=False))


def test_restarts_with_moving_targets_are_as_if_alone():
    network, dataset = two_targets(8)
    stopping = Stopping(tol=0, max_iter=5)
    together = list(learn(network, dataset, "em", n_init=3, random_state=5, fixed=False, stopping=stopping))[-1]
    task = make_task(network, dataset, fixed=False)
    for theta, objective in zip(together.theta, together.objective, strict=True):
        assert evaluate(task, theta).objective.sum() == pytest.approx(objective.sum(), rel=1e-12)


def test_an_impossible_row_beside_one_with_several_targets_is_told():
    network = chain(3)
    network = network.with_tables([network.tables[0], np.array([[1.0, 0.0], [1.0, 0.0]]), network.tables[2]])
    target, impossible = TargetCell((0.3, 0.7)), network.variables[1].states[1]
    data = make_dataset(network.variables, [[target, None, target], [None, impossible, None]])
    with pytest.raises(ImpossibleEvidenceError, match="some rows have probability 0 under the starting parameters"):
        list(learn(network, data, "em", start="current"))


def test_a_run_that_is_continued_goes_on_from_its_best_iterate():
    network, dataset = falling_problem(11)
    options = {"start": "current", "fixed": False}
    first = list(learn(network, dataset, "em", stopping=Stopping(tol=0, max_iter=10), **options))[-1]
    again = list(learn(network, dataset, "em", stopping=Stopping(tol=0, max_iter=20), resume=first, **options))
    assert again[0].objective.sum() == pytest.approx(first.objective.sum(), abs=1e-12)
    assert again[-2].objective.sum() < first.objective.sum() - 1
    assert again[-1].objective.sum() >= first.objective.sum() - 1e-12


def test_moving_targets_that_cannot_be_met_count_for_nothing():
    """−∞, and not ∞: what their sets reach is subtracted."""
    network = random_network("AB", [(), (0,)])
    excluded = network.with_tables([[1.0, 0.0], network.tables[1]])
    copied = network.with_tables([[0.5, 0.5], np.eye(2)])
    rows = [["a", "a"], [TargetCell((0.5, 0.5)), TargetCell((0.4, 0.6))]]
    dataset = make_dataset(network.variables, rows)
    for model, said in ((excluded, "row 2: the target of 'A' gives 'b' 0.5"), (copied, "row 2: .* hold at once")):
        task = make_task(model, dataset, fixed=False)
        assert evaluate(task, start_of(task, model)).objective.sum() == -np.inf
        with pytest.raises(ImpossibleEvidenceError, match=said):
            list(learn(model, dataset, "em", start="current", fixed=False))
