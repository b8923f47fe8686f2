"""XMLBIF: what is read, what is refused, and that what we write reads back, here and elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from engine.formats import Document, read_network, write_network
from engine.formats.networks.draft import build_document
from engine.formats.networks.xmlbif import dump, parse
from engine.model.errors import FormatError, PgmError
from engine.model.network import BayesianNetwork, count_parameters
from engine.model.variable import Variable
from tests.compare import assert_same_by_names, assert_same_document
from tests.fuzz.mutations import mutate
from tests.manifest import network_sizes
from tests.shared_data import DATA, needs_data
from tests.strategies import bayesian_networks

TEXT = """<?xml version="1.0" encoding="US-ASCII"?>
<!DOCTYPE BIF [
  <!ELEMENT BIF ( NETWORK )*> <!ATTLIST BIF VERSION CDATA #REQUIRED>
  <!ATTLIST VARIABLE TYPE (nature|decision|utility) "nature">
]>
<BIF VERSION="0.3">
<NETWORK>
<NAME>small</NAME>
<PROPERTY>author = me = I</PROPERTY>
<DEFINITION><FOR>c</FOR><GIVEN>b</GIVEN><GIVEN>a</GIVEN>
  <TABLE>.1 .9  .2 .8  <!-- b=x -->  .3 .7
         .4 .6  .5 .5  .6 .4</TABLE></DEFINITION>
<VARIABLE TYPE="nature"><NAME> a </NAME><OUTCOME>t</OUTCOME><OUTCOME>f</OUTCOME>
  <PROPERTY>position = (-1.5, 2e1)</PROPERTY><PROPERTY>remark</PROPERTY><PROPERTY></PROPERTY></VARIABLE>
<VARIABLE><NAME>b</NAME><TYPE>discrete</TYPE><VALUE>x</VALUE><VALUE>y</VALUE><VALUE>z</VALUE></VARIABLE>
<VARIABLE TYPE="nature"><NAME>c</NAME><OUTCOME>0</OUTCOME><OUTCOME>1</OUTCOME></VARIABLE>
<DEFINITION><FOR>a</FOR><TABLE>0.25 0.75</TABLE></DEFINITION>
<DEFINITION><FOR>b</FOR><TABLE>0.5 0.25 0.25</TABLE></DEFINITION>
<EXTRA/>
</NETWORK>
</BIF>
"""


def test_a_small_file_is_read_in_full() -> None:
    document = build_document(parse(TEXT))
    network = document.network
    assert isinstance(network, BayesianNetwork)
    assert [(v.name, v.states) for v in network.variables] == [
        ("a", ("t", "f")),
        ("b", ("x", "y", "z")),
        ("c", ("0", "1")),
    ]
    assert network.parents == ((), (), (1, 0))
    assert network.tables[2][:, :, 0].tolist() == [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]
    assert document.name == "small"
    assert document.positions == {"a": (-1.5, 20.0)}
    assert document.properties == {"author": "me = I"}
    assert document.variable_properties == {"a": {"remark": ""}}
    assert document.notes == ("line 19: left out the element <EXTRA>, which is not known",)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('<VARIABLE TYPE="nature"><NAME>c', '<VARIABLE TYPE="decision"><NAME>c', "line 16: 'c' is of type 'decision'"),
        ('<VARIABLE TYPE="nature"><NAME>c', '<VARIABLE TYPE="utility"><NAME>c', "line 16: 'c' is of type 'utility'"),
        ("<TYPE>discrete", "<TYPE>continuous", "line 15: 'b' is of type 'continuous'"),
        ("<NAME>c</NAME>", "", "line 16: a <VARIABLE> has no <NAME>"),
        ("<EXTRA/>", "<VARIABLE><NAME/></VARIABLE>", "line 19: a variable needs a name"),
        ("<NAME>c</NAME>", "<NAME>a</NAME>", "which is not a variable"),
        ("<NAME>small</NAME>", "<NAME/>\n<NAME/>", "line 9: a second <NAME> in <NETWORK>"),
        ("<FOR>b", "<FOR>d", "line 18: a <DEFINITION> for 'd', which is not a variable"),
        ("<FOR>b", "<FOR>a", "line 18: a second <DEFINITION> for 'a'"),
        ("<FOR>b</FOR>", "", "line 18: a <DEFINITION> is for 0 variables"),
        ("<FOR>b</FOR>", "<FOR>b</FOR><FOR>a</FOR>", "line 18: a <DEFINITION> is for 2 variables"),
        ("<GIVEN>b</GIVEN>", "<GIVEN>q</GIVEN>", "line 10: 'c' has the parent 'q', which is not a variable"),
        ("<GIVEN>b</GIVEN>", "<GIVEN>b</GIVEN>" * 63, "line 10: 'c' has 64 parents; at most 62"),
        ("<GIVEN>b</GIVEN>", "<GIVEN>c</GIVEN>", "cycle"),
        ("<TABLE>0.25 0.75</TABLE>", "", "line 17: the <DEFINITION> of 'a' has no <TABLE>"),
        ("0.25 0.75", "0.25 x", "line 17: expected a number in the table of 'a', got 'x'"),
        ("0.25 0.75", "0.25 0.75 0", "line 17: the table of 'a' has 3 numbers; expected 2"),
        ("0.25 0.75", "0.25 nan", "line 17: the table of 'a' holds a negative or infinite"),
        ("0.25 0.75", "0.25 0.5", "sums to 0.75"),
        ("<EXTRA/>", "<PROBABILITY/>", "line 19: <PROBABILITY> is of an XMLBIF before 0.3"),
        ('VERSION="0.3"', 'VERSION="0.2"', "line 6: XMLBIF version '0.2'; only 0.3 is read"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(FormatError, match=message):
        build_document(parse(TEXT.replace(old, new)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<m:BIF VERSION="0" xmlns:m="http://localhost/xml/model.xsd"/>', "UnBBayes dialect of XMLBIF, version '0.4'"),
        ('<x:XMLBIF version="0.6" xmlns:x="u"/>', "UnBBayes dialect of XMLBIF, version '0.6'.* save .* as a .net file"),
        ("<instance/>", "XCSP <instance>"),
        ("<html/>", "line 1: expected an XMLBIF file, with <BIF>; got <html>"),
        ("<BIF/>", "<BIF> has no <NETWORK>"),
        ("", "no element found"),
    ],
)
def test_other_dialects_are_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse(text)


ODD = ["<&>\"'", "a b", " lead", "trail\n", "new\nline", "\r", "=", "é→𝄞", "\u00a0", "position", "12", "]]>"]


def odd_document() -> Document:
    """A document all of whose texts are hard for XML."""
    variables = tuple(Variable(name, (*ODD[::-1], "")) for name in ODD)
    tables = (*(np.full(13, 1 / 13) for _ in ODD[:-1]), np.full((13, 13), 1 / 13))
    parents = (*(() for _ in ODD[:-1]), (0,))
    properties = dict(zip(["", "a = b", *ODD], ["", "x", *ODD[::-1]], strict=True))
    return Document(
        BayesianNetwork(variables, parents, tables),
        " odd\nname ",
        {"=": (0.1 + 0.2, -1e-7), "12": (3.0, -0.0), "]]>": (1e9, 5.0)},
        properties,
        {name: {**properties, "position": "(1, 2)", "fast": "x[3]"} for name in ODD[1:]},
    )


def test_odd_texts_are_written_and_read_back() -> None:
    document = odd_document()
    assert_same_document(build_document(parse(dump(document))), document)


@pytest.mark.parametrize("bad", ["a\0", "\x1f", "\uffff", "\ud800"])
def test_names_that_xml_cannot_hold_are_refused_on_writing(bad: str) -> None:
    network = BayesianNetwork((Variable("a", ("x", bad)),), ((),), (np.array([0.5, 0.5]),))
    with pytest.raises(PgmError, match="which XML cannot hold"):
        dump(Document(network))


@settings(max_examples=40, deadline=None)
@given(bayesian_networks())
def test_any_network_is_written_and_read_back_to_the_bit(network: BayesianNetwork) -> None:
    assert_same_document(build_document(parse(dump(Document(network)))), Document(network))


def test_mutated_files_raise_nothing_but_format_errors() -> None:
    messages = []
    for text in mutate(TEXT, count=1500, seed=7):
        try:
            build_document(parse(text))
        except FormatError as error:
            messages.append(str(error))
    assert len(messages) > 100
    assert not any("\n" in message for message in messages)


def assert_same_elsewhere(network: BayesianNetwork, look_up) -> None:
    """Every entry equals that of another tool, looked up by names of variables and states."""
    for scope, table in zip(network.scopes, network.tables, strict=True):
        for at in np.ndindex(table.shape):
            chosen = {network.variables[i].name: network.variables[i].states[k] for i, k in zip(scope, at, strict=True)}
            assert look_up(network.variables[scope[-1]].name, chosen) == table[at]


@needs_data
@pytest.mark.parametrize("name", ["asia", "alarm"])
def test_other_tools_read_what_we_write(name: str, tmp_path: Path) -> None:
    import pyagrum
    from pgmpy.readwrite import XMLBIFReader

    document = read_network(DATA / f"networks/bif/{name}.bif")
    path = tmp_path / f"{name}.bifxml"
    write_network(path, document)
    agrum = pyagrum.loadBN(str(path))
    pgmpy = XMLBIFReader(str(path)).get_model()
    assert_same_elsewhere(document.network, lambda child, chosen: agrum.cpt(child)[chosen])
    assert_same_elsewhere(document.network, lambda child, chosen: pgmpy.get_cpds(child).get_value(**chosen))


def test_aGrUM_takes_the_states_from_the_outcomes_we_write(tmp_path: Path) -> None:  # noqa: N802
    import pyagrum

    network = BayesianNetwork((Variable("a", ("yes", "no")),), ((),), (np.array([0.5, 0.5]),))
    write_network(tmp_path / "a.bifxml", Document(network, variable_properties={"a": {"fast": "a{x|y}"}}))
    agrum = pyagrum.loadBN(str(tmp_path / "a.bifxml"))
    assert agrum.variable("a").labels() == ("yes", "no")


@needs_data
@pytest.mark.parametrize(("path", "sizes"), network_sizes("xmlbif").items())
def test_shared_files_have_the_sizes_of_the_manifest(path: str, sizes: tuple[int, int, int]) -> None:
    document = read_network(DATA / path)
    network = document.network
    assert (len(network.variables), len(network.edges), count_parameters(network)) == sizes
    assert_same_document(build_document(parse(dump(document))), document)


@needs_data
@pytest.mark.parametrize("name", ["asia", "hailfinder"])
def test_shared_files_equal_the_bif_of_the_same_network(name: str) -> None:
    ours = read_network(DATA / f"networks/xmlbif/aima_{name}.xml")
    theirs = read_network(DATA / f"networks/bif/{name}.bif")
    assert_same_by_names(ours.network, theirs.network, tolerance=1e-15)  # SamIam wrote 0.04000000000000001
    assert set(ours.positions) == set(ours.network.index)


@needs_data
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("xmlbif/ClemenFigure04.12.xml", "line 7: 'Accept2B' is of type 'decision'"),
        ("xmlbif/IDBIFXMLIO_file.xml", "line 7: 'decisionVar1' is of type 'decision'"),
        ("xmlbif/agrum_edex.bifxml", "line 13: the XML is broken"),
        ("xmlbif/decAsia.xml", "line 7: 'H' is of type 'decision'"),
        ("xmlbif/saladd_alarm.xml", "line 3: an XCSP <instance>"),
        ("xmlbif/saladd_cancer.xml", "line 3: an XCSP <instance>"),
        ("xmlbif/saladd_car-starts.xml", "line 3: an XCSP <instance>"),
        ("xmlbif/saladd_hailfinder25.xml", "line 3: an XCSP <instance>"),
        ("xmlbif/testFromDavidAndescavage.xml", "line 7: 'DoTest' is of type 'decision'"),
        ("xmlbif_unbbayes/alarm.xml", "line 2: the UnBBayes dialect of XMLBIF, version '0.4'"),
        ("xmlbif_unbbayes/asia_XMLBIF5.xml", "line 2: the UnBBayes dialect of XMLBIF, version '0.5'"),
        ("xmlbif_unbbayes/NewBN.xml", "line 2: the UnBBayes dialect of XMLBIF, version '0.6'"),
        ("unnormalised/agrum_carpo.bifxml", "line 453: the table of 'N5' has a row .* that sums to 0, not 1"),
    ],
)
def test_quirky_files_are_refused_with_line_and_construct(name: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_network(DATA / "quirky" / name)


@needs_data
def test_every_unbbayes_file_is_refused_by_name() -> None:
    paths = sorted((DATA / "quirky/xmlbif_unbbayes").glob("*.xml"))
    assert len(paths) == 14
    for path in paths:
        with pytest.raises(FormatError, match="line 2: the UnBBayes dialect"):
            read_network(path)


@needs_data
def test_quirky_files_that_are_well_formed_read_as_they_say() -> None:
    empty = read_network(DATA / "quirky/xmlbif/BNBIFXMLReader_file1.bifxml")
    assert empty.network.variables == ()
    swapped = read_network(DATA / "quirky/xmlbif_swapped/agrum_hailfinder.bifxml").network
    assert (len(swapped.variables), len(swapped.edges), count_parameters(swapped)) == (56, 66, 2656)
