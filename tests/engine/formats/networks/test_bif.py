"""BIF: what is read, what is refused, and that what we write reads back, here and elsewhere."""

from __future__ import annotations

import numpy as np
import pyagrum
import pytest
from hypothesis import given, settings

from engine.formats import Document, read_network, write_network
from engine.formats.networks.bif import dump, parse
from engine.formats.networks.draft import build_document
from engine.model.errors import FormatError
from engine.model.network import BayesianNetwork, count_parameters
from engine.model.variable import Variable
from tests.compare import assert_same_by_names, assert_same_document
from tests.fuzz.mutations import mutate
from tests.manifest import network_sizes
from tests.shared_data import DATA, needs_data
from tests.strategies import bayesian_networks

TEXT = """// a comment
network "my net" { property author me; property "version" = 1.0; }
variable A { type discrete [ 2 ] { yes, "no way" }; property position = ( 1.5, -2 ); }
variable B {
  type discrete[3] { <5, 5-12, Asy/Patch };  /* a long
  comment */
  property label = "B; really";
}
variable C { type discrete [ 2 ] { 0, 1 }; }
probability ( A ) { table 0.25, 0.75; }
probability ( B | A ) { (yes) 0.2, 0.3, 0.5; ("no way") 0.1 0.2 0.7; }
probability ( C | A, B ) {
  (yes, <5) 0.1, 0.9;
  default 0.5, 0.5;
  (yes, Asy/Patch) 0.3, 0.7;
}
"""


def test_a_small_file_is_read_in_full():
    document = build_document(parse(TEXT))
    network = document.network
    assert [v.states for v in network.variables] == [("yes", "no way"), ("<5", "5-12", "Asy/Patch"), ("0", "1")]
    assert network.parents == ((), (0,), (0, 1))
    assert network.tables[1].tolist() == [[0.2, 0.3, 0.5], [0.1, 0.2, 0.7]]
    assert network.tables[2][..., 0].tolist() == [[0.1, 0.5, 0.3], [0.5, 0.5, 0.5]]
    assert document.name == "my net"
    assert document.properties == {"author": "me", "version": "1.0"}
    assert document.positions == {"A": (1.5, -2.0)}
    assert document.variable_properties == {"B": {"label": "B; really"}}


def test_a_whole_table_runs_with_the_child_slowest(tmp_path):
    """As pyAgrum reads it: the first variable named is the slowest."""
    text = """network n { }
variable A { type discrete [ 2 ] { a, b }; }
variable B { type discrete [ 2 ] { a, b }; }
variable X { type discrete [ 2 ] { a, b }; }
probability ( A ) { table 0.5, 0.5; }
probability ( B ) { table 0.5, 0.5; }
probability ( X | A, B ) { table 0.1, 0.2, 0.3, 0.4, 0.9, 0.8, 0.7, 0.6; }
"""
    path = tmp_path / "x.bif"
    path.write_text(text)
    network = read_network(path).network
    assert network.tables[2][..., 0].tolist() == [[0.1, 0.2], [0.3, 0.4]]
    theirs = pyagrum.loadBN(str(path))
    for a in range(2):
        for b in range(2):
            found = theirs.cpt("X")[{"A": a, "B": b}]
            np.testing.assert_allclose(found, network.tables[2][a, b], atol=1e-6)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("// a comment", "variable A { type discrete [2] {yes, no}; }", "line 3: a second variable is named 'A'"),
        ("discrete [ 2 ] { 0, 1 }", "continuous", "line 9: 'C' is of type 'continuous'"),
        ("[ 2 ] { 0, 1 }", "[ 3 ] { 0, 1 }", "'C' declares 3 states but lists 2"),
        ("{ 0, 1 }", "{ 0, 0 }", "'C' has the state '0' twice"),
        ("( A ) { table 0.25, 0.75; }", "( A ) { table 0.25, 0.7; }", "line 10: the table of 'A' .* sums to 0.95"),
        ("( A ) { table 0.25, 0.75; }", "( A ) { table 0.25; }", "has 1 numbers; expected 2"),
        ("( A ) { table 0.25, 0.75; }", "( A ) { table 0.25, x; }", "line 10: expected a number, got 'x'"),
        ("( A ) { table 0.25, 0.75; }", "( A | C ) { table 0.25, 0.75, 0.75, 0.25; }", "cycle: .* → "),
        ("probability ( B | A )", "probability ( D | A )", "line 11: .* 'D', which is not a variable"),
        ("( B | A )", "( B | D )", "line 11: 'B' has the parent 'D', which is not defined"),
        ("( B | A )", "( A )", "line 11: a second probability table for 'A'"),
        ('("no way") 0.1 0.2 0.7;', "", "line 11: the table of 'B' has 1 of 2 rows missing"),
        ("(yes) 0.2", "(maybe) 0.2", "'A', a parent of 'B', has no state 'maybe'"),
        ("(yes) 0.2", "(yes, yes) 0.2", "names 2 states; expected one of each of 1 parents"),
        ("(yes) 0.2, 0.3, 0.5", "(yes) 0.5, 0.5", "line 11: a row of 'B' has 2 numbers; expected 3"),
        ("0.2, 0.3, 0.5", "-0.2, 0.7, 0.5", "negative or infinite"),
        ("// a comment\n", "utility U { }\n", "line 1: expected 'network' or 'variable' or 'probability'"),
        ('"B; really"', '"B; really', "line"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(old, new, message):
    assert old in TEXT
    with pytest.raises(FormatError, match=message):
        build_document(parse(TEXT.replace(old, new)))


def test_an_empty_or_cut_file_is_refused():
    with pytest.raises(FormatError, match="empty"):
        parse("")
    for end in range(TEXT.index("variable A") + 3, len(TEXT) - 10, 7):
        with pytest.raises(FormatError):
            build_document(parse(TEXT[:end]))


def test_rounded_rows_are_renormalised_with_a_note_and_others_only_on_request():
    rounded = build_document(parse(TEXT.replace("0.2, 0.3, 0.5", "0.2, 0.3, 0.4995")))
    assert rounded.notes == ("the table of 'B' has a row ('A'='yes') that sums to 0.9995, not 1; renormalised",)
    np.testing.assert_allclose(rounded.network.tables[1].sum(axis=-1), 1, atol=1e-15)
    wrong = parse(TEXT.replace("0.2, 0.3, 0.5", "0.2, 0.3, 1.5"))
    with pytest.raises(FormatError, match=r"sums to 2.*--normalise"):
        build_document(wrong)
    assert build_document(wrong, normalise=True).network.tables[1][0].tolist() == [0.1, 0.15, 0.75]
    zeros = parse(TEXT.replace("0.2, 0.3, 0.5", "0, 0, 0"))
    for normalise in (False, True):
        with pytest.raises(FormatError, match="sums to 0, not 1; a row of zeros cannot be normalised: correct it"):
            build_document(zeros, normalise=normalise)


def test_odd_texts_are_written_and_read_back():
    nodes = (Variable('a"b\\', ("x y", "", "//", "é;", "|")), Variable("table", ("(", "default")))
    network = BayesianNetwork(nodes, ((), (0,)), ([0.2] * 5, [[0.25, 0.75]] * 5))
    properties = {"table": {"label": "a } ; b", "k = v": ' "quoted" ', "empty": ""}}
    document = Document(network, "net name", {"table": (1e-7, 3.25)}, {"x": "// not a comment"}, properties)
    assert_same_document(build_document(parse(dump(document))), document)


@settings(max_examples=40, deadline=None)
@given(bayesian_networks())
def test_any_network_is_written_and_read_back_to_the_bit(network):
    document = Document(network, "n")
    assert_same_document(build_document(parse(dump(document))), document)


def test_mutated_files_raise_nothing_but_format_errors():
    read = refused = 0
    for text in mutate(TEXT, 400, seed=1):
        try:
            build_document(parse(text))
            read += 1
        except FormatError:
            refused += 1
    assert read > 20
    assert refused > 200


@needs_data
@pytest.mark.parametrize(("path", "sizes"), network_sizes("bif").items())
def test_shared_files_have_the_sizes_of_the_manifest(path, sizes):
    network = read_network(DATA / path).network
    assert (len(network.variables), len(network.edges), count_parameters(network)) == sizes


@needs_data
def test_two_dialects_of_alarm_are_one_distribution():
    first = read_network(DATA / "networks/bif/alarm.bif").network
    second = read_network(DATA / "networks/bif/csc442_alarm.bif").network
    assert_same_by_names(first, second, tolerance=1e-8)


@needs_data
@pytest.mark.parametrize("name", ["asia", "alarm"])
def test_other_tools_read_what_we_write(name, tmp_path):
    network = read_network(DATA / f"networks/bif/{name}.bif").network
    path = tmp_path / "ours.bif"
    write_network(path, network)
    theirs = pyagrum.loadBN(str(path))
    for child, variable in enumerate(network.variables):
        names = [network.variables[i].name for i in network.scopes[child]]
        cpt = theirs.cpt(variable.name)
        table = cpt.toarray().transpose([cpt.names[::-1].index(n) for n in names])
        np.testing.assert_allclose(table, network.tables[child], atol=1e-6)  # single precision
    from pgmpy.readwrite import BIFReader  # takes seconds to load

    model = BIFReader(str(path)).get_model()
    for child, variable in enumerate(network.variables):
        cpd = model.get_cpds(variable.name)
        names = [network.variables[i].name for i in network.scopes[child]]
        states = [cpd.state_names[n] for n in cpd.variables]
        table = cpd.values.transpose([cpd.variables.index(n) for n in names])
        assert [list(network.variables[network.index[n]].states) for n in cpd.variables] == states
        np.testing.assert_allclose(table, network.tables[child], atol=1e-12)
