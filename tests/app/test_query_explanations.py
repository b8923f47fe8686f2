"""`pgmgui query --mpe` and `--map`: what is most probable together."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.formats import Document, read_network, write_network
from engine.model.network import MarkovNetwork
from engine.model.variable import Variable
from tests import oracles
from tests.command_line import EXAMPLES, assert_refused, run

ASIA = EXAMPLES / "asia.bif"


def test_explanations_are_those_of_enumeration():
    found = run("query", ASIA, "--json", "--evidence", "dysp=yes", "--likelihood", "xray=yes:0.8,no:0.1",
                "--mpe", "--map", "lung,tub").result  # fmt: skip
    network = read_network(ASIA).network
    sizes = [2] * len(network.variables)
    evidence = {network.index["dysp"]: np.array([1, 0]), network.index["xray"]: np.array([0.8, 0.1])}
    joint = oracles.joint_weights(sizes, network.scopes, network.tables, evidence)
    joint /= joint.sum()
    best = np.unravel_index(joint.argmax(), joint.shape)
    assert found["mpe"]["states"] == {v.name: v.states[k] for v, k in zip(network.variables, best, strict=True)}
    assert found["mpe"]["probability"] == pytest.approx(joint.max(), rel=1e-9)
    assert found["mpe"]["log_probability"] == pytest.approx(math.log(joint.max()), abs=1e-9)
    pair = oracles.marginal(joint, (network.index["lung"], network.index["tub"]))
    lung, tub = np.unravel_index(pair.argmax(), pair.shape)
    assert found["map"]["states"] == {"lung": ("yes", "no")[lung], "tub": ("yes", "no")[tub]}
    assert found["map"]["probability"] == pytest.approx(pair.max(), rel=1e-9)
    assert found["map"]["other"] is None
    assert found["mpe"]["states"]["lung"] != found["map"]["states"]["lung"]  # two questions


def test_explanations_honour_targets():
    network = read_network(ASIA).network
    sizes = [v.cardinality for v in network.variables]
    joint = oracles.joint_weights(sizes, network.scopes, network.tables, {})
    smoke, lung = (network.index[name] for name in ("smoke", "lung"))
    fitted = oracles.project_on_marginals(joint, {smoke: (0.1, 0.9), lung: (0.7, 0.3)}, 100)
    targets = ["--marginal", "smoke=yes:0.1,no:0.9", "--marginal", "lung=yes:0.7,no:0.3"]
    found = run("query", ASIA, "--mpe", "--map", "bronc", *targets, "--json").result
    best = np.unravel_index(fitted.argmax(), fitted.shape)
    assert found["mpe"]["states"] == {v.name: v.states[k] for v, k in zip(network.variables, best, strict=True)}
    assert found["mpe"]["probability"] == pytest.approx(fitted.max(), rel=1e-7)
    bronc = oracles.marginal(fitted, (network.index["bronc"],))
    assert found["map"]["probability"] == pytest.approx(bronc.max(), rel=1e-7)


def test_explanations_in_lines_name_another_that_is_as_probable(tmp_path):
    pair = tuple(Variable(name, ("yes", "no")) for name in "AB")
    network = MarkovNetwork(pair, ((0, 1),), (np.array([[3.0, 1.0], [1.0, 3.0]]),))
    write_network(tmp_path / "pair.json", Document(network))
    lines = run("query", tmp_path / "pair.json", "--mpe", "--map", "A,A").out.splitlines()
    assert lines[-4] == "MPE, probability 0.375:  A yes  B yes"
    assert lines[-3] == "MPE, as probable:  A no  B no"
    assert lines[-2:] == ["MAP, probability 0.5:  A yes", "MAP, as probable:  A no"]


def test_what_cannot_be_explained_is_said_in_one_line():
    assert_refused(run("query", ASIA, "--map", "lung,nobody"), "no variable 'nobody'")
    without = run("query", ASIA, "--json").result
    assert "mpe" not in without
    assert "map" not in without
