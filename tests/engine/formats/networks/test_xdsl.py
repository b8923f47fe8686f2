"""XDSL: what is read, what is expanded, what is refused, and that what we write reads back."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from engine.formats import Document, read_network, write_network
from engine.formats.networks.draft import build_document
from engine.formats.networks.xdsl import dump, make_identifiers, parse
from engine.model.errors import FormatError, PgmError
from engine.model.network import BayesianNetwork, count_parameters
from engine.model.variable import Variable
from tests.compare import assert_same_by_names, assert_same_document
from tests.fuzz.mutations import mutate
from tests.manifest import network_sizes
from tests.shared_data import DATA, needs_data
from tests.strategies import bayesian_networks

TEXT = """<?xml version="1.0" encoding="ISO-8859-1"?>
<smile version="1.0" id="net1" numsamples="10000">
<nodes>
  <cpt id="A"><state id="t"/><state id="f"/><probabilities>0.25 0.75</probabilities>
    <property id="source">a book</property></cpt>
  <cpt id="B"><state id="x"/><state id="y"/><state id="z"/><probabilities>0.5 0.25 0.25</probabilities></cpt>
  <cpt id="C" target="true"><state id="lo"/><state id="hi"/><parents>B A</parents>
    <probabilities>.1 .9 .2 .8 .3 .7
      .4 .6 .5 .5 .6 .4</probabilities></cpt>
  <deterministic id="D"><state id="no"/><state id="yes"/><parents>A B</parents>
    <resultingstates>yes no no no yes yes</resultingstates></deterministic>
</nodes>
<cases/>
<extensions><genie version="1.0" app="GeNIe 4" name="My network">
  <node id="A"><name>Alpha &amp; co</name><interior color="e5f6f7"/><outline color="000080"/>
    <position>10 20 110 60</position><comment>first</comment></node>
  <submodel id="S1"><name>part</name><position>0 0 1 1</position>
    <submodel id="S2"><node id="B"><name>B</name><position>-10 0 0 5</position></node></submodel>
    <node id="C"><name/></node></submodel>
  <textbox><position>0 0 5 5</position></textbox>
</genie></extensions>
</smile>
"""


def test_a_small_file_is_read_in_full() -> None:
    document = build_document(parse(TEXT))
    network = document.network
    assert isinstance(network, BayesianNetwork)
    assert [variable.name for variable in network.variables] == ["A", "B", "C", "D"]
    assert network.variables[2].states == ("lo", "hi")
    assert network.parents == ((), (), (1, 0), (0, 1))
    assert network.tables[2][:, :, 0].tolist() == [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]
    assert network.tables[3][:, :, 1].tolist() == [[1, 0, 0], [0, 1, 1]]
    assert network.tables[3][:, :, 0].tolist() == [[0, 1, 1], [1, 0, 0]]
    assert document.name == "My network"
    assert document.positions == {"A": (60, 40), "B": (-5, 2.5)}
    assert document.variable_properties == {
        "A": {
            "source": "a book",
            "label": "Alpha & co",
            "comment": "first",
            "interior": "e5f6f7",
            "outline": "000080",
        }
    }
    assert document.notes == ("line 13: left out the element <cases>, which is not known",)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("equation", r"continuous \(equation\) node 'X'; only discrete nodes are supported"),
        ("decision", "decision node 'X'; influence diagrams are not supported"),
        ("utility", "utility node 'X'; influence diagrams"),
        ("mau", r"utility node \(MAU\) 'X'; influence diagrams"),
        ("noisyadder", "noisy-adder node 'X'; change its type"),
        ("demorgan", "<demorgan> node 'X'; this type of node is not supported"),
    ],
)
def test_other_kinds_of_nodes_are_refused_by_name(kind: str, message: str) -> None:
    with pytest.raises(FormatError, match=f"line 3: {message}"):
        parse(f'<smile>\n<nodes>\n<{kind} id="X"/></nodes></smile>')


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<smile ", "<smiles ", "mismatched tag"),
        ('<cpt id="A">', "<cpt>", "line 4: <cpt> has no attribute 'id'"),
        ('<cpt id="B">', '<cpt id="A">', "line 6: a second node has the id 'A'"),
        ('<state id="x"/>', "<state/>", "line 6: <state> has no attribute 'id'"),
        ('<state id="x"/>', '<state id="y"/>', "line 6: .* state 'y' twice"),
        ("<parents>B A<", "<parents>B Q<", "line 7: 'C' has the parent 'Q', which is not a node"),
        ("<parents>B A<", "<parents>C A<", "cycle"),
        ("<parents>B A<", "<parents>B B<", "'C' has the parent 'B' twice"),
        ("<parents>B A<", f"<parents>{'B ' * 99}<", "line 7: 'C' has 63 parents or more"),
        ("<probabilities>0.25 0.75</probabilities>", "", "line 4: 'A' has no <probabilities>"),
        ("0.25 0.75", "0.25", "line 4: the table of 'A' has 1 numbers; expected 2"),
        ("0.25 0.75", "0.25 ?", "line 4: expected a number in the table of 'A', got '\\?'"),
        ("yes no no no yes yes", "yes no no no yes", "line 11: <resultingstates> of 'D' names 5 states; expected 6"),
        ("yes no no no yes yes", "yes " * 9, "line 11: <resultingstates> of 'D' names more states; expected 6"),
        ("yes no no no yes yes", "yes no no no yes si", "line 11: <resultingstates> of 'D': it has no state 'si'"),
        ("10 20 110 60", "10 20 110", "line 16: the position of 'A' must be four numbers"),
        ("10 20 110 60", "10 20 110 inf", "line 16: the position of 'A' must be four numbers"),
        ("<cases/>", '<dynamic numslices="3"/>', "line 13: a dynamic network"),
        ("<cases/>", "<nodes/>", "line 13: a second <nodes> in <smile>"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(FormatError, match=message):
        build_document(parse(TEXT.replace(old, new)))


@pytest.mark.parametrize(
    ("text", "message"), [("<a/>", "expected an XDSL file, with <smile>; got <a>"), ("<smile/>", "has no <nodes>")]
)
def test_what_is_not_xdsl_is_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse(text)


def test_a_deterministic_table_is_not_made_when_too_large() -> None:
    states = "".join(f'<state id="s{k}"/>' for k in range(100))
    roots = "".join(f'<cpt id="P{k}">{states}<probabilities>1</probabilities></cpt>' for k in range(5))
    child = f'<deterministic id="X">{states}<parents>P0 P1 P2 P3 P4</parents><resultingstates/></deterministic>'
    with pytest.raises(FormatError, match="the table of 'X' has 1,000,000,000,000 cells"):
        parse(f"<smile><nodes>{roots}{child}</nodes></smile>")


def noisy_max_text(cards: list[int], size: int, columns: list[np.ndarray], strengths: str) -> str:
    """A file with a noisy-max node X; ``columns`` per parent (rows: columns in the file's order), then the leak."""
    roots = []
    for k, card in enumerate(cards):
        states = "".join(f'<state id="s{i}"/>' for i in range(card))
        numbers = " ".join(["1", *["0"] * (card - 1)])
        roots.append(f'<cpt id="P{k}">{states}<probabilities>{numbers}</probabilities></cpt>')
    own = "".join(f'<state id="x{i}"/>' for i in range(size))
    parents = " ".join(f"P{k}" for k in range(len(cards)))
    parameters = " ".join(repr(float(value)) for part in columns for value in part.reshape(-1))
    node = f"{own}<parents>{parents}</parents>{strengths}<parameters>{parameters}</parameters>"
    return f'<smile><nodes>{"".join(roots)}<noisymax id="X">{node}</noisymax></nodes></smile>'


def brute_force_noisy_max(columns: list[np.ndarray], orders: list[list[int]]) -> np.ndarray:
    """Every combination of what each cause and the leak do; the strongest, first in the list, wins."""
    cards = [len(order) for order in orders]
    size = columns[-1].shape[-1]
    table = np.zeros((*cards, size))
    for at in np.ndindex(*cards):
        causes = [part[order.index(k)] for part, order, k in zip(columns, orders, at, strict=False)]
        for outcome in itertools.product(range(size), repeat=len(cards) + 1):
            probability = columns[-1].reshape(-1)[outcome[-1]]
            for cause, k in zip(causes, outcome, strict=False):
                probability *= cause[k]
            table[(*at, min(outcome))] += probability
    return table


@pytest.mark.parametrize(
    ("orders", "size"),
    [
        ([], 3),
        ([[0, 1]], 2),
        ([[0, 1], [1, 0]], 2),
        ([[1, 0], [0, 1, 2], [1, 0]], 3),
        ([[2, 1, 0], [0, 2, 1], [0, 1, 2, 3]], 4),
    ],
)
def test_a_noisy_max_is_expanded_as_brute_force_has_it(orders: list[list[int]], size: int) -> None:
    chance = np.random.default_rng(3)
    columns = [chance.dirichlet(np.ones(size), len(order)) for order in orders]
    for part in columns:
        part[-1] = np.eye(size)[-1]
    columns.append(chance.dirichlet(np.ones(size), 1))
    strengths = f"<strengths>{' '.join(str(k) for order in orders for k in order)}</strengths>"
    network = build_document(parse(noisy_max_text([len(o) for o in orders], size, columns, strengths))).network
    assert np.abs(network.tables[-1] - brute_force_noisy_max(columns, orders)).max() < 1e-14


def test_a_noisy_or_without_strengths_is_the_textbook_formula() -> None:
    columns = [np.array([[0.8, 0.2], [0, 1]]), np.array([[0.6, 0.4], [0, 1]]), np.array([[0.1, 0.9]])]
    network = build_document(parse(noisy_max_text([2, 2], 2, columns, ""))).network
    no = [[0.9 * 0.2 * 0.4, 0.9 * 0.2], [0.9 * 0.4, 0.9]]
    assert np.allclose(network.tables[-1][..., 1], no, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("strengths", "first", "message"),
    [
        ("1 2 0", 0.5, "reorders a parent's states in a circle"),
        ("0 1", 0.5, "has 2 strengths; expected 3"),
        ("0 1 1", 0.5, "not an order of its parents' states"),
        ("0 1 nan", 0.5, "not an order of its parents' states"),
        ("0 1 2", 0.7, "a column that does not sum to 1"),
        ("0 1 2", float("nan"), "a column that does not sum to 1"),
        ("0 1 2", -0.5, "a column that does not sum to 1"),
    ],
)
def test_a_noisy_max_that_is_not_sure_is_refused(strengths: str, first: float, message: str) -> None:
    columns = [np.array([[first, 0.5], [0.3, 0.7], [0, 1]]), np.array([[0.1, 0.9]])]
    with pytest.raises(FormatError, match=message):
        parse(noisy_max_text([3], 2, columns, f"<strengths>{strengths}</strengths>"))


def test_a_noisy_max_whose_last_column_is_not_neutral_is_refused() -> None:
    columns = [np.array([[0.5, 0.5], [0.3, 0.7]]), np.array([[0.1, 0.9]])]
    with pytest.raises(FormatError, match="'X' has a parent whose last column is not 0 … 0 1"):
        parse(noisy_max_text([2], 2, columns, ""))
    with pytest.raises(FormatError, match="has 6 parameters; expected 8"):
        parse(noisy_max_text([3], 2, columns, ""))


ODD = ["<&>\"'", "a b", "a_b", " lead", "trail\n", "\r\t", "=", "é→𝄞", "\u00a0", "12", "x12", "]]>"]


def odd_document() -> Document:
    """Children before parents, and texts that are hard for XML and for GeNIe."""
    variables = tuple(Variable(name, (*ODD[::-1], "")) for name in ODD)
    tables = (np.full((13, 13), 1 / 13), *(np.full(13, 1 / 13) for _ in ODD[1:]))
    parents = ((11,), *(() for _ in ODD[1:]))
    properties = dict(zip(["", "a = b", *ODD], ["", "x", *ODD[::-1]], strict=True))
    return Document(
        BayesianNetwork(variables, parents, tables),
        " odd\nname ",
        {"=": (0.1 + 0.2, -1e-7), "12": (3.0, -0.0), "]]>": (1e9, 5.0)},
        properties,
        {name: {**properties, "label": name, "comment": " x\n", "interior": "<>"} for name in ODD[1:]},
    )


def test_odd_texts_are_written_and_read_back() -> None:
    document = odd_document()
    assert_same_document(build_document(parse(dump(document))), document)


def test_what_we_write_has_identifiers_and_parents_first_for_genie() -> None:
    text = dump(odd_document())
    ids = [line.split('"')[1] for line in text.splitlines() if line.startswith("<cpt id=")]
    assert len(set(ids)) == len(ODD)
    assert all(name.isascii() and name.isidentifier() and name[0].isalpha() for name in ids)
    child, parent = make_identifiers(ODD)[0], make_identifiers(ODD)[11]
    assert ids.index(parent) < ids.index(child)


def test_our_extension_is_not_believed_once_genie_has_saved_the_file() -> None:
    document = Document(
        BayesianNetwork((Variable("a b", ("1", "2")),), ((),), (np.array([0.5, 0.5]),)),
        positions={"a b": (100.0, 50.0)},
    )
    text = dump(document)
    assert build_document(parse(text)).network.variables == document.network.variables
    saved = build_document(parse(text.replace('app="pgmgui"', 'app="GeNIe 5.0"')))
    assert saved.network.variables == (Variable("a_b", ("x1", "x2")),)
    assert saved.variable_properties["a_b"]["label"] == "a b"
    assert saved.positions == {"a_b": (100.0, 50.0)}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('<state name="1" />', "", "names 1 states of 'a_b'; expected 2"),
        ('<state name="1" />', '<state name="2" />', "has the state '2' twice"),
        ('x="100.0"', 'x="inf"', "expected numbers x and y"),
        ('y="50.0"', "", "has no attribute 'y'"),
        ('<node id="a_b" name=', '<node id="q" name=', "describes the node 'q'"),
    ],
)
def test_a_damaged_extension_of_ours_is_refused(old: str, new: str, message: str) -> None:
    network = BayesianNetwork((Variable("a b", ("1", "2")),), ((),), (np.array([0.5, 0.5]),))
    text = dump(Document(network, positions={"a b": (100.0, 50.0)}))
    assert old in text
    with pytest.raises(FormatError, match=message):
        build_document(parse(text.replace(old, new)))


def test_ten_thousand_names_without_a_letter_get_identifiers_soon() -> None:
    names = [chr(0x4E00 + k) for k in range(10_000)]
    assert len(set(make_identifiers([*names, "x_", "x__2"]))) == 10_002


def test_a_position_that_is_not_finite_is_not_written() -> None:
    network = BayesianNetwork((Variable("a", ("1", "2")),), ((),), (np.array([0.5, 0.5]),))
    text = dump(Document(network, positions={"a": (float("nan"), float("inf"))}))
    assert build_document(parse(text)).positions == {}


@pytest.mark.parametrize("bad", ["a\0", "\x1f", "\uffff", "\ud800"])
def test_names_that_xml_cannot_hold_are_refused_on_writing(bad: str) -> None:
    network = BayesianNetwork((Variable("a", ("x", bad)),), ((),), (np.array([0.5, 0.5]),))
    with pytest.raises(PgmError, match="which XML cannot hold"):
        dump(Document(network))


@settings(max_examples=40, deadline=None)
@given(bayesian_networks())
def test_any_network_is_written_and_read_back_to_the_bit(network: BayesianNetwork) -> None:
    assert_same_document(build_document(parse(dump(Document(network)))), Document(network))


@pytest.mark.parametrize("start", [TEXT, dump(build_document(parse(TEXT)))], ids=["GeNIe", "ours"])
def test_mutated_files_raise_nothing_but_format_errors(start: str) -> None:
    messages = []
    for text in mutate(start, count=1000, seed=11):
        try:
            build_document(parse(text))
        except FormatError as error:
            messages.append(str(error))
    assert len(messages) > 100
    assert not any("\n" in message for message in messages)


CONTINUOUS = ["x", "xy", "xy_zy", "xyz", "yx", "zyx"]
DISCRETE = {
    path: sizes
    for path, sizes in network_sizes("xdsl").items()
    if Path(path).stem.removeprefix("ciq_") not in CONTINUOUS
}


@needs_data
@pytest.mark.parametrize(("path", "sizes"), DISCRETE.items())
def test_shared_files_have_the_sizes_of_the_manifest(path: str, sizes: tuple[int, int, int], tmp_path: Path) -> None:
    document = read_network(DATA / path)
    network = document.network
    assert (len(network.variables), len(network.edges), count_parameters(network)) == sizes
    write_network(tmp_path / "copy.xdsl", document)
    assert_same_document(read_network(tmp_path / "copy.xdsl"), document)


@needs_data
@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_files_are_refused(name: str) -> None:
    with pytest.raises(FormatError, match=r"line 5: continuous \(equation\) node 'X'; only discrete nodes"):
        read_network(DATA / f"networks/xdsl/ciq_{name}.xdsl")


@needs_data
def test_asia_equals_its_bif() -> None:
    bif = read_network(DATA / "networks/bif/asia.bif").network
    for name in ("ciq_asia", "ciq_zenodo_asia"):
        assert_same_by_names(read_network(DATA / f"networks/xdsl/{name}.xdsl").network, bif)


@needs_data
@pytest.mark.parametrize(("xdsl", "dsc"), [("ciq_covid_knowledge_k-means", "covid"), ("ciq_sepsis", "sepsis")])
def test_shared_files_equal_the_dsc_of_the_same_network(xdsl: str, dsc: str) -> None:
    ours = read_network(DATA / f"networks/xdsl/{xdsl}.xdsl").network
    theirs = read_network(DATA / f"networks/dsc/{dsc}.dsc").network
    assert_same_by_names(ours, theirs, tolerance=1e-15)  # rows of 7 digits, renormalised


@needs_data
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("xdsl/ab_empty_probabilities.xdsl", "line 14: the table of 'B' has 0 numbers; expected 4"),
        ("xdsl/ab_no_id.xdsl", "line 5: <cpt> has no attribute 'id'"),
        ("xdsl/ab_no_top_level.xdsl", "line 3: <smile> has no <nodes>"),
        ("xdsl/ab_not_cpt.xdsl", "line 10: <invalid> node 'B'"),
        ("xdsl/ab_single_state.xdsl", "line 13: the table of 'B' has 4 numbers; expected 2"),
        ("xdsl/ab_too_few_probabilities_1.xdsl", "line 8: the table of 'A' has 1 numbers; expected 2"),
        ("xdsl/ab_too_many_probabilities_2.xdsl", "line 14: the table of 'B' has 5 numbers; expected 4"),
        ("xdsl/ax_mixed_unsupported.xdsl", "line 10: continuous .* node 'X'"),
        ("unnormalised/ciq_formed.xdsl", "line 544: the table of 'Age' has a row .* that sums to 0.99808"),
    ],
)
def test_quirky_files_are_refused_with_line_and_construct(name: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_network(DATA / "quirky" / name)


@needs_data
def test_quirky_files_that_are_only_odd_are_read() -> None:
    for name in ("ab_not_extensions", "ab_too_many_top_level"):
        document = read_network(DATA / f"quirky/xdsl/{name}.xdsl")
        assert document.network.tables[1].tolist() == [[0.5, 0.5], [0.25, 0.75]]
    formed = read_network(DATA / "quirky/unnormalised/ciq_formed.xdsl", normalise=True).network
    assert (len(formed.variables), len(formed.edges), count_parameters(formed)) == (88, 138, 910)
