"""What looks at data besides learning, with targets among the cells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.insight.doctor import examine
from engine.insight.held_out import HeldOutRows, score_held_out
from engine.insight.microscope import look_closely
from engine.insight.prediction import predict
from engine.insight.row_scores import score_rows
from engine.insight.slack import share_gap
from engine.learning.bounding import bound_task
from engine.learning.task import make_task
from engine.model.dataset import TargetCell, make_dataset
from engine.model.errors import ImpossibleEvidenceError, ModelError
from tests import oracles
from tests.engine.learning.models import evaluate, random_network
from tests.engine.learning.test_targets import start_of, take_apart, target_problems
from tests.plain import plain_model

pytestmark = pytest.mark.filterwarnings("error")


@settings(max_examples=30, deadline=None)
@given(target_problems())
def test_a_row_scores_what_it_counts_for(problem):
    network, dataset = problem
    rows, targets, _ = take_apart(dataset)
    expected = [oracles.complete_row(*plain_model(network), *row)[1] for row in zip(rows, targets, strict=True)]
    np.testing.assert_allclose(score_rows(network, dataset).log_likelihood, expected, rtol=1e-9, atol=1e-9)


def small():
    """Rows with a target, with two, with a likelihood, and one without any."""
    network = random_network("ABC", [(), (0,), (1,)])
    one, two = TargetCell((0.3, 0.7)), TargetCell((0.6, 0.4))
    rows = [["a", one, "b"], [one, None, two], ["b", (0.2, 0.9), "a"], ["a", "b", "a"]]
    return network, make_dataset(network.variables, rows, [1, 2, 1, 3])


@pytest.mark.parametrize("fixed", [True, False])
def test_rows_held_out_score_the_same_either_way(fixed):
    network, dataset = small()
    theta = start_of(make_task(network, dataset), network)
    expected = evaluate(make_task(network, dataset, fixed=fixed), theta).log_likelihood.sum()
    assert score_held_out(network, dataset, fixed=fixed).log_likelihood == pytest.approx(expected, rel=1e-12)
    assert HeldOutRows(network, dataset, fixed=fixed).log_likelihood(theta) == pytest.approx(expected, rel=1e-12)


def test_the_microscope_takes_rows_as_they_are_numbered_in_the_data():
    network, dataset = small()
    task = make_task(network, dataset)
    theta = start_of(task, network)
    view = look_closely(task, theta, 2, 1)
    assert view.variables == (1,)
    np.testing.assert_allclose(view.counts, task.layout.tables(evaluate(task, theta).counts)[1])


@settings(max_examples=25, deadline=None)
@given(target_problems(), st.booleans())
def test_the_microscope_completes_rows_such_that_targets_hold(problem, fixed):
    network, dataset = problem
    task = make_task(network, dataset, fixed=fixed)
    theta, rows, targets = start_of(task, network), *take_apart(dataset)[:2]
    for row, child in enumerate(np.resize(range(len(network.variables)), dataset.n_rows).tolist()):
        model = plain_model(network)
        if fixed:
            joint, _ = oracles.complete_row(*model, rows[row], targets[row])
        else:
            before, _ = oracles.complete_row(*model, [None] * len(model[0]), targets[row])
            joint = oracles.row_joint(model[0], before, rows[row])
            joint = joint / joint.sum()
        view = look_closely(task, theta, row, child)
        np.testing.assert_allclose(view.family, oracles.marginal(joint, network.scopes[child]), atol=1e-8)
        of_row = oracles.marginal(joint, view.variables)
        for completion in view.completions:
            assert completion.weight == pytest.approx(float(of_row[completion.states]), abs=1e-8)


def test_a_state_is_foretold_from_other_cells_targets_included():
    network, dataset = small()
    found = predict(network, dataset, 1)
    joint, _ = oracles.complete_row(*plain_model(network), [0, None, 0], {})
    expected = oracles.marginal(joint, (1,))
    np.testing.assert_allclose(found.probability[found.case[0]], expected)
    wanted = make_dataset(network.variables, [["a", "b", TargetCell((0.2, 0.8))]])
    joint, _ = oracles.complete_row(*plain_model(network), [0, None, None], {2: (0.2, 0.8)})
    np.testing.assert_allclose(predict(network, wanted, 1).probability[0], oracles.marginal(joint, (1,)))


def test_a_row_whose_targets_cannot_be_met_is_named():
    network, dataset = small()
    network = network.with_tables([[1.0, 0.0], *network.tables[1:]])
    task = make_task(network, dataset)
    theta = start_of(task, network)
    with pytest.raises(ImpossibleEvidenceError, match="the target of 'A' gives 'b'"):
        look_closely(task, theta, 1, 1)


def test_the_gap_of_rows_with_one_target_is_shared_out():
    network, dataset = small()
    some = dataset.take(np.array([0, 2, 3]))
    task = make_task(network, some)
    bounds, reached = bound_task(task), evaluate(task, start_of(task, network))
    for k in range(len(task.decomposition.components)):
        shares = share_gap(task, bounds, network, k)
        assert sum(share.reached for share in shares) == pytest.approx(float(reached.objective[k]), abs=1e-9)
        assert sum(share.bound for share in shares) == pytest.approx(float(bounds.imap[k]), abs=1e-9)


def test_the_gap_of_rows_with_several_targets_has_no_shares():
    network, dataset = small()
    task = make_task(network, dataset)
    (component,) = range(len(task.decomposition.components))
    bounds = bound_task(task)
    with pytest.raises(ModelError, match="several targets"):
        share_gap(task, bounds, network, component)


def test_the_doctor_numbers_rows_as_they_stand():
    network, dataset = small()
    network = network.with_tables([[1.0, 0.0], *network.tables[1:]])
    task = make_task(network, dataset)
    (found,) = [finding for finding in examine(task) if finding.kind == "impossible"]
    assert found.rows == (2,)
