"""Netica DNE: reading, refusing, and what becomes of nodes that are not discrete chance variables."""

from __future__ import annotations

import numpy as np
import pytest

from engine.formats.networks import dne
from engine.formats.networks.draft import Document, build_document
from engine.model.errors import FormatError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from tests.shared_data import DATA, needs_data

SMALL = r"""
// ~->[DNET-1]->~
bnet Small {
autoupdate = TRUE;
title = "A small one";
visual V1 { nodefont = font {shape= "Arial"; size= 9;}; NodeSet Node {BuiltIn = 1; Color = 0xc0c0c0;}; };
node A {
    kind = NATURE; discrete = TRUE; chance = CHANCE;
    states = (yes, no); levels = (1, 0);
    parents = ();
    probs = (0.25, 0.75);
    title = "the first";
    comment = "one \
        \| line\nand \"another\"";
    user U { rules = "};"; };
    visual V1 { center = (132, 198); height = 6; link 1 { path = ((1, 2), (3, 4)); }; };
    };
node B { kind = NATURE; discrete = TRUE; states = (t, f); parents = (A); probs = // t f
    ((0.5, 0.5), // yes
     (0.9, 0.1)); // no ;
    };
node C { discrete = TRUE; chance = DETERMIN; states = (on, off); parents = (A, B); functable = (on, off, (#1, #0)); };
node Cut { kind = NATURE; discrete = FALSE; levels = (-1, 0, 2.5); parents = (); probs = (0.5, 0.5); };
node Title { kind = CONSTANT; discrete = FALSE; value = 1; };
ElimOrder = (A, B, C);
};
"""


def read(text: str) -> Document:
    return build_document(dne.parse(text))


def test_small_file() -> None:
    document = read(SMALL)
    network = document.network
    assert isinstance(network, BayesianNetwork)
    assert network.variables == (
        Variable("A", ("yes", "no")),
        Variable("B", ("t", "f")),
        Variable("C", ("on", "off")),
        Variable("Cut", ("-1 to 0", "0 to 2.5")),
    )
    assert network.parents == ((), (0,), (0, 1), ())
    assert network.tables[1].tolist() == [[0.5, 0.5], [0.9, 0.1]]
    assert network.tables[2].tolist() == [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
    assert document.name == "Small"
    assert document.properties == {"title": "A small one"}
    assert document.positions == {"A": (132, 198)}
    assert document.variable_properties == {
        "A": {"label": "the first", "comment": 'one  line\nand "another"'},
    }
    assert document.notes == ("constants are not random variables and were left out: 'Title'",)


def test_disconnected_link_becomes_a_variable() -> None:
    document = read(
        "bnet X { param P { states = (a, b, c); };"
        " node Y { kind = NATURE; states = (t, f); inputs = (Skill); parents = (P); probs = (1, 0, 0, 1, 1, 0); }; };"
    )
    network = document.network
    assert isinstance(network, BayesianNetwork)
    assert network.parents == ((), (0,))
    assert network.tables[0].tolist() == [1 / 3] * 3
    assert "'P' stands for a disconnected link; read as a variable without parents" in document.notes


@needs_data
def test_a_missing_table_is_uniform_as_in_netica() -> None:
    """Netica stored its beliefs given Fpp = p1 in this file, in which D has no table."""
    document = read((DATA / "networks/dne/unbbayes_testModel_DEF_FgivenE.dne").read_text())
    network = document.network
    assert isinstance(network, BayesianNetwork)
    assert [variable.name for variable in network.variables] == ["D", "E", "F", "Fpp"]
    d, e, f, fpp = network.tables
    joint = np.einsum("d,de,df,ef->def", d, e, f, fpp[..., 0])
    joint /= joint.sum()
    for axes, belief in (((1, 2), 0.5208104), ((0, 2), 0.6502231), ((0, 1), 0.294671)):
        assert joint.sum(axis=axes)[0] == pytest.approx(belief, abs=5e-7)  # printed to seven digits
    assert any("'D' has no table" in note for note in document.notes)
    assert any("'Fpp'" in note for note in document.notes)


def node(body: str) -> str:
    return f"bnet X {{ node A {{ {body} }}; }};"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "file ends where 'bnet'"),
        ("bnet X { ", "file ends"),
        ("bnet X { } ; more", "more text after"),
        (node("kind = DECISION; states = (a, b);"), "of kind 'DECISION'"),
        (node("kind = UTILITY; discrete = FALSE;"), "of kind 'UTILITY'"),
        (node("kind = NATURE; discrete = FALSE;"), "continuous and not cut into intervals"),
        (node("discrete = FALSE; levels = (0, 1, 2); states = (a, b, c);"), "3 states; expected 2"),
        (node('states = (a, b); equation = "A = 1";'), "equation without a table"),
        (node("numstates = 3; states = (a, b);"), "declares 3 states but lists 2"),
        (node("numstates = 999999999;"), "states but lists 0"),
        (node("states = (a, b); probs = (1, 0, 0);"), "3 numbers; expected 2"),
        (node("states = (a, b); probs = ((1), (0));"), "rows of 1 numbers; expected 2"),
        (node("states = (a, b); probs = (@imposs, 1);"), "expected a number, got '@imposs'"),
        (node("states = (a, b); functable = (c);"), "no state 'c'"),
        (node("states = (a, b); parents = (B);"), "has the parent 'B', which is not defined"),
        (node("states = (a, b); parents = (B);").replace("}; };", "}; node B { kind = CONSTANT; }; };"), "a constant"),
    ],
)
def test_refused(text: str, expected: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert expected in str(caught.value)
