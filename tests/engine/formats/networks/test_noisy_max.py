"""Noisy-MAX nodes in files: kept by XDSL and our JSON, whole tables elsewhere."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine.formats import Document, dump_network, parse_network, read_network, write_network
from engine.model.errors import FormatError
from engine.model.network import BayesianNetwork
from engine.model.noisy_max import stack
from engine.model.variable import Variable
from tests.command_line import run
from tests.engine.model.test_noisy_max import draw

NOISY = draw([2, 3], 3, 7, idle=[0, 1])


@pytest.fixture
def document():
    """Two causes of an effect, of which the first and the second state do nothing."""
    variables = (Variable("A", ("a", "b")), Variable("B c", ("x", "y", "z")), Variable("E", ("high", "low", "none")))
    tables = (np.array([0.3, 0.7]), np.array([0.2, 0.3, 0.5]), NOISY.expand())
    return Document(BayesianNetwork(variables, ((), (), (0, 1)), tables), "causes", noisy={"E": NOISY})


@pytest.mark.parametrize("suffix", [".xdsl", ".json"])
def test_it_comes_back_as_it_was(document, suffix):
    content = dump_network(document, f"x{suffix}")
    read = parse_network(content, f"x{suffix}")
    assert list(read.noisy) == ["E"]
    np.testing.assert_array_equal(stack(read.noisy["E"]), stack(NOISY))
    np.testing.assert_allclose(read.network.tables[2], NOISY.expand(), atol=1e-15)
    assert read.network.variables == document.network.variables
    assert dump_network(read, f"x{suffix}") == content


@pytest.mark.parametrize("suffix", [".bif", ".xmlbif", ".net", ".uai"])
def test_elsewhere_it_is_a_whole_table(document, suffix):
    read = parse_network(dump_network(document, f"x{suffix}"), f"x{suffix}")
    assert read.noisy == {}
    np.testing.assert_allclose(read.network.tables[2], NOISY.expand(), atol=1e-12)


def test_the_command_line_keeps_it_or_says_that_it_is_a_whole_table(document, tmp_path):
    source, kept, plain, markov = (tmp_path / name for name in ("a.xdsl", "b.json", "c.bif", "d.json"))
    write_network(source, document)
    assert run("convert", source, kept, "--json").result["notes"] == []
    assert list(read_network(kept).noisy) == ["E"]
    (note,) = run("convert", source, plain, "--json").result["notes"]
    assert note == "noisy-MAX as whole tables, which JSON and XDSL would keep as such: 'E'"
    assert run("convert", source, markov, "--markov").code == 0
    assert read_network(markov).noisy == {}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"causes": [], "leak": [0, 0, 1]}, "other numbers of causes"),
        ({"causes": "x", "leak": [0, 0, 1]}, "needs 'causes' as a list"),
        ({"causes": [[0] * 6, [0] * 9], "leak": [0, 0, 1]}, "no distribution"),
        ({"causes": [[1e999] * 6, [0] * 9], "leak": [0, 0, 1]}, "needs a list of numbers"),
        ({"causes": [["a"] * 6, [0] * 9], "leak": [0, 0, 1]}, "needs a list of numbers"),
        ({"causes": [[0, 0, 1] * 2, [0, 0, 1] * 3], "leak": None}, "needs a list of numbers"),
        ({"causes": [[0, 0, 1] * 2, [0, 0, 1] * 3], "leak": [0, 0, 1]}, "makes another table"),
        ([], "needs 'causes'"),
    ],
)
def test_a_file_may_hold_anything(document, change, why):
    root = json.loads(dump_network(document, "x.json"))
    root["tables"][2]["noisy_max"] = change
    with pytest.raises(FormatError, match=why):
        parse_network(json.dumps(root).encode(), "x.json")


@pytest.mark.parametrize("states", [[], None])
def test_a_parent_without_states_or_unknown_is_refused(document, states):
    root = json.loads(dump_network(document, "x.json"))
    parent = root["tables"][2]["variables"][0]
    if states is None:
        root["tables"][2]["variables"][0] = "ghost"
    for item in root["variables"]:
        if item["name"] == parent and states is not None:
            item["states"] = states
    root["tables"][2]["values"] = []
    root["tables"][2]["noisy_max"]["causes"][0] = []
    with pytest.raises(FormatError):
        parse_network(json.dumps(root).encode(), "x.json")
