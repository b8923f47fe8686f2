"""The model doctor finds what is there, and nothing where all is well."""

import numpy as np
import pytest
from hypothesis import given

from engine.insight.doctor import examine
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.model.dataset import make_dataset
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.prior import Gaussian
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
    impossible = [r for r, cells in enumerate(rows) if oracles.row_joint(cardinalities, joint, cells).sum() == 0]
    found = findings(network, dataset).get("impossible", [])
    assert bool(found) == bool(impossible)
    for finding in found:
        assert finding.rows == tuple(impossible)
        assert f"{', '.join(str(r + 1) for r in impossible)})" in finding.text


@pytest.mark.parametrize("identifier", ["asia", "cancer", "student"])
def test_every_finding_names_its_variable_and_helps(identifier):
    document, data = next(e for e in load_gallery() if e.id == identifier).read()
    for finding in examine(make_task(document.network, data.dataset)):
        assert repr(document.network.variables[finding.variable].name) in finding.text
        assert finding.advice.endswith(".")


# --- Markov networks


def factors(tables, rows, scopes=((0, 1), (0,)), **options):
    found = {}
    for finding in examine(make_task(MarkovNetwork((A, B), scopes, tables), make_dataset([A, B], rows), **options)):
        found.setdefault(finding.kind, []).append(finding)
    return found


FLAT = (np.arange(1.0, 7.0).reshape(2, 3), np.ones(2))
SOME = [["yes", "low"], ["no", "high"], ["yes", "never"], ["no", "low"]]


def test_cells_that_no_row_has_diverge_without_a_prior():
    (found,) = factors(FLAT, SOME)["diverging"]
    assert found.factor == 0
    assert "2 of 6 combinations of 'A', 'B' never occur" in found.text
    assert "L2" in found.advice
    assert factors(FLAT, SOME, prior=Gaussian(1.0)) == {}
    # It is so: with every further iteration these cells are smaller, and the others settle.
    network, data = MarkovNetwork((A, B), ((0, 1), (0,)), FLAT), make_dataset([A, B], SOME)
    cells = []
    for most in (10, 100):
        *_, last = learn(network, data, "em", start="current", stopping=Stopping(0.0, max_iter=most))
        table = last.network().tables[0]
        cells.append(table[[0, 1], [1, 2]] / table.max())
    assert (cells[1] < cells[0]).all()
    assert (cells[1] < 1e-3).all()


def test_of_given_variables_only_what_occurs_can_diverge():
    rows = [["yes", "low"], ["yes", "high"]]
    (found,) = factors(FLAT, rows, scopes=((0, 1), (0,)), given=[0])["diverging"]
    assert "1 of 6 combinations" in found.text  # yes and never; nothing pulls what goes with no
    assert {f.factor for f in factors(FLAT, rows)["diverging"]} == {0, 1}


def test_a_factor_with_a_zero_that_a_row_needs_is_named():
    (found,) = factors((FLAT[0] * [[0, 1, 1], [1, 1, 1]], FLAT[1]), SOME)["impossible"]
    assert (found.factor, found.variable) == (0, 0)
    assert "1 of 4 rows have probability 0 under the current parameters (row 1)" in found.text
    assert "the factor over 'A', 'B'" in found.text
    assert "from any start" in found.advice


def test_a_symmetric_variable_of_a_markov_network_and_unused_states():
    found = factors((np.ones((2, 3)), np.ones(2)), [[None, "low"], [None, "high"]])
    (symmetric,) = found["symmetric"]
    assert (symmetric.variable, symmetric.states) == (0, (0, 1))
    assert "randomise its factors" in symmetric.advice
    assert [(f.variable, f.states) for f in found["unused"]] == [(1, (2,))]


def test_a_factor_with_more_cells_than_rows():
    nodes = tuple(Variable(name, ("a", "b")) for name in "XYZ")
    network = MarkovNetwork(nodes, ((0, 1, 2), (0, 1)), (np.ones((2, 2, 2)), np.ones((2, 2))))
    task = make_task(network, make_dataset(nodes, [["a", "a", "b"], ["b", "a", "b"]]))
    (found,) = [finding for finding in examine(task) if finding.kind == "explosion"]
    assert "'X', 'Y', 'Z' has 8 cells for 2 rows" in found.text
