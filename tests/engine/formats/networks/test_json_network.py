"""Our own JSON: everything a document holds survives, and nothing else is accepted."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formats import Document, read_network, write_network
from engine.formats.networks.draft import build_document
from engine.formats.networks.json_network import dump, parse
from engine.model.errors import FormatError
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.variable import Variable
from tests.fuzz.mutations import mutate
from tests.strategies import bayesian_networks, markov_networks

NODES = (Variable("A", ("a1", "a2")), Variable('<b>\n"é', ("", "x")))
MARKOV = Document(
    MarkovNetwork(NODES, ((0, 1), (1,), ()), ([[4.0, 0.1], [0.2, 1e300]], [0.0, 1.0], 2.5)),
    "grid",
    {"A": (1.5, -2.0)},
    {"author": "me"},
    {"A": {"label": "first"}},
)
TEXT = dump(MARKOV)


@settings(max_examples=60, deadline=None)
@given(st.one_of(bayesian_networks(), markov_networks()))
def test_any_network_is_written_and_read_back_to_the_bit(network):
    again = build_document(parse(dump(Document(network)))).network
    assert type(again) is type(network)
    assert again.variables == network.variables
    assert again.scopes == network.scopes
    assert [t.tobytes() for t in again.tables] == [t.tobytes() for t in network.tables]


def test_what_belongs_to_the_file_survives(tmp_path):
    path = tmp_path / "m.json"
    write_network(path, MARKOV)
    again = read_network(path)
    assert again.network.variables == NODES
    assert (again.name, again.positions, again.properties) == ("grid", {"A": (1.5, -2.0)}, {"author": "me"})
    assert again.variable_properties == {"A": {"label": "first"}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not a network file"),
        ({"version": 2}, "version 2 is not known"),
        ({"version": True}, "version True is not known"),
        ({"name": 5}, "^name: expected a text of at most 10,000 characters, got 5"),
        ({"name": ["x"]}, "^name: .* got a list"),
        ({"name": "x" * 10_001}, "^name: .* 10,000"),
        ({"name": "\ud800"}, "^name: expected text without half of a character"),
        ({"properties": []}, "^properties: expected an object, got a list"),
        ({"properties": {"author": None}}, r"^properties\.author: expected a text .* got null"),
        ({"kind": "causal"}, "kind 'causal' is not known"),
        ({"variables": 3}, "needs 'variables' as a list"),
        ({"variables": [{"name": "A"}]}, "variable 'A' needs 'states' as a list"),
        ({"variables": [{"name": "A", "states": [1]}]}, "as a list of texts"),
        ({"variables": [{"name": "A", "states": ["a"], "position": [1]}]}, "position of variable 'A'"),
        ({"variables": [{"name": "A", "states": ["a"], "position": [1, float("nan")]}]}, "position of variable 'A'"),
        ({"variables": [{"name": "A", "states": ["\ud800"]}]}, r"^variables\[0\]\.states\[0\]: .* half of a character"),
        (
            {"variables": [{"name": "A", "states": ["a"], "properties": {"label": 1}}]},
            r"^the properties of variable 'A'\.label: expected a text",
        ),
        ({"tables": [{"variables": ["A"], "values": [1, float("inf")]}]}, "the table over 'A' needs a list of numbers"),
        ({"tables": [{"variables": ["Z"], "values": [1]}]}, "'Z', which is not defined"),
        ({"tables": [{"variables": ["A", "A"], "values": [1] * 4}]}, "'A' twice"),
        ({"tables": [{"variables": ["A"], "values": [1, "x"]}]}, "a list of numbers"),
        ({"tables": [{"variables": ["A"], "values": [1, True]}]}, "a list of numbers"),
        ({"tables": [{"variables": ["A"], "values": [1, 10**400]}]}, "a list of numbers"),
        ({"tables": [{"variables": ["A"], "values": [1]}]}, "has 1 numbers; expected 2"),
        ({"tables": [{"variables": ["A"], "values": [1, -1]}]}, "negative"),
        ({"kind": "bayesian"}, "has two tables"),
    ],
)
def test_a_wrong_file_is_refused(change, message):
    with pytest.raises(FormatError, match=message):
        build_document(parse(json.dumps(json.loads(TEXT) | change)))


@pytest.mark.parametrize("place", [[1e308, 0], [0, -1.1e9], [1e9, 1e10]])
def test_a_position_out_of_the_world_is_refused(place):
    root = json.loads(TEXT)
    root["variables"][0]["position"] = place
    with pytest.raises(FormatError, match=r"^the position of 'A' is \(.*\); expected numbers from -1,000,000,000 to"):
        build_document(parse(json.dumps(root)))


def test_what_is_null_is_not_there():
    root = json.loads(TEXT) | {"name": None, "properties": None}
    document = build_document(parse(json.dumps(root)))
    assert (document.name, document.properties) == ("", {})


@pytest.mark.parametrize("text", ["", "[" * 100_000, "{", "[]", "nul", '{"format": NaN}', "9" * 5000])
def test_what_is_no_network_is_refused(text):
    with pytest.raises(FormatError):
        parse(text)


def test_mutated_files_raise_nothing_but_format_errors():
    network = BayesianNetwork(NODES, ((), (0,)), ([0.5, 0.5], [[0.25, 0.75]] * 2))
    for text in mutate(dump(Document(network)), 300, seed=2):
        with contextlib.suppress(FormatError):
            build_document(parse(text))
