"""What looks at data besides learning, with targets among the cells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from engine.insight.doctor import examine
from engine.insight.held_out import HeldOutRows, score_held_out
from engine.insight.microscope import look_closely
from engine.insight.prediction import predict
from engine.insight.row_scores import score_rows
from engine.insight.slack import share_gap
from engine.learning.bounding import bound_task
from engine.learning.task import make_task
from engine.model.dataset import TargetCell, make_dataset
from engine.model.errors import ModelError
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
    for row in (0, 1):
        with pytest.raises(ModelError, match=f"row {row + 1} has a target"):
            look_closely(task, theta, row, 1)
    view = look_closely(task, theta, 2, 1)
    assert view.variables == (1,)
    np.testing.assert_allclose(view.counts, task.layout.tables(evaluate(task, theta).counts)[1])


def test_nothing_is_foretold_from_targets():
    network, dataset = small()
    with pytest.raises(ModelError, match="nothing is foretold from targets"):
        predict(network, dataset, 2)
    assert predict(network, dataset.take(np.array([2, 3])), 2).total == 4


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
