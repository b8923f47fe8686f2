"""UAI networks and evidence: dialects, counts of the shared files, errors with their place."""

import contextlib
import random
import re
from pathlib import Path

import numpy as np
import pytest

from engine.formats import Document, read_evidence, read_network, write_network
from engine.formats.networks import uai
from engine.formats.networks.draft import build_document
from engine.model.errors import FormatError
from engine.model.network import BayesianNetwork, MarkovNetwork, Network, count_parameters
from engine.model.variable import Variable
from engine.simulation.generators import grid_markov, random_dag
from tests.oracles import joint_weights, marginal
from tests.shared_data import DATA, needs_data

BAYES = "BAYES\n3\n2 2 3\n3\n1 0\n2 0 1\n2 1 2\n\n2\n 0.4 0.6\n4\n .1 .9\n .5 .5\n6\n .2 .3 .5\n 0 1 0\n"
MARKOV = "MARKOV\n3\n2 1 3\n3\n2 0 2\n0\n1 1\n6\n 1 2 3 4 5 6\n1\n 0.5\n1\n 7e-3\n"
ERGO = "3\n2 2 3\n0\n1 0\n1 1\n/* Probabilities */\n2\n .4 .6\n4\n .1 .9\n .5 .5\n6\n .2 .3 .5\n 0 1 0\n"


def read(text: str, normalise: bool = False) -> Document:
    return build_document(uai.parse(text), normalise)


def assert_same(a: Network, b: Network) -> None:
    assert type(a) is type(b)
    assert [v.cardinality for v in a.variables] == [v.cardinality for v in b.variables]
    assert a.scopes == b.scopes
    for left, right in zip(a.tables, b.tables, strict=True):
        np.testing.assert_array_equal(left, right)


def test_bayesian_network_has_the_child_last_and_fastest():
    network = read(BAYES).network
    assert isinstance(network, BayesianNetwork)
    assert network.variables[2] == Variable("2", ("0", "1", "2"))
    assert network.parents == ((), (0,), (1,))
    assert network.tables[1].tolist() == [[0.1, 0.9], [0.5, 0.5]]
    assert network.tables[2].tolist() == [[0.2, 0.3, 0.5], [0.0, 1.0, 0.0]]


def test_markov_network_with_a_constant_factor_and_a_single_state():
    network = read(MARKOV).network
    assert isinstance(network, MarkovNetwork)
    assert network.scopes == ((0, 2), (), (1,))
    assert network.tables[0].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert network.tables[1].shape == ()
    assert float(network.tables[1]) == 0.5
    assert network.tables[2].tolist() == [0.007]


def test_functions_of_a_bayesian_network_may_come_in_any_order():
    text = "BAYES 2  2 2  2  2 1 0  1 1  4 .1 .9 .2 .8  2 .3 .7"
    network = read(text).network
    assert network.parents == ((1,), ())
    assert network.tables[1].tolist() == [0.3, 0.7]


def test_ergo_files_have_no_header_and_imply_the_child():
    assert_same(read(ERGO).network, read(BAYES).network)


def test_names_of_an_ergo_file_are_left_out_with_a_note():
    document = read(ERGO + "/* Names   */\nA\nB\nC\n/* Labels  */\nn y\nn y\na b c\n")
    assert_same(document.network, read(BAYES).network)
    assert "names" in document.notes[0]


@pytest.mark.parametrize(
    "comment",
    ["# a remark 1 2 3\n", "/* over\ntwo 5 lines */", "// a remark 7\n", "c a remark\n", "c\n", "/* Names */"],
)
def test_comments_are_left_out(comment):
    lines = BAYES.splitlines(keepends=True)
    for at in (0, 1, 3, 9, len(lines)):
        assert_same(read("".join([*lines[:at], comment, *lines[at:]])).network, read(BAYES).network)


def test_rows_of_zeros_make_it_a_markov_network_with_a_note():
    document = read(BAYES.replace("0 1 0", "0 0 0"))
    assert isinstance(document.network, MarkovNetwork)
    assert document.network.scopes == ((0,), (0, 1), (1, 2))
    assert "line 14" in document.notes[0]
    assert "Markov" in document.notes[0]


def test_rows_that_do_not_sum_to_one_follow_the_common_rule():
    text = BAYES.replace("0.4 0.6", "0.4 0.4")
    with pytest.raises(FormatError, match=r"line 9: the table of '0' has a row that sums to 0.8, not 1.*--normalise"):
        read(text)
    assert read(text, normalise=True).network.tables[0].tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected BAYES, MARKOV or the number of variables, got an empty file"),
        ("\n\n<html>", "line 3: expected BAYES, MARKOV or the number of variables, got '<html>'"),
        ("BAYES", "line 1: the file ends too early: expected the number of variables"),
        ("0", "no variables"),
        ("BAYES 1e9", "expected the number of states of each variable (1,000,000,000 numbers), got 0"),
        ("MARKOV 3 1000000000 2 2 0", "variable 0 has 1,000,000,000 states; expected from 1 to 100,000"),
        ("MARKOV 3\n2\n0 2 0", "line 3: variable 1 has 0 states"),
        ("MARKOV 1 -2 0", "expected the number of states of each variable (a whole number ≥ 0), got -2"),
        ("MARKOV 1 2.5 0", "got 2.5"),
        ("MARKOV 1 nan 0", "got nan"),
        ("MARKOV 1 1e300 0", "got 1e+300"),
        ("MARKOV 20" + " 100000" * 20 + " 0", "2,000,000 states together"),
        ("MARKOV 2 2 2 9000000000000000 1 0", "function 1 (1 number), got 0"),
        ("MARKOV 2\n2 2\n1\n2 0 2\n4 1 1 1 1", "line 4: the scope of function 0 names variable 2; the variables are"),
        ("MARKOV 2\n2 2\n1\n2 1 1\n4 1 1 1 1", "line 4: the scope of function 0 names a variable twice"),
        ("MARKOV 1 2 1 1000000 0", "has 1,000,000 variables; at most 63"),
        ("MARKOV 1 2 1 1 -1 2 1 1", "got -1"),
        ("MARKOV 2\n2 2\n1\n2 0 1\n5\n1 1 1 1 1", "line 5: function 0 declares 5 entries; its scope has 4"),
        ("MARKOV 9" + " 1000" * 9 + "\n1\n9 0 1 2 3 4 5 6 7 8\n" + str(10**27), "expected the number of entries"),
        ("MARKOV 3 1000 1000 1000 1 3 0 1 2 1000000000 1 1", "1,000,000,000 entries; at most 50,000,000"),
        ("MARKOV 1\n2\n1\n1 0\n2\n1", "line 6: the file ends too early: expected the 2 entries of function 0"),
        ("MARKOV 1\n2\n1\n1 0\n2\n1 1\n8", "line 7: 1 more numbers follow the last table"),
        ("MARKOV 1\n2\n1\n1 0\n2\n1 x", "line 6: expected a number, got 'x'"),
        ("MARKOV 1\n2\n1\n1 0\n2\n1-2", "line 6: expected a number, got '1-2'"),
        ("MARKOV 1\n2\n1\n1 0\n2\n1 1_0", "line 6: expected a number, got '1_0'"),
        ("MARKOV 1\n2\n1\n1 0\n2\n1 é", "line 6: expected a number, got '?'"),
        ("MARKOV 1\n2\n1\n1 0\n2\n1 -1", "line 5: the factor over '0' holds a negative or infinite number"),
        ("MARKOV 1\n2\n1\n1 0\n2\n1 1e999", "line 5: the factor over '0' holds a negative or infinite number"),
        ("MARKOV 1\n/* 2\n1", "line 2: a comment is not closed"),
        ("MARKOV 1 2 0 /*/", "a comment is not closed"),
        ("BAYES 1 2\n2 1 0 1 0 2 1 1 2 1 1", "line 2: the file has 2 functions for 1 variables"),
        ("BAYES 1 2 1\n0 1 1", "line 2: function 0 has an empty scope"),
        ("BAYES 3\n2 2 2\n3\n1 0\n2 0 1\n2 0 1", "line 6: function 2 has the child 1 (the last variable"),
        ("BAYES 2 2 2 2 2 0 1 2 1 0 4 1 0 1 0 4 1 0 1 0", "cycle"),
        ("2\n2 2\n1 0\n0", "variable 0 is among its own parents"),
    ],
)  # fmt: skip
def test_malformed_files_are_refused_with_their_place(text, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        read(text)


def test_a_preamble_beyond_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr(uai, "MOST_PREAMBLE", 10)
    with pytest.raises(FormatError, match="beyond 10 numbers"):
        read(MARKOV.replace("\n3\n2 0 2", "\n9\n2 0 2\n0\n0"))


def test_child_first_is_not_guessed_but_named():
    text = "BAYES\n2\n2 2\n2\n1 0\n2 1 0\n2\n.5 .5\n4\n.1 .9 .2 .8"
    with pytest.raises(FormatError, match=r"line 6: .* seems to list the child first"):
        read(text)


def test_unclosed_comments_are_found_in_one_pass():
    with pytest.raises(FormatError, match="line 2: a comment is not closed"):
        read("MARKOV\n" + "/* " * 300_000)


@pytest.mark.parametrize("text", [BAYES, MARKOV, ERGO], ids=["BAYES", "MARKOV", "Ergo"])
def test_mutated_files_end_in_a_format_error_or_a_network(text):
    chance = random.Random(7)
    pieces = [
        "",
        " ",
        "\n",
        "-",
        "9",
        "1e9",
        "1e999",
        "nan",
        "BAYES",
        "0",
        "#",
        "/*",
        "*/",
        "\x00",
        "é",
        "99999999999999999999",
    ]
    for _ in range(1500):
        changed = text
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(changed) + 1)
            changed = changed[:at] + chance.choice(pieces) + changed[at + chance.randint(0, 3) :]
        with contextlib.suppress(FormatError):
            read(changed)


# --- writing -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "network",
    [
        random_dag(30, 3, 0.3, cardinality=3, random_state=5),
        grid_markov(4, 3, cardinality=2, random_state=6),
        read(MARKOV).network,
        read(BAYES).network,
        MarkovNetwork((), (), ()),
    ],
    ids=["random BN", "grid", "constant factor", "small BN", "empty"],
)
def test_round_trip_is_exact(network, tmp_path):
    path = tmp_path / "network.uai"
    write_network(path, network)
    assert_same(read_network(path).network, network)


@needs_data
@pytest.mark.parametrize("name", ["asia", "alarm"])
def test_pyagrum_reads_what_we_write(name, tmp_path):
    # pyAgrum 3.3.1 takes the first of several parents as the fastest, against the format, so only tables
    # of at most one parent can be compared; the row order of the others is tested below by a known result.
    pyagrum = pytest.importorskip("pyagrum")
    network = read_network(DATA / "networks/bif" / f"{name}.bif").network
    path = tmp_path / f"{name}.uai"
    write_network(path, network)
    theirs = pyagrum.loadBN(str(path))
    assert theirs.size() == len(network.variables)
    for child, (parents, table) in enumerate(zip(network.parents, network.tables, strict=True)):
        assert theirs.parents(child) == set(parents)
        assert theirs.variable(child).domainSize() == table.shape[-1]
        if len(parents) < 2:
            # pyAgrum reads the numbers in single precision.
            np.testing.assert_allclose(theirs.cpt(child).toarray(), table, rtol=2**-24)


def test_pgmpy_reads_the_markov_network_that_we_write(tmp_path):
    # Not for Bayesian networks: pgmpy 1.1.2 takes their tables with the child slowest, against the format.
    readwrite = pytest.importorskip("pgmpy.readwrite")
    network = grid_markov(2, 3, cardinality=3, random_state=8)
    path = tmp_path / "grid.uai"
    write_network(path, network)
    factors = readwrite.UAIReader(path=str(path)).get_model().get_factors()
    assert len(factors) == len(network.scopes)
    for factor, scope, table in zip(factors, network.scopes, network.tables, strict=True):
        assert factor.variables == [f"var_{i}" for i in scope]
        np.testing.assert_allclose(factor.values, table, rtol=1e-15)


# --- the shared files --------------------------------------------------------------------------


def stated_counts() -> list[tuple[str, dict[str, int]]]:
    """From the manifest: nodes, arcs, factors and parameters of each file, where stated."""
    if not DATA.is_dir():
        return []
    units = {"n": "nodes", "vars": "nodes", "a": "arcs", "f": "factors", "factors": "factors",
             "p": "parameters", "entries": "parameters", "params": "parameters"}  # fmt: skip
    cases = []
    for row in (DATA / "MANIFEST.md").read_text().splitlines():
        cells = [cell.strip() for cell in row.split("|")]
        if len(cells) > 6 and re.fullmatch(r"(networks/uai|uai)/.*\.uai", cells[1]):
            found = re.findall(r"\b(\d+) ?(n|a|f|p|vars|factors|entries|params)\b", cells[6])
            cases.append((cells[1], {units[unit]: int(number) for number, unit in found}))
    return cases


@needs_data
def test_the_manifest_states_all_files():
    files = [path for folder in ("networks/uai", "uai") for path in (DATA / folder).rglob("*.uai")]
    assert len(stated_counts()) == len(files) == 43


@pytest.mark.parametrize(("name", "stated"), stated_counts())
def test_shared_files_have_the_counts_of_the_manifest(name, stated):
    document = read_network(DATA / name)
    network = document.network
    if name.endswith("pedigree1.uai"):
        # Declared BAYES, but 616 rows do not sum to 1, most of them zeros: evidence was multiplied in.
        assert isinstance(network, MarkovNetwork)
        assert len(document.notes) == 1
        assert len(network.scopes) == 334
        stated = {"nodes": stated["nodes"]}
    if isinstance(network, MarkovNetwork) and stated.get("parameters") == 0:
        del stated["parameters"]  # pgmpy's count of parameters of a Markov network
    counts = {
        "nodes": len(network.variables),
        "arcs": len(network.edges),
        "factors": len(network.scopes),
        "parameters": count_parameters(network),
    }
    assert stated
    assert stated == {unit: counts[unit] for unit in stated}


@needs_data
def test_pedigree1_is_a_product_of_functions_whose_rows_sum_to_at_most_one():
    network = read_network(DATA / "networks/uai/merlin/pedigree1.uai").network
    sums = np.concatenate([table.sum(axis=-1).reshape(-1) for table in network.tables])
    assert int((abs(sums - 1) > 1e-9).sum()) == 616
    assert sums.max() <= 1 + 1e-9


@needs_data
def test_row_order_gives_the_known_probability_of_evidence():
    network = read_network(DATA / "uai/BN_78/BN_78.uai").network
    evidence = read_evidence(DATA / "uai/BN_78/BN_78.uai.evid", network)
    assert log10_partition(network, evidence) == pytest.approx(-2.735187, abs=5e-7)


@needs_data
@pytest.mark.parametrize(("evidence", "log10_z"), [("grid3x3-PR.uai.evid", 14.889867), ("grid3x3.uai.evid", 13.288798)])
def test_markov_factors_give_the_known_partition_function(evidence, log10_z):
    network = read_network(DATA / "uai/grid3x3/grid3x3.uai").network
    assert log10_partition(network, read_evidence(DATA / "uai/grid3x3" / evidence, network)) == pytest.approx(
        log10_z, abs=5e-7
    )


@needs_data
def test_markov_factors_give_the_known_marginals():
    folder = DATA / "uai/grid3x3"
    network = read_network(folder / "grid3x3.uai").network
    observed = read_evidence(folder / "grid3x3.uai.evid", network)
    joint = joint_weights([2] * 9, network.scopes, network.tables, {v: np.eye(2)[x] for v, x in observed.items()})
    _, _, _, *solution = (folder / "grid3x3.uai.MAR").read_text().split()
    for v in range(9):
        stated = [float(x) for x in solution[3 * v + 1 : 3 * v + 3]]
        np.testing.assert_allclose(marginal(joint, (v,)) / joint.sum(), stated, rtol=0, atol=5e-7)


def log10_partition(network: Network, evidence: dict[int, int]) -> float:
    """The sum of the product of all tables, by einsum over the variables that are not observed."""
    label = {v: i for i, v in enumerate(v for v in range(len(network.variables)) if v not in evidence)}
    operands: list[object] = []
    for scope, table in zip(network.scopes, network.tables, strict=True):
        operands += [table[tuple(evidence.get(v, slice(None)) for v in scope)], [label[v] for v in scope if v in label]]
    return float(np.log10(np.einsum(*operands, [], optimize="greedy")))


@needs_data
@pytest.mark.parametrize("name", ["asia", "andes", "win95pts"])
def test_ucla_files_have_the_sizes_of_the_bif_files(name):
    ours = read_network(DATA / f"networks/uai/ucla_{name}.uai").network
    bif = read_network(DATA / f"networks/bif/{name}.bif").network
    assert sorted(t.shape for t in ours.tables) == sorted(t.shape for t in bif.tables)
    assert len(ours.edges) == len(bif.edges)


@needs_data
@pytest.mark.parametrize("path", sorted((DATA / "networks/uai").glob("*.uai")), ids=lambda path: path.name)
def test_shared_files_survive_a_round_trip(path, tmp_path):
    network = read_network(path).network
    write_network(tmp_path / "again.uai", network)
    assert_same(read_network(tmp_path / "again.uai").network, network)


@needs_data
def test_quirky_files_read_or_are_refused_with_their_place():
    assert count_parameters(read_network(DATA / "quirky/uai/BNUAIIO_file.uai").network) == 24
    refused = [DATA / "quirky/uai/agrum_BNUAIIO_RO_file.uai", *sorted((DATA / "quirky/uai_childfirst").glob("*.uai"))]
    assert len(refused) == 7
    for path in refused:
        with pytest.raises(FormatError, match=rf"{re.escape(path.name)}:line \d+: .*child first"):
            read_network(path)


# --- evidence ----------------------------------------------------------------------------------

NETWORK = read(BAYES).network


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("0", {}),
        ("0\n", {}),
        ("0\n2 0\n", {}),
        ("1\n0", {}),
        ("1 2 1", {2: 1}),
        ("1\n1 0\n", {1: 0}),
        ("2 1 0 2 2\n", {1: 0, 2: 2}),
        ("1\n2 1 0 2 2\n", {1: 0, 2: 2}),
        ("/* Evidence */\n2\n 1    0\n 2    2\n", {1: 0, 2: 2}),
        ("2 1 0 1 0", {1: 0}),
    ],
)
def test_evidence_in_each_dialect(text, evidence):
    assert uai.parse_evidence(text, NETWORK) == evidence


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("\n\n<!DOCTYPE html>", "line 3: expected a number, got '<!DOCTYPE'"),
        ("1\n3 0", "line 2: no variable 3; the network's are 0 to 2"),
        ("2\n1 0\n0 2", "line 3: variable 0 is observed in state 2; its states are 0 to 1"),
        ("2\n1 0\n1 1", "line 3: variable 1 is observed in states 0 and 1"),
        ("2\n1 0 1\n1 2 2", "line 2: the file holds 2 samples of evidence; only one is read"),
        ("1", "line 1: the file declares 1 observed variables; expected 2 more numbers"),
        ("3 0 0 1 0", "expected 6 more numbers, a variable and its state for each, got 4"),
        ("1e15 0 0", "declares 1,000,000,000,000,000 observed variables"),
        ("1 0.5 0", "expected a variable (a whole number ≥ 0), got 0.5"),
        ("-1 0 0", "got -1"),
    ],
)
def test_malformed_evidence_is_refused(text, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        uai.parse_evidence(text, NETWORK)


def test_virtual_evidence_of_merlin():
    evidence = uai.parse_virtual_evidence("2\n1 2 0.6 0.8\n2 3 0 0.1 0.3\n", NETWORK)
    assert {v: values.tolist() for v, values in evidence.items()} == {1: [0.6, 0.8], 2: [0.0, 0.1, 0.3]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ends too early"),
        ("1\n2 2 .1 .2", "line 2: variable 2 is given 2 likelihoods; it has 3 states"),
        ("1\n1 2 0 0", "all zero"),
        ("1\n1 2 -1 1", "negative"),
        ("2\n1 2 1 1\n1 2 1 1", "line 3: a second likelihood for variable 1"),
        ("1\n1 2 1", "ends too early"),
        ("1\n1 2 1 1 1", "1 more numbers"),
        ("1\n7 2 1 1", "no variable 7"),
    ],
)
def test_malformed_virtual_evidence_is_refused(text, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        uai.parse_virtual_evidence(text, NETWORK)


@needs_data
def test_evidence_files_of_both_dialects_agree():
    pairs = [(new, new.with_name(new.name + "2012")) for new in sorted((DATA / "uai").rglob("*.uai.evid"))]
    pairs = [(new, old) for new, old in pairs if old.exists()]
    assert len(pairs) == 7
    for new, old in pairs:
        network = read_network(new.with_suffix("")).network
        assert read_evidence(new, network) == read_evidence(old, network) != {}


@needs_data
@pytest.mark.parametrize(
    ("evidence", "network", "count"),
    [
        ("uai/BN_0/BN_0.uai.evid", "uai/BN_0/BN_0.uai", 26),
        ("uai/grid3x3/grid3x3.uai.evid", "uai/grid3x3/grid3x3.uai", 3),
        ("uai/network/network.uai.evid", "uai/network/network.uai", 0),
        ("networks/uai/merlin/pedigree1.evid", "networks/uai/merlin/pedigree1.uai", 10),
        ("networks/uai/merlin/paskin.evid", "networks/uai/merlin/paskin.uai", 0),
        ("networks/uai/merlin/cancer.evid", "networks/uai/merlin/cancer.uai", 1),
        ("quirky/uai_childfirst/bnpp_asia.uai.evid", "networks/uai/ucla_asia.uai", 2),
    ],
)
def test_shared_evidence(evidence, network, count):
    assert len(read_evidence(DATA / evidence, read_network(DATA / network).network)) == count


@needs_data
def test_quirky_evidence():
    thousand = Document(MarkovNetwork(tuple(Variable(str(i), ("0", "1")) for i in range(1000)), (), ())).network
    path = DATA / "quirky/uai_bad_reference/relational_3/relational_3.uai.evid"
    assert read_evidence(path, thousand) == {756: 1, 646: 1, 1: 1, 219: 1, 929: 1, 932: 1, 971: 1}
    page = DATA / "quirky/uai/html_page_named.uai.evid"
    with pytest.raises(FormatError, match=r"html_page_named.uai.evid:line 7: expected a number, got '<!DOCTYPE'"):
        read_evidence(page, thousand)


def test_lines_are_right_across_the_pieces_of_a_long_text(monkeypatch):
    from engine.formats.networks import number_stream

    monkeypatch.setattr(number_stream, "_CHUNK", 5)
    text = "1\n22 333\n\n4444\n55555 6\n"
    found = number_stream.NumberStream(text)
    assert found.take(6, "numbers").tolist() == [1, 22, 333, 4444, 55555, 6]
    assert found.find_lines(range(6)) == [1, 2, 2, 4, 5, 5]


def test_written_files_are_read_back_by_path(tmp_path: Path):
    path = tmp_path / "old.ERG"
    path.write_text(ERGO)
    assert_same(read_network(path).network, NETWORK)
