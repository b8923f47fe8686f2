"""Hugin NET: reading, refusing, and writing what reads back the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formats.networks import net
from engine.formats.networks.draft import Document, build_document
from engine.model.errors import FormatError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from tests.compare import assert_same_document
from tests.shared_data import DATA, needs_data

SMALL = """
net
{
    node_size = (80 40);   % a comment with "quotes" and ( in it
    HR_Desc = "Two\\nlines; \\"quoted\\" 50%";
    name = "small";
}
node A
{
    label = "Asia?";
    position = (10 200);
    states = ("yes" "no");
}
discrete node 808 { states = (low mid high); HR_Group = "0"; }
node One { states = ("only"); }
potential (A) { data = (0.25 0.75); }
potential (808 | A One)
{
    data = (((0.1 0.2 0.7))     % A=yes
            ((0.3 0.3 0.4)));   % A=no
    experience = ((5) (7));
}
potential (One |) { data = (1); }
"""


def read(text: str) -> Document:
    return build_document(net.parse(text))


def test_small_file() -> None:
    document = read(SMALL)
    network = document.network
    assert isinstance(network, BayesianNetwork)
    assert network.variables == (
        Variable("A", ("yes", "no")),
        Variable("808", ("low", "mid", "high")),
        Variable("One", ("only",)),
    )
    assert network.parents == ((), (0, 2), ())
    assert network.tables[1].tolist() == [[[0.1, 0.2, 0.7]], [[0.3, 0.3, 0.4]]]
    assert document.name == "small"
    assert document.properties == {"node_size": "(80 40)", "HR_Desc": 'Two\nlines; "quoted" 50%'}
    assert document.variable_properties["A"] == {"label": "Asia?"}
    assert document.variable_properties["808"] == {"HR_Group": "0", "experience": "((5) (7))"}


def test_hugin_draws_upwards_and_unbbayes_downwards() -> None:
    assert read(SMALL).positions == {"A": (10, -200)}
    assert read(SMALL.replace("HR_Desc", "UnBBayes_Color")).positions == {"A": (10, 200)}


def test_potential_without_data_is_uniform_with_a_note() -> None:
    document = read('net {} node A { states = ("a" "b"); } potential (A) { }')
    assert document.network.tables[0].tolist() == [0.5, 0.5]
    assert document.notes == ("the potential of 'A' has no data; read as uniform",)


def test_expression_beside_data_is_left_out_with_a_note() -> None:
    document = read(
        'net {} node A { states = ("a" "b"); } potential (A) { model_nodes = (); model_data = (x); data = (1 0); }'
    )
    assert document.network.tables[0].tolist() == [1, 0]
    assert "expression of 'A'" in document.notes[0]


NODE = 'node A { states = ("a" "b"); } '


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "empty"),
        ("class C { }", "class 'C': object-oriented networks"),
        ("net {}\nclass", "line 2: class"),
        ("net {} continuous node C { }", "continuous 'C'"),
        ("net {} decision D { }", "decision 'D'"),
        ("net {} discrete decision D { }", "decision 'D'"),
        ("net {} utility U { }", "utility 'U'"),
        ("net {} function F { }", "function 'F'"),
        ("net {} temporal T { }", "temporal 'T'"),
        ("net {} instance I : C (;) { }", "instance 'I'"),
        (NODE + "potential (A) { model_data = ( or (B) ); }", "expression"),
        (NODE + "potential (A) { data = normal (0, 1); }", "begins with 'normal'"),
        (NODE, "'A' has no probability table"),
        (NODE + "potential (B) { data = (1); }", "'B', which is not a node above"),
        (NODE + "potential (A | B) { data = (1); }", "parent 'B', which is not defined"),
        (NODE + "potential (A) { data = (1 0); } potential (A) { data = (1 0); }", "second potential"),
        (NODE + "potential (A | A) { data = ((1 0) (1 0)); }", "cycle"),
        (NODE + "potential (A) { data = (0.5 0.5 0.5); }", "3 numbers; expected 2"),
        (NODE + "potential (A) { data = ((1) (0)); }", "rows of 1 numbers; expected 2"),
        (NODE + "potential (A) { data = (0.5 x); }", "expected a number, got 'x'"),
        (NODE + "potential (A) { data = (0.5 0.5; }", "expected a number, got ';'"),
        (NODE + "potential (A) { data = (0.9 0.9); }", "sums to 1.8"),
        (NODE + "potential (A) { data = (-1 2); }", "negative"),
        (NODE + "potential (A) { data = (nan 1); }", "negative or infinite"),
        (NODE + "potential (A) { data = (1 0) }", "expected ';'"),
        (NODE + NODE + "potential (A) { data = (1 0); }", "second variable"),
        ("node A { states = (); } potential (A) { data = (1); }", "'A' has 0 cells"),
        ('node A { states = ("a" "a"); } potential (A) { data = (1 0); }', "twice"),
        ("node A { position = (1 2 3); }", "is not '(x y)'"),
        ("node A { position = (1 inf); }", "is not '(x y)'"),
        ('node A { label = "no end; }', "unexpected text"),
        ("node { states", "expected a node's name, got '{'"),
        ("node A { label }", "expected '=', got '}'"),
    ],
)
def test_refused(text: str, expected: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("field", ["data = ", "label = ", "states = ", "position = "])
def test_deep_nesting_ends_in_an_error(field: str) -> None:
    inside = field + "(" * 100_000
    text = NODE + ("potential (A) { " if field == "data = " else "node B { ") + inside
    with pytest.raises(FormatError):
        read(text)


def test_few_lines_cannot_imply_huge_tables() -> None:
    roots = "".join(f"node X{i} {{ states = (a b); }} potential (X{i}) {{ data = (1 0); }}" for i in range(23))
    parents = " ".join(f"X{i}" for i in range(23))
    children = "".join(f"node Y{i} {{ states = (a b); }} potential (Y{i} | {parents}) {{ }}" for i in range(100))
    with pytest.raises(FormatError, match="implies more than"):
        read(roots + children)


TEXT = st.text(st.characters(codec="utf-8"), max_size=6)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    names = draw(st.lists(TEXT.filter(bool), min_size=1, max_size=4, unique=True))
    variables, parents, tables = [], [], []
    for i, name in enumerate(names):
        states = draw(st.lists(TEXT, min_size=1, max_size=3, unique=True))
        variables.append(Variable(name, tuple(states)))
        parents.append(tuple(draw(st.lists(st.sampled_from(range(i)), unique=True)) if i else ()))
        shape = (*(len(variables[p].states) for p in parents[i]), len(states))
        random = np.random.default_rng(draw(st.integers(0, 1000)))
        tables.append(random.dirichlet(np.ones(len(states)), shape[:-1]).reshape(shape))
    keys = st.one_of(TEXT, st.sampled_from(["label", "states", "name", "experience", "subtype", "UnBBayes_x"]))
    values = st.one_of(TEXT, st.sampled_from(["(1 2)", "(1", "((1) (2 -3.5e4))", "(1)(2)", "( 1 )", "number", "0"]))
    properties = st.dictionaries(keys, values, max_size=3)
    places = st.tuples(st.floats(-1e6, 1e6), st.integers(-999, 999).map(float))
    return Document(
        BayesianNetwork(tuple(variables), tuple(parents), tuple(tables)),
        draw(TEXT),
        draw(st.dictionaries(st.sampled_from(names), places)),
        draw(properties),
        draw(st.dictionaries(st.sampled_from(names), properties.filter(bool))),
    )


@settings(deadline=None, max_examples=60)
@given(documents())
def test_written_reads_back_the_same(document: Document) -> None:
    assert_same_document(read(net.dump(document)), document)


def test_written_names_are_identifiers() -> None:
    text = net.dump(Document(BayesianNetwork((Variable("Röntgen 1", ("ja", "nein")),), ((),), (np.array([0.5, 0.5]),))))
    assert "node R_ntgen_1\n" in text
    assert 'pgmgui_name = "Röntgen 1";' in text


@needs_data
@pytest.mark.parametrize(
    "name", ["grain_chest_clinic", "unbbayes_asia", "samiam_simple", "unbbayes_me_dicty", "ex-3-6-i", "alarm"]
)
def test_public_file_written_reads_back_the_same(name: str) -> None:
    document = read((DATA / f"networks/net/{name}.net").read_text())
    again = read(net.dump(document))
    assert_same_document(again, document)
    assert again.notes == ()


@needs_data
def test_pyagrum_reads_what_we_write(tmp_path: Path) -> None:
    pyagrum = pytest.importorskip("pyagrum")
    document = read((DATA / "networks/net/alarm.net").read_text())
    network = document.network
    assert isinstance(network, BayesianNetwork)
    places = {variable.name: (7.0 * i, 3.0 * i) for i, variable in enumerate(network.variables)}
    labels = {variable.name: {"label": f"the {variable.name}"} for variable in network.variables}
    (tmp_path / "alarm.net").write_text(net.dump(Document(network, "alarm", places, {}, labels)))
    theirs = pyagrum.loadBN(str(tmp_path / "alarm.net"))
    assert set(theirs.names()) == set(network.index)
    for child, (variable, table) in enumerate(zip(network.variables, network.tables, strict=True)):
        names = [network.variables[i].name for i in network.scopes[child]]
        cpt = theirs.cpt(variable.name)
        assert theirs.variable(variable.name).labels() == variable.states
        axes = list(reversed(cpt.names))  # pyAgrum names the axes of toarray() in reverse
        ours = cpt.toarray().transpose([axes.index(name) for name in names])
        assert np.array_equal(ours.astype(np.float32), table.astype(np.float32))  # it reads NET in single precision
