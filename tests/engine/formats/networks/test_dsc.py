"""Microsoft DSC: reading and refusing."""

from __future__ import annotations

import pytest

from engine.formats.networks import dsc
from engine.formats.networks.draft import Document, build_document
from engine.model.errors import FormatError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable

NODES = """belief network "two words"
format : "MSR DTAS";
node A { name : "the first"; type : discrete [ 2 ] = { "x, y", "no" }; position : (10, -20); }
node B {
  type : discrete [ 3 ] = { "0", "1", "2" };
}
probability ( A ) {
   0.25, 0.75;
}
"""


def read(text: str) -> Document:
    return build_document(dsc.parse(text))


def test_small_file() -> None:
    document = read(NODES + "probability ( B | A ) { (1) : 0, 0, 1; (0) : 0.5, 0.25, 0.25; }")
    network = document.network
    assert isinstance(network, BayesianNetwork)
    assert network.variables == (Variable("A", ("x, y", "no")), Variable("B", ("0", "1", "2")))
    assert network.parents == ((), (0,))
    assert network.tables[1].tolist() == [[0.5, 0.25, 0.25], [0, 0, 1]]
    assert document.name == "two words"
    assert document.properties == {"format": "MSR DTAS"}
    assert document.positions == {"A": (10, -20)}
    assert document.variable_properties == {"A": {"label": "the first"}}


def test_default_row_fills_the_rest() -> None:
    document = read(NODES + "probability ( B | A ) { default : 0, 1, 0; (0) : 1, 0, 0; }")
    assert document.network.tables[1].tolist() == [[1, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "file ends where 'belief'"),
        ("net {}", "expected 'belief', got 'net'"),
        (NODES, "'B' has no probability table"),
        (NODES + "probability ( B | A ) { (0) : 1, 0, 0; }", "1 of 2 rows missing"),
        (NODES + "probability ( B | A ) { (0) : 1, 0, 0; (0) : 1, 0, 0; }", "given twice"),
        (NODES + "probability ( B | A ) { (2) : 1, 0, 0; }", "state of 'A' by a number below 2"),
        (NODES + "probability ( B | A ) { (" + "1" * 5000 + ") : 1, 0, 0; }", "state of 'A' by a number below 2"),
        (NODES + "probability ( B | A ) { (no) : 1, 0, 0; }", "state of 'A' by a number below 2"),
        (NODES + "probability ( B | A ) { (0, 0) : 1, 0, 0; }", "names 2 states"),
        (NODES + "probability ( B | A ) { 1, 0, 0; }", "does not name its parents' states"),
        (NODES + "probability ( B | A ) { (0) : 1, 0; }", "2 numbers; expected 3"),
        (NODES + "probability ( B | C ) { }", "parent 'C', which is not defined"),
        (NODES + "probability ( C ) { }", "'C', which is not a node above"),
        (NODES + "probability ( A ) { 1, 0; }", "second probability table"),
        ('belief network "x" node A { type : continuous; }', "only discrete"),
        ('belief network "x" node A { type : discrete [ 3 ] = { "a", "b" }; }', "declares 3 states but lists 2"),
        ('belief network "x" node A { type : discrete [ 999999999 ] = { }; }', "declares 999999999 states"),
    ],
)
def test_refused(text: str, expected: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert expected in str(caught.value)
