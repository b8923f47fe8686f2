"""Long words and long lists in files: the time and the memory that they take grow with them, not with their square."""

from __future__ import annotations

import time
import tracemalloc
from contextlib import contextmanager

import numpy as np
import pytest

from engine.formats import parse_network, parse_table
from engine.formats.networks import uai
from engine.formats.networks.draft import FactorDraft, NetworkDraft, NodeDraft, build_document
from engine.formats.networks.net import _identifiers
from engine.formats.tables.columns import build_dataset, match_columns
from engine.formats.tables.matching import list_strangers, suggest_variables
from engine.formats.tables.table import Table, make_column
from engine.model.errors import FormatError, ModelError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable

LONG = 400_000
BRACES = (".bif", ".dne", ".dsc", ".dsl", ".net")
COIN = BayesianNetwork((Variable("0", ("0", "1")),), ((),), (np.array([0.5, 0.5]),))


@contextmanager
def quick(seconds=10.0):
    """The processor's time, not the clock's: the square of what is given here would take it for many minutes."""
    start = time.process_time()
    yield
    assert time.process_time() - start < seconds


@pytest.mark.parametrize(("before", "after"), [("", "x"), ("1e", "x"), (".", "x"), ("", "..")])
def test_a_long_word_that_is_nearly_a_number(before, after):
    word = before + "9" * LONG + after
    with (
        quick(),
        pytest.raises(FormatError, match=r"^x\.uai:line 6: a word of more than 10,000 ch.*'[.1-9e]{60}…'; at"),
    ):
        parse_network(f"BAYES\n1\n2\n1\n1 0\n2 .5 {word}".encode(), "x.uai")
    with quick(), pytest.raises(FormatError, match="a word of more than 10,000 characters"):
        uai.parse_evidence(f"2 .5 {word}", COIN)
    short = before + "9" * 9_000 + after
    with quick(), pytest.raises(FormatError, match=r"^line 1: expected a number, got '[.1-9e]{60}…'$"):
        uai.parse_evidence(f"2 .5 {short}", COIN)


@pytest.mark.parametrize("suffix", BRACES)
@pytest.mark.parametrize(
    ("before", "piece", "after"), [("", "a", ""), ('"', "a", '"'), ('"', "\\a", '"'), ('"', "\\a", "")]
)
def test_a_long_word_takes_little_memory(suffix, before, piece, after):
    text = before + piece * 20_000 + after
    tracemalloc.start()
    with pytest.raises(FormatError):
        parse_network(text.encode(), f"x{suffix}")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40 * len(text)


def test_a_long_sparse_row():
    with quick():
        assert parse_table(write_arff("{" + "0 p," * LONG + "}"), "x.arff").rows == 1


@pytest.mark.parametrize("piece", ["\\'", "'\\"])
def test_a_long_sparse_row_whose_quotes_are_not_closed(piece):
    with quick(), pytest.raises(FormatError, match=r"^x\.arff:line 4: a quote that is never closed"):
        parse_table(write_arff("{" + piece * LONG), "x.arff")


def write_arff(row):
    return f"@relation x\n@attribute a {{p,q}}\n@data\n{row}\n".encode()


def test_a_long_list_of_states_whose_quotes_are_not_closed():
    data = ("@relation x\n@attribute a {" + "\\'" * LONG + "\n@data\n").encode()
    with quick(), pytest.raises(FormatError, match=r"^x\.arff:line 2: a quote that is never closed"):
        parse_table(data, "x.arff")


def test_one_variable_with_very_many_parents():
    count = 30_000
    nodes = [NodeDraft(f"v{k}", ["only"], table=np.ones(1)) for k in range(count)]
    nodes[-1].parents = [node.name for node in nodes[:-1]]
    with quick(), pytest.raises(FormatError, match="is over 30000 variables; at most"):
        build_document(NetworkDraft(nodes))
    factors = [FactorDraft([node.name for node in nodes], np.ones(1))]
    with quick(), pytest.raises(FormatError, match="is over 30000 variables; at most"):
        build_document(NetworkDraft(nodes, factors))


def test_very_many_columns_and_variables():
    count = 30_000
    variables = [Variable(f"v{k}", ("yes",)) for k in range(count)]
    table = Table([make_column(f"v{k}", ["yes"]) for k in reversed(range(count))], 1)
    with quick():
        assert match_columns(table, variables) == {k: count - 1 - k for k in range(count)}
        assert list_strangers(table, variables) == []
    shouted = Table([make_column(f"V-{k}", ["yes"]) for k in range(600)], 1)
    with quick():
        assert suggest_variables(shouted, range(600), variables[:600]) == {k: k for k in range(600)}


def test_long_names_that_are_nearly_equal():
    table = Table([make_column("a" * 20_000 + "b", ["yes"]), make_column("A" * 20_000, ["yes"])], 1)
    with quick():
        assert suggest_variables(table, [0], [Variable("a" * 20_000, ("yes",))]) == {}
        assert suggest_variables(table, [1], [Variable("a" * 20_000, ("yes",))]) == {1: 0}


def test_very_many_names_that_are_spelt_alike_when_written():
    count = 30_000
    with quick():
        found = _identifiers([chr(0x4E00 + k % 20_000) + chr(0x4E00 + k // 20_000) for k in range(count)])
    assert (found[:2], found[-1], len(set(found))) == (["__", "___2"], f"___{count}", count)


PARENTS = [f"V{k}" for k in range(24)]
DEFAULT = (
    "network x {}\n"
    + "".join(f"variable {name} {{ type discrete [2] {{ y, n }}; }}\n" for name in [*PARENTS, "Z"])
    + f"probability (Z | {', '.join(PARENTS)}) {{ default 0.3, 0.7; }}\n"
)
NOISY_MAX = (
    "<smile><nodes>"
    + "".join(
        f'<cpt id="{name}"><state id="y"/><state id="n"/><probabilities>1 0</probabilities></cpt>' for name in PARENTS
    )
    + f'<noisymax id="Z"><state id="y"/><state id="n"/><parents>{" ".join(PARENTS)}</parents>'
    + f"<parameters>{'0.3 0.7 0 1 ' * 24} 0.1 0.9</parameters></noisymax></nodes></smile>"
)


@pytest.mark.parametrize(("suffix", "text"), [(".bif", DEFAULT), (".xdsl", NOISY_MAX)])
def test_a_small_file_does_not_become_a_large_table(suffix, text):
    """2²⁴ rows took 5 s and a gigabyte."""
    with pytest.raises(FormatError, match=r"with the table of 'Z' the file implies more than 20,000,000 numbers"):
        parse_network(text.encode(), f"x{suffix}")


@pytest.mark.parametrize("suffix", BRACES)
def test_a_word_has_a_longest_length(suffix):
    with pytest.raises(
        FormatError, match=rf"^x\{suffix}:line 2: a word of 10,001 characters, 'a{{60}}…'; at most 10,000"
    ):
        parse_network(("\n" + "a" * 10_001).encode(), f"x{suffix}")


def test_a_name_has_a_longest_length_and_is_quoted_in_part():
    long = "é" * 10_001
    nodes = [NodeDraft(long, ["y", "n"], 3, table=np.full(2, 0.5))]
    with pytest.raises(FormatError, match=r"^line 3: 'é{60}…' has a name of 10,001 characters; at most 10,000"):
        build_document(NetworkDraft(nodes))
    rows = parse_table(f"{long},b\n1,2\n".encode(), "x.csv")
    assert "has a name of 10,001 characters, and at most 10,000 are supported" in str(build_dataset(rows, None).notes)


@pytest.mark.parametrize("number", ["9" * 10_001, "9" * 10_000 + "x"])
def test_a_number_has_a_longest_length_in_xml_too(number):
    text = (
        f"<BIF><NETWORK><VARIABLE><NAME>A</NAME><OUTCOME>y</OUTCOME></VARIABLE><DEFINITION><FOR>A</FOR><TABLE>{number}"
    )
    with pytest.raises(FormatError, match=r"got '9{60}…' of 10,001 characters; at most 10,000 are read"):
        parse_network(f"{text}</TABLE></DEFINITION></NETWORK></BIF>".encode(), "x.xml")


def test_messages_quote_sixty_characters_of_a_name():
    long = "a" * 5_000
    nodes = [NodeDraft(f"{long}{k}", ["y"], 1, [f"{long}{1 - k}"], np.ones(1)) for k in range(2)]
    messages = []
    for broken in (
        nodes,
        [NodeDraft(long, [long, long])],
        [NodeDraft(long, ["y"], 1, [long * 2], np.ones(1))],
        nodes[:1] * 2,
    ):
        with pytest.raises(FormatError) as caught:
            build_document(NetworkDraft(broken))
        messages.append(str(caught.value))
    with pytest.raises(FormatError) as caught:
        build_dataset(parse_table(f"{long}\n{long}x\n".encode(), "x.csv"), [Variable(long, ("y", long))])
    messages.append(str(caught.value))
    assert max(map(len, messages)) < 400, messages


def test_a_long_cycle_is_told_in_part():
    count = 5_000
    nodes = [NodeDraft(f"v{k}", ["y"], 1, [f"v{(k + 1) % count}"], np.ones(1)) for k in range(count)]
    with pytest.raises(FormatError, match=r"the arrows form a cycle: ('v\d+' → ){12}… \(5000 arrows\)$"):
        build_document(NetworkDraft(nodes))


def test_a_state_that_is_there_twice_among_very_many():
    with quick(2.0), pytest.raises(ModelError, match="has the state '99999' twice"):
        Variable("a", (*map(str, range(100_000)), "99999"))


@pytest.mark.parametrize("normalise", [False, True])
def test_numbers_whose_sum_is_too_large_are_refused_without_a_warning(normalise):
    text = "network x {} variable A { type discrete [2] { y, n }; } probability (A) { table 1e308, 1e308; }"
    with pytest.raises(FormatError, match=r"has a row that sums to inf, not 1"):
        parse_network(text.encode(), "x.bif", normalise)


def test_weights_whose_sum_is_too_large_are_refused_without_a_warning():
    table = parse_table(b"a,weight\ny,1e308\nn,1e308\n", "x.csv")
    with pytest.raises(ModelError, match="weights add up to more than a number can hold"):
        build_dataset(table, None)
