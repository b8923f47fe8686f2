"""The command line: what each command prints, writes and refuses."""

from __future__ import annotations

import itertools
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from app import main as page
from engine.formats import DATA_FORMATS, NETWORK_FORMATS, Document, read_dataset, read_network, write_network
from engine.formats.files import write_pieces
from engine.formats.networks import draft
from engine.inference.query import Evidence
from engine.inference.query import query as ask
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.variable import Variable
from engine.simulation.generators import grid_markov
from tests.command_line import EXAMPLES, assert_refused, run
from tests.compare import assert_same_by_names

ASIA = EXAMPLES / "asia.bif"
SPRINKLER = EXAMPLES / "sprinkler.bif"
GRID = EXAMPLES / "thesis-grid.json"
WRITABLE = [suffix for suffix, form in NETWORK_FORMATS.items() if form.dump]
WRITABLE_DATA = [suffix for suffix, form in DATA_FORMATS.items() if form.dump]


def posterior(path, evidence, name):
    network = read_network(path).network
    return ask(network, evidence).marginal(network.index[name])[0].tolist()


def in_process(*words, **options):
    """Run the command as a program of its own."""
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root), **options.pop("env", {})}
    command = [sys.executable, "-m", "app.cli", *map(str, words)]
    return subprocess.run(command, capture_output=True, env=environment, timeout=120, check=False, **options)


# --- query -------------------------------------------------------------------------------------


def test_query_without_evidence():
    found = run("query", ASIA, "--json").result
    assert found["log_evidence"] == pytest.approx(0, abs=1e-12)
    assert found["posteriors"]["lung"] == pytest.approx({"yes": 0.055, "no": 0.945})
    assert found["posteriors"]["dysp"]["yes"] == pytest.approx(0.4359706)
    assert "log_partition" not in found
    assert list(found["posteriors"]) == [v.name for v in read_network(ASIA).network.variables]


def test_query_prints_lines_for_people():
    outcome = run("query", ASIA, "--evidence", "smoke=yes")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0] == "log evidence -0.693147"
    assert "smoke  yes 1.0000  no 0.0000" in lines
    assert "lung  yes 0.1000  no 0.9000" in lines
    assert len(lines) == 9


def test_query_takes_the_three_kinds_of_evidence():
    found = run(
        "query", ASIA, "--json", "--evidence", "smoke=yes", "--evidence", "asia=no",
        "--likelihood", "xray=yes:0.7,no:0.2", "--marginal", "dysp=no:0.25,yes:0.75",
    ).result  # fmt: skip
    evidence = Evidence({"smoke": "yes", "asia": "no"}, {"xray": [0.7, 0.2]}, {"dysp": [0.75, 0.25]})
    assert found["posteriors"]["dysp"] == pytest.approx({"yes": 0.75, "no": 0.25})
    assert list(found["posteriors"]["lung"].values()) == posterior(ASIA, evidence, "lung")
    hard = run("query", ASIA, "--json", "--evidence", "smoke=yes", "--evidence", "asia=no").result
    assert found["log_evidence"] < hard["log_evidence"] < 0


def test_query_leaves_out_a_partition_function_that_is_too_wide(tmp_path):
    path = tmp_path / "grid.uai"
    write_network(path, Document(grid_markov(7, 7, random_state=3)))
    words = ["query", path, "--memory-limit", "0.00003", "--json"]
    assert_refused(run(*words), "memory")
    names = {v.name: v.states for v in read_network(path).network.variables}
    given = [word for v in range(3, 49, 7) for word in ("--evidence", f"{list(names)[v]}={list(names.values())[v][0]}")]
    found = run(*words, *given)
    assert (found.result["log_evidence"], found.result["log_partition"]) == (None, None)
    assert len(found.result["posteriors"]) == 49
    assert "the probability of the evidence is left out" in found.result["notes"][-1]


def test_query_of_a_markov_network_gives_its_partition_function():
    found = run("query", GRID, "--json").result
    network = read_network(GRID).network
    assert isinstance(network, MarkovNetwork)
    operands = [part for scope, table in zip(network.scopes, network.tables, strict=True) for part in (table, scope)]
    assert found["log_partition"] == pytest.approx(float(np.log(np.einsum(*operands, []))))
    assert "log partition function" in run("query", GRID).out


@pytest.mark.parametrize("text", ["2 2 0 4 1", "1\n2 2 0 4 1\n", "/* evidence */\n 2\n 2 0\n 4 1\n"])
def test_query_reads_evidence_files_in_each_dialect(tmp_path, text):
    path = tmp_path / "asia.uai.evid"
    path.write_text(text)
    found = run("query", ASIA, "--json", "--evidence-file", path).result
    assert found == run("query", ASIA, "--json", "--evidence", "smoke=yes", "--evidence", "bronc=no").result


def test_query_joins_an_evidence_file_with_other_evidence(tmp_path):
    path = tmp_path / "e.evid"
    path.write_text("1 2 0")
    assert run("query", ASIA, "--evidence-file", path, "--evidence", "smoke=yes").code == 0
    assert_refused(run("query", ASIA, "--evidence-file", path, "--evidence", "smoke=no"), "'smoke'", "'yes'", "'no'")
    assert_refused(
        run("query", ASIA, "--evidence-file", path, "--likelihood", "smoke=yes:1,no:2"), "two kinds", "smoke"
    )
    path.write_text("1\n2 7")
    assert_refused(run("query", ASIA, "--evidence-file", path), f"{path}:line 2", "variable 2")
    assert_refused(run("query", ASIA, "--evidence-file", tmp_path / "none.evid"), "none.evid", "cannot read")


@pytest.fixture
def odd(tmp_path):
    """A network whose names hold the characters of the command line's own grammar."""
    path = tmp_path / "odd.bif"
    first = Variable("a", ("b=c", "x:1,y:2", "q"))
    second = Variable("a=b", ("c", ",", "1:0.5"))
    third = Variable("x,y", ("yes", "no"))
    tables = ([0.2, 0.3, 0.5], np.full((3, 3), 1 / 3), [[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    write_network(path, BayesianNetwork((first, second, third), ((), (0,), (0,)), tables))
    return path


@pytest.mark.parametrize(
    ("words", "evidence"),
    [
        (["--evidence", "a=q"], Evidence({"a": "q"}, {}, {})),
        (["--evidence", "a=b=c"], Evidence({"a": "b=c"}, {}, {})),
        (["--evidence", "a=b=,"], Evidence({"a=b": ","}, {}, {})),
        (["--evidence", "a=b=1:0.5"], Evidence({"a=b": "1:0.5"}, {}, {})),
        (["--evidence", "x,y=no"], Evidence({"x,y": "no"}, {}, {})),
        (["--likelihood", "a=x:1,y:2:0.5,b=c:1,q:0.25"], Evidence({}, {"a": [1, 0.5, 0.25]}, {})),
        (["--likelihood", "a=b=,:2,c:1,1:0.5:3"], Evidence({}, {"a=b": [1, 2, 3]}, {})),
        (["--marginal", "x,y=no:0.25,yes:0.75"], Evidence({}, {}, {"x,y": [0.75, 0.25]})),
    ],
)
def test_query_finds_names_that_hold_its_own_punctuation(odd, words, evidence):
    found = run("query", odd, "--json", *words).result["posteriors"]
    for name in ("a", "a=b", "x,y"):
        assert list(found[name].values()) == posterior(odd, evidence, name)


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["--evidence", "smoke"], ["'smoke'", "--evidence X=a"]),
        (["--evidence", "cough=yes"], ["no variable 'cough'", "'dysp'"]),
        (["--evidence", "smoke=maybe"], ["'smoke'", "no state 'maybe'", "'yes', 'no'"]),
        (["--evidence", "smoke=yes", "--evidence", "smoke=no"], ["'smoke'", "two states"]),
        (["--evidence", "smoke=yes", "--marginal", "smoke=yes:1,no:0"], ["two kinds of evidence", "'smoke'"]),
        (["--likelihood", "smoke=yes:1,no:1", "--marginal", "smoke=yes:1,no:0"], ["two kinds", "'smoke'"]),
        (["--likelihood", "smoke=yes:1,no:1", "--likelihood", "smoke=yes:1,no:1"], ["'smoke'", "twice"]),
        (["--likelihood", "smoke=yes:1"], ["no number for the state 'no'"]),
        (["--likelihood", "smoke=yes:1,no:x"], ["'x'", "not a number"]),
        (["--likelihood", "smoke=yes:1,yes:1,no:1"], ["'yes'", "twice"]),
        (["--likelihood", "smoke=yes:1,no:1,maybe:1"], ["no state 'maybe'"]),
        (["--likelihood", "smoke=yes:0,no:0"], ["'smoke'", "not all 0"]),
        (["--likelihood", "smoke=yes:-1,no:1"], ["'smoke'", "≥ 0"]),
        (["--likelihood", "smoke=yes:nan,no:1"], ["'smoke'"]),
        (["--likelihood", "smoke=yes:inf,no:1"], ["'smoke'"]),
        (["--likelihood", "smoke="], ["no number for the state"]),
        (["--likelihood", "smoke=yes:1,no:2,yes"], ["'yes'", "state:number"]),
        (["--marginal", "smoke=yes:0.5,no:0.6"], ["'smoke'", "sums to 1.1"]),
        (["--evidence", "either=no", "--evidence", "lung=yes"], ["either=no", "lung=yes", "probability 0"]),
        (["--evidence", "either=no", "--marginal", "lung=yes:0.5,no:0.5"], ["'lung'", "exclude"]),
        (["--memory-limit", "0"], ["--memory-limit", "above 0"]),
        (["--memory-limit", "-1"], ["--memory-limit"]),
        (["--memory-limit", "nan"], ["--memory-limit"]),
        (["--memory-limit", "inf"], ["--memory-limit"]),
        (["--memory-limit", "much"], ["--memory-limit", "'much'", "--help"]),
        (["--nonsense"], ["--nonsense", "--help"]),
        (["--evidence"], ["--evidence", "expected one argument"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_query_refuses_in_one_line(words, parts, form):
    assert_refused(run("query", ASIA, *words, *form), *parts)


def test_query_says_what_to_do_at_the_memory_limit():
    outcome = run("query", ASIA, "--memory-limit", "1e-7")
    assert_refused(outcome, "GB", "'bronc'", "8 cells", "--memory-limit")
    assert run("query", ASIA, "--memory-limit", "1e-5").code == 0
    observed = ["--evidence", "bronc=yes", "--evidence", "either=no", "--evidence", "smoke=yes", "--evidence", "tub=no"]
    assert run("query", ASIA, "--memory-limit", "1.5e-7", *observed).code == 0  # observed variables cost nothing


def test_unnormalised_tables_are_refused_or_rescaled(tmp_path):
    path = tmp_path / "loud.bif"
    path.write_text(SPRINKLER.read_text().replace("0.99, 0.01", "0.99, 0.99"))
    assert_refused(run("query", path), f"{path}:line", "sums to 1.98", "--normalise")
    outcome = run("query", path, "--normalise", "--json")
    assert outcome.code == 0
    assert outcome.result["notes"] == [outcome.err.removeprefix("pgmgui: note: ").rstrip("\n")]
    for command in ("info", "convert", "simulate"):
        more = {"info": [], "convert": [tmp_path / "x.net"], "simulate": ["--rows", 1, "--out", tmp_path / "x.csv"]}
        assert_refused(run(command, path, *more[command]), "--normalise")
        assert run(command, path, *more[command], "--normalise").code == 0


# --- simulate ----------------------------------------------------------------------------------


def simulate(tmp_path, *words, network=ASIA):
    """Simulate and read back: the outcome's JSON, and the dataset over the network's variables."""
    path = tmp_path / "out.csv"
    result = run("simulate", network, "--out", path, "--json", *words).result
    return result, read_dataset(path, read_network(network).network.variables).dataset


def test_simulate_writes_complete_rows(tmp_path):
    result, data = simulate(tmp_path, "--rows", 300)
    assert (result["rows"], result["variables"], len(result["observed"])) == (300, 8, 8)
    assert result["hidden"] == result["partial"] == result["soft"] == []
    assert data.n_rows == 300
    assert (data.codes >= 0).all()
    lines = run("simulate", ASIA, "--rows", 300, "--out", tmp_path / "again.csv")
    assert lines.out == f"wrote 300 rows of 8 variables to {tmp_path / 'again.csv'}\n"


def test_simulate_draws_from_a_markov_network(tmp_path):
    _, data = simulate(tmp_path, "--rows", 50, network=GRID)
    assert data.codes.shape == (9, 50)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--missing", "0.3"],
        ["--missing", "0.3", "--mechanism", "mar"],
        ["--missing", "0.3", "--mechanism", "nmar"],
        ["--hide-fraction", "0.5"],
    ],
)
def test_simulate_is_reproducible(tmp_path, words):
    _, first = simulate(tmp_path, "--rows", 200, "--random-state", 5, *words)
    _, again = simulate(tmp_path, "--rows", 200, "--random-state", 5, *words)
    _, other = simulate(tmp_path, "--rows", 200, "--random-state", 6, *words)
    assert (first.codes == again.codes).all()
    assert (first.codes != other.codes).any()


@pytest.mark.parametrize(("mechanism", "rate"), [("mcar", 0.3), ("mar", 0.15), ("nmar", 0.3)])
def test_simulate_removes_cells_by_each_mechanism(tmp_path, mechanism, rate):
    """Half the variables stay complete under mar; 16,000 cells, so the rate is good to 0.02."""
    _, data = simulate(tmp_path, "--rows", 2000, "--missing", "0.3", "--mechanism", mechanism)
    assert (data.codes == -1).mean() == pytest.approx(rate, abs=0.02)


def test_simulate_hides_the_named_variables(tmp_path, odd):
    result, _ = simulate(tmp_path, "--rows", 5, "--hide", "lung,tub", "--hide", "bronc")
    assert result["hidden"] == ["tub", "lung", "bronc"]
    result, _ = simulate(tmp_path, "--rows", 5, "--hide", "x,y,a", network=odd)
    assert result["hidden"] == ["a", "x,y"]
    assert len(simulate(tmp_path, "--rows", 5, "--hide-fraction", "0.25")[0]["hidden"]) == 2
    text = run("simulate", ASIA, "--rows", 5, "--hide", "lung", "--out", tmp_path / "x.csv").out
    assert text.endswith("hidden: lung\n")


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["--rows", "-1"], ["--rows", "-1"]),
        (["--rows", "ten"], ["--rows", "'ten'"]),
        (["--rows", str(10**15)], ["1,000,000,000,000,000 rows", "fewer"]),
        (["--rows", "9" * 400], ["rows", "fewer"]),
        (["--rows", "5", "--random-state", "-3"], ["--random-state", "-3"]),
        (["--rows", "5", "--missing", "1.5"], ["1.5", "from 0 to 1"]),
        (["--rows", "5", "--missing", "-0.1"], ["-0.1", "from 0 to 1"]),
        (["--rows", "5", "--missing", "nan"], ["nan", "from 0 to 1"]),
        (["--rows", "5", "--hide-fraction", "2"], ["2", "from 0 to 1"]),
        (["--rows", "5", "--hide-fraction", "nan"], ["nan", "from 0 to 1"]),
        (["--rows", "5", "--hide", "lung,cough"], ["no variable 'cough'"]),
        (["--rows", "5", "--hide", "lung", "--hide-fraction", "0.5"], ["--hide-fraction", "--hide"]),
        (["--rows", "5", "--missing", "0.5", "--mechanism", "magic"], ["--mechanism", "magic"]),
        ([], ["--rows"]),
    ],
)
def test_simulate_refuses_in_one_line_and_writes_nothing(tmp_path, words, parts):
    assert_refused(run("simulate", ASIA, "--out", tmp_path / "x.csv", *words), *parts)
    assert not list(tmp_path.iterdir())


def test_simulate_refuses_an_output_that_is_not_data(tmp_path):
    for name in ("x.bif", "x", "x.cas", "x.arff"):
        assert_refused(run("simulate", ASIA, "--rows", 5, "--out", tmp_path / name), tmp_path / name)
    assert_refused(run("simulate", ASIA, "--rows", 5), "--out")
    assert not list(tmp_path.iterdir())


# --- convert -----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [*WRITABLE, ".bif.gz"])
def test_convert_there_and_back(tmp_path, suffix):
    there, back = tmp_path / f"asia{suffix}", tmp_path / "back.bif"
    assert run("convert", ASIA, there, "--json").result == {"in": str(ASIA), "out": str(there), "notes": []}
    assert run("convert", there, back).out == f"wrote 8 variables to {back}\n"
    original, found = read_network(ASIA).network, read_network(back).network
    if suffix in (".uai", ".erg"):  # the format has no names
        assert [v.name for v in found.variables] == [str(i) for i in range(8)]
        assert all((a == b).all() for a, b in zip(original.tables, found.tables, strict=True))
    else:
        assert_same_by_names(original, found)


@pytest.mark.parametrize("suffix", [".uai", ".json"])
def test_convert_a_markov_network(tmp_path, suffix):
    there, back = tmp_path / f"grid{suffix}", tmp_path / "back.json"
    assert run("convert", GRID, there).code == run("convert", there, back).code == 0
    original, found = read_network(GRID).network, read_network(back).network
    assert isinstance(found, MarkovNetwork)
    assert original.scopes == found.scopes
    assert all((a == b).all() for a, b in zip(original.tables, found.tables, strict=True))


def test_convert_to_the_other_kind_and_back(tmp_path):
    there, back = tmp_path / "markov.json", tmp_path / "back.bif"
    source = EXAMPLES / "thesis-chain.bif"
    assert run("convert", source, there, "--markov").code == run("convert", there, back, "--bayesian").code == 0
    assert isinstance(read_network(there).network, MarkovNetwork)
    assert_same_by_names(read_network(source).network, read_network(back).network, 1e-12)
    assert run("convert", source, back, "--bayesian").code == 0  # it is one already
    refused = run("convert", GRID, tmp_path / "grid.bif", "--bayesian")
    assert refused.code == 2
    assert "the cycle '1' – '4' – '5' – '2' – '1' has no chord; connect two" in refused.err
    assert run("convert", source, back, "--bayesian", "--markov").code == 2
    assert "--bayesian is for networks" in run("convert", EXAMPLES / "asia.csv", "x.csv", "--bayesian").err


@pytest.mark.parametrize("suffix", [*WRITABLE_DATA, ".csv.gz"])
def test_convert_data_there_and_back(tmp_path, suffix):
    source = tmp_path / "source.csv"
    run("simulate", ASIA, "--rows", 50, "--missing", "0.2", "--out", source)
    there, back = tmp_path / f"data{suffix}", tmp_path / "back.csv"
    assert run("convert", source, there).out == f"wrote 50 rows of 8 variables to {there}\n"
    assert run("convert", there, back).code == 0
    assert back.read_bytes() == source.read_bytes()


@pytest.mark.parametrize(
    ("source", "target", "parts"),
    [
        (ASIA, "x.csv", ["one is a network and the other is data"]),
        (EXAMPLES / "asia.csv", "x.bif", ["one is a network and the other is data"]),
        (ASIA, "x.dsc", ["x.dsc", "can be read but not written", ".bif"]),
        (ASIA, "x.dne", ["x.dne", "can be read but not written"]),
        (ASIA, "x.pdf", ["x.pdf", "unknown suffix '.pdf'"]),
        (ASIA, "x", ["unknown suffix ''"]),
        (EXAMPLES / "asia.csv", "x.arff", ["x.arff", "can be read but not written"]),
        (GRID, "x.bif", ["x.bif", "Markov", ".uai"]),
        (EXAMPLES / "absent.bif", "x.net", ["absent.bif", "cannot read"]),
        (ASIA, "none/x.net", ["none/x.net", "cannot write", "No such file"]),
    ],
)
def test_convert_refuses_in_one_line_and_writes_nothing(tmp_path, source, target, parts):
    assert_refused(run("convert", source, tmp_path / target), *parts)
    assert not list(tmp_path.iterdir())


def test_a_failing_write_leaves_the_old_file_whole_and_no_litter(tmp_path, monkeypatch):
    path = tmp_path / "old.net"
    path.write_text("precious")

    def fail(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        assert_refused(run("convert", ASIA, path), path, "cannot write", "No space left")
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]

    def pieces():
        yield "half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_pieces(path, pieces())
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]


def test_an_output_that_is_a_folder_is_refused_without_litter(tmp_path):
    path = tmp_path / "folder.net"
    path.mkdir()
    assert_refused(run("convert", ASIA, path), path, "cannot write")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_leaves_the_old_file_whole(tmp_path):
    path = tmp_path / "old.net"
    path.write_text("precious")
    tmp_path.chmod(0o500)
    try:
        assert_refused(run("convert", ASIA, path), path, "Permission denied")
    finally:
        tmp_path.chmod(0o700)
    assert path.read_text() == "precious"


def test_a_rewritten_file_keeps_its_permissions_and_its_links(tmp_path):
    path, link = tmp_path / "secret.net", tmp_path / "link.net"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to(path)
    assert run("convert", ASIA, link).code == 0
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert_same_by_names(read_network(path).network, read_network(ASIA).network)


def test_a_long_file_name_can_be_written(tmp_path):
    path = tmp_path / ("n" * 250 + ".bif")
    assert run("convert", ASIA, path).code == 0
    assert path.exists()


def test_a_file_may_be_converted_onto_itself(tmp_path):
    path = tmp_path / "asia.bif"
    path.write_bytes(ASIA.read_bytes())
    assert run("convert", path, path).code == 0
    assert_same_by_names(read_network(path).network, read_network(ASIA).network)


# --- info --------------------------------------------------------------------------------------


def test_info_of_a_bayesian_network():
    found = run("info", ASIA, "--json").result
    assert found.pop("memory_bytes") > 0
    assert found == {
        "kind": "bayesian", "name": "asia", "variables": 8, "edges": 8, "factors": 8, "parameters": 18,
        "most_states": 2, "treewidth": 2, "largest_table": 8, "notes": [],
    }  # fmt: skip
    text = run("info", ASIA).out
    assert "Bayesian network asia" in text
    assert "8 variables with up to 2 states, 8 arrows, 18 free parameters" in text


def test_info_of_a_markov_network():
    found = run("info", GRID, "--json").result
    assert (found["kind"], found["variables"], found["edges"], found["factors"]) == ("markov", 9, 12, 12)
    assert "Markov network" in run("info", GRID).out


def test_info_of_data(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("A,B,_weight\nyes,?,2\nno,x,1\nyes,?,3\n")
    found = run("info", path, "--json").result
    notes = found.pop("notes")
    assert len(notes) == 1
    assert "weights" in notes[0]
    assert found == {
        "kind": "data", "rows": 3, "distinct_rows": 2, "total_weight": 6.0, "missing_cells": 2,
        "likelihood_cells": 0, "target_cells": 0,
        "observed": ["A"], "hidden": [], "partial": ["B"], "soft": [],
        "states": {"A": ["yes", "no"], "B": ["x"]},
    }  # fmt: skip
    assert "3 rows (2 distinct) of 2 variables, 2 cells missing\n" in run("info", path).out


def test_info_of_data_with_likelihoods_and_targets(tmp_path):
    path = tmp_path / "d.arff"
    path.write_text("@relation r\n@attribute A {yes,no}\n@data\n{0.3;0.7}\n[1;2]\n{0.3;0.7}\n?\n")
    found = run("info", path, "--json").result
    assert (found["likelihood_cells"], found["target_cells"], found["distinct_rows"]) == (1, 2, 3)
    assert "1 cell missing, 1 with a likelihood, 2 with a target" in run("info", path).out


def test_info_refuses_more_variables_than_a_graph_may_have(monkeypatch):
    monkeypatch.setattr(draft, "MOST_VARIABLES", 7)
    assert_refused(run("info", ASIA), ASIA, "8 variables", "at most 7")


def test_info_of_a_network_too_wide_for_any_machine(tmp_path):
    path = tmp_path / "wide.uai"
    pairs = list(itertools.combinations(range(120), 2))
    scopes, tables = (f"2 {a} {b}" for a, b in pairs), ["4 1 2 2 1"] * len(pairs)
    path.write_text("\n".join(["MARKOV 120", "2 " * 120, str(len(pairs)), *scopes, *tables]))
    found = run("info", path, "--json").result
    assert (found["treewidth"], found["largest_table"]) == (119, 10**30)
    assert "width 119, largest table 1.0e+30 cells" in run("info", path).out
    assert_refused(run("query", path), "120 unobserved variables", "1e+30 cells or more", "--memory-limit")


@pytest.mark.parametrize("name", ["", "x", ".", "x.pdf", "absent.bif", "absent.csv"])
def test_info_refuses_what_is_not_there(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    assert_refused(run("info", name), name)


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.iterdir() if path.name != "index.json"))
def test_info_of_every_example(name):
    found = run("info", EXAMPLES / name, "--json").result
    assert (found["kind"] == "data") == name.endswith(".csv")


# --- serve, help, version ----------------------------------------------------------------------


@pytest.mark.parametrize("first", [[], ["serve"]], ids=["bare", "serve"])
def test_serving_fails_before_the_server_starts(tmp_path, monkeypatch, first):
    def unreachable(*_):
        raise AssertionError("the server was started")

    monkeypatch.setattr(page, "make_server", unreachable)
    broken = tmp_path / "broken.bif"
    broken.write_text("network x {")
    assert_refused(run(*first, broken), f"{broken}:line 1")
    assert_refused(run(*first, tmp_path / "absent.bif"), "absent.bif", "cannot read")
    assert_refused(run(*first, ASIA, tmp_path / "absent.csv"), "absent.csv", "cannot read")
    assert_refused(run(*first, ASIA, EXAMPLES / "student.csv"), "student.csv", "no column is a variable")
    assert_refused(run(*first, ASIA, EXAMPLES / "asia.csv", "third"), "unrecognized arguments: third")
    assert_refused(run(*first, "--port", "http", ASIA), "--port", "'http'")


@pytest.mark.parametrize("port", ["-1", "65536"])
def test_serving_refuses_a_port_that_does_not_exist(port):
    assert_refused(run("serve", ASIA, "--no-show", f"--port={port}"), port)


def test_bare_words_open_the_dashboard(monkeypatch):
    calls = []
    monkeypatch.setattr(
        page, "serve", lambda *files, **options: calls.append((files, options["port"], options["show"]))
    )
    for words in ([], [str(ASIA)], ["serve", str(ASIA), "d.csv"], ["--port", "0", "--no-show"]):
        assert run(*words).code == 0
    asia = str(ASIA)
    assert [call[0] for call in calls] == [(None, None), (asia, None), (asia, "d.csv"), (None, None)]
    assert [call[1:] for call in calls] == [(None, True)] * 3 + [(0, False)]


def test_version_and_help():
    outcome = run("--version")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("pgmgui 0.")
    for words in (
        ["--help"],
        ["-h"],
        *([name, "--help"] for name in ("serve", "query", "simulate", "convert", "info")),
    ):
        outcome = run(*words)
        assert (outcome.code, outcome.err) == (0, "")
        assert outcome.out.startswith("usage: pgmgui")


# --- as a program ------------------------------------------------------------------------------


def test_the_program_prints_one_json_object_and_nothing_else():
    done = in_process("query", ASIA, "--evidence", "smoke=yes", "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["posteriors"]["smoke"] == {"yes": 1.0, "no": 0.0}


def test_the_program_ends_with_exit_code_2_and_one_line():
    for words in (["query", ASIA, "--evidence", "x=y"], ["query"], ["absent.bif"]):
        done = in_process(*words)
        assert (done.returncode, done.stdout) == (2, b"")
        assert len(done.stderr.splitlines()) == 1
        assert done.stderr.startswith(b"pgmgui: ")


def test_names_that_the_terminal_cannot_show_do_not_break_the_output(tmp_path):
    path = tmp_path / "unicode.bif"
    node = Variable("Größe", ("klein", "\U0001f600"))
    write_network(path, BayesianNetwork((node,), ((),), ([0.25, 0.75],)))
    done = in_process("query", path, "--json", env={"PYTHONIOENCODING": "ascii"})
    assert json.loads(done.stdout)["posteriors"] == {"Größe": {"klein": 0.25, "\U0001f600": 0.75}}
    done = in_process("query", path, env={"PYTHONIOENCODING": "latin-1"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Größe  klein 0.2500  \\U0001f600 0.7500".encode("latin-1") in done.stdout


def test_output_that_cannot_be_written_is_one_line():
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with open("/dev/full", "wb") as full:
        root = Path(__file__).resolve().parents[2]
        command = [sys.executable, "-m", "app.cli", "info", str(ASIA)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=root, timeout=120, check=False)
    assert done.returncode == 2
    assert done.stderr == b"pgmgui: cannot write the output: No space left on device\n"


def test_a_reader_that_leaves_early_is_no_error():
    root = Path(__file__).resolve().parents[2]
    command = f"'{sys.executable}' -m app.cli query '{ASIA}' | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, cwd=root, timeout=120, check=False)
    assert done.stderr == b""
