"""The model doctor finds what is there, and nothing where all is well."""

import numpy as np
import pytest
from hypothesis import given

from engine.insight.doctor import examine
from engine.learning.task import make_task
from engine.model.dataset import make_dataset
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from pgmgui.project.examples import load_gallery
from tests import oracles
from tests.plain import plain_data, plain_model
from tests.strategies import learning_problems

A, B = Variable("A", ("yes", "no")), Variable("B", ("low", "high", "never"))
UNIFORM = np.full((2, 3), 1 / 3)


def findings(network, dataset, prior=1.0):
    found = {}
    for finding in examine(make_task(network, dataset, prior)):
        found.setdefault(finding.kind, []).append(finding)
    return found


def pair(tables, rows, **options):
    return findings(BayesianNetwork((A, B), ((), (0,)), tables), make_dataset([A, B], rows), **options)


def test_unseen_parent_configurations_and_unused_states():
    rows = [["yes", "low"], ["yes", "high"]]
    found = pair(([0.5, 0.5], UNIFORM), rows)
    assert set(found) == {"unseen", "unused"}
    (unseen,) = found["unseen"]
    assert unseen.variable == 1
    assert "1 of 2 parent configurations of 'B'" in unseen.text
    assert "prior of 2" in unseen.advice
    assert [(f.variable, f.states) for f in found["unused"]] == [(0, (1,)), (1, (2,))]
    assert "unseen" not in pair(([0.5, 0.5], UNIFORM), rows, prior=2.0)


def test_rows_of_probability_zero_name_the_table_with_the_zero():
    found = pair(([0.5, 0.5], [[0.0, 0.5, 0.5], [1 / 3, 1 / 3, 1 / 3]]), [["yes", "low"], ["no", "low"]])
    (impossible,) = found["impossible"]
    assert impossible.variable == 1
    assert "1 of 2 rows" in impossible.text


def test_a_symmetric_latent_and_a_pruned_leaf():
    found = pair(([0.5, 0.5], UNIFORM), [[None, "low"], [None, "high"]])
    (symmetric,) = found["symmetric"]
    assert (symmetric.variable, symmetric.states) == (0, (0, 1))
    assert "randomise" in symmetric.advice
    found = pair(([0.5, 0.5], UNIFORM), [["yes", None], ["no", None]])
    assert [f.variable for f in found["pruned"]] == [1]


def test_a_table_with_more_parameters_than_rows():
    parents = tuple(Variable(f"P{k}", ("a", "b")) for k in range(6))
    child = Variable("C", ("a", "b"))
    network = BayesianNetwork(
        (*parents, child), (*((),) * 6, tuple(range(6))), (*[np.full(2, 0.5)] * 6, np.full((2,) * 7, 0.5))
    )
    dataset = make_dataset(network.variables, [["a"] * 7, ["b"] * 7])
    (explosion,) = findings(network, dataset)["explosion"]
    assert explosion.variable == 6
    assert "64 free parameters for 2 rows" in explosion.text


@given(learning_problems())
def test_impossible_rows_are_found_exactly_when_the_joint_says_so(problem):
    network, dataset = problem
    cardinalities, scopes, tables = plain_model(network)
    joint = oracles.joint_weights(cardinalities, scopes, tables, {})
    rows, _ = plain_data(dataset)
    impossible = any(oracles.row_joint(cardinalities, joint, cells).sum() == 0 for cells in rows)
    assert ("impossible" in findings(network, dataset)) == impossible


@pytest.mark.parametrize("identifier", ["asia", "cancer", "student"])
def test_every_finding_names_its_variable_and_helps(identifier):
    document, data = next(e for e in load_gallery() if e.id == identifier).read()
    for finding in examine(make_task(document.network, data.dataset)):
        assert repr(document.network.variables[finding.variable].name) in finding.text
        assert finding.advice.endswith(".")
