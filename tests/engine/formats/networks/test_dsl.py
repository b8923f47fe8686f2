"""GeNIe DSL: reading and refusing."""

from __future__ import annotations

import pytest

from engine.formats.networks import dsl
from engine.formats.networks.draft import Document, build_document
from engine.model.errors import FormatError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable

SMALL = """
net Small {
 HEADER = { ID = Small; NAME = "s"; };
 node A
  {
   TYPE = CPT;
   HEADER = { ID = A; NAME = "the first"; };
   SCREEN = { POSITION = { CENTER_X = 168; CENTER_Y = 229; }; COLOR = 1; };
   PARENTS = ();
   DEFINITION = { NAMESTATES = (yes, no); PROBABILITIES = (0.25, 0.75); };
  };
 submodel Sub {
  node B {
   TYPE = TRUTHTABLE;
   HEADER = { ID = B; NAME = "B"; };
   PARENTS = (A);
   DEFINITION = { NAMESTATES = (t, f); RESULTING_STATES = (f, t); };
  };
 };
 OBSERVATION_COST = { node A { PARENTS = (); COSTS = (0.0); }; };
};
"""


def read(text: str) -> Document:
    return build_document(dsl.parse(text))


def test_small_file() -> None:
    document = read(SMALL)
    network = document.network
    assert isinstance(network, BayesianNetwork)
    assert network.variables == (Variable("A", ("yes", "no")), Variable("B", ("t", "f")))
    assert network.parents == ((), (0,))
    assert network.tables[0].tolist() == [0.25, 0.75]
    assert network.tables[1].tolist() == [[0, 1], [1, 0]]
    assert document.name == "Small"
    assert document.positions == {"A": (168, 229)}
    assert document.variable_properties == {"A": {"label": "the first"}}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("TYPE = CPT", "TYPE = DECISION", "'A' is of type 'DECISION'"),
        ("TYPE = CPT", "TYPE = EQUATION", "'A' is of type 'EQUATION'"),
        ("PROBABILITIES = (0.25, 0.75);", "", "'A' has no probability table"),
        ("0.25, 0.75", "0.25", "1 numbers; expected 2"),
        ("0.25, 0.75", "0.25, x", "expected a number, got 'x'"),
        ("(f, t)", "(f, u)", "'B' has no state 'u'"),
        ("PARENTS = (A)", "PARENTS = (C)", "parent 'C', which is not defined"),
        ("net Small", "network Small", "expected 'net'"),
        ("};\n};\n", "};\n};\n}", "more text after"),
        ("COLOR = 1", "COLOR = {" * 30, "nested more than 20 deep"),
    ],
)
def test_refused(old: str, new: str, expected: str) -> None:
    assert old in SMALL
    with pytest.raises(FormatError) as caught:
        read(SMALL.replace(old, new))
    assert expected in str(caught.value)
