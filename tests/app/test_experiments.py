"""The command ``experiment``: what it prints and what it refuses."""

from __future__ import annotations

import shutil
import signal

import pytest

from app.experiments import FILES, TABLES
from engine.formats import Document, write_network
from engine.simulation.generators import grid_markov, random_dag
from engine.studies import study
from tests.command_line import EXAMPLES, assert_refused, run
from tests.shared_data import DATA, needs_data

SIZE = ("--quick", "--rows", 40, "--max-iter", 20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Asia in the place of the shared data's, and a small network, packed, by the name of another."""
    made = tmp_path_factory.mktemp("networks")
    (made / "bif").mkdir()
    shutil.copy(EXAMPLES / "asia.bif", made / FILES["asia"])
    write_network(made / "alarm.net.gz", Document(random_dag(6, random_state=1)))
    return made


@pytest.mark.parametrize("table", TABLES)
def test_our_numbers_stand_beside_the_thesis(table, folder):
    result = run("experiment", table, "--networks", folder, *SIZE, "--json").result
    assert result["table"] == table
    assert result["settings"]["rows"] == 40
    assert result["settings"]["keep_leaves"] == (table != "table-6.1")
    networks = 1 if table == "table-6.1" else 2
    assert len(result["problems"]) == networks * len(result["settings"]["hidden"])
    assert result["rows"][0]["category"].startswith("alarm")
    for row in result["rows"]:
        assert row["ours"].keys() == row["thesis"].keys()
    assert any("left out: " in note and "pigs" in note for note in result["notes"])


def test_the_same_seed_gives_the_same_table(folder):
    words = ("experiment", "table-4.1", "--networks", folder, *SIZE, "--json")
    first, again, other = run(*words).result, run(*words).result, run(*words, "--random-state", 1).result
    assert first["rows"] == again["rows"] != other["rows"]
    assert run(*words, "--prune").result["rows"] != first["rows"]
    assert run(*words, "--datasets", 2).result["rows"][-1]["problems"] == 8


def test_a_table_for_people(folder):
    outcome = run("experiment", "table-4.1", "--networks", folder, *SIZE)
    title, _, header, *rows = outcome.out.splitlines()
    assert title.startswith("Table 4.1: ")
    assert header.split() == ["problems", "%", "EDML", "thesis", "%", "EM", "thesis", "r", "thesis", "r'", "thesis"]
    assert [row.split()[0] for row in rows] == ["alarm", "asia", "hiding", "hiding", "average"]
    assert " 89.25%" in rows[0]
    assert len({len(line) for line in (header, *rows)}) == 1
    assert "pgmgui: note: r is EDML's relative improvement on EM's error" in outcome.err
    assert "pgmgui: note: quick: only the smallest networks" in outcome.err


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (("table-9.9",), ("table-4.1", "table-9.9")),
        (("table-4.1", "--rows", 0), ("1 row",)),
        (("table-4.1", "--datasets", 0), ("1 dataset",)),
        (("table-4.1", "--max-iter", -1), ("max_iter",)),
        (("table-4.1", "--max-seconds", 0), ("max_seconds",)),
        (("table-4.1", "--random-state", -1), ("--random-state",)),
    ],
)
def test_wrong_options_are_refused(words, parts, folder):
    assert_refused(run("experiment", *words, "--networks", folder), *parts)


def test_a_folder_without_networks_is_refused(tmp_path, monkeypatch):
    names = "alarm, andes, asia, diagnose, pigs, spect, water, win95pts"
    assert_refused(run("experiment", "table-4.1", "--networks", tmp_path), tmp_path, names, "--networks")
    monkeypatch.chdir(tmp_path)
    assert_refused(run("experiment", "table-4.2"), "shared", names)
    write_network(tmp_path / "asia.uai", Document(grid_markov(2, 2)))
    assert_refused(run("experiment", "table-4.1", "--networks", tmp_path), "asia.uai", "Markov network")


@needs_data
def test_the_shared_networks_are_found():
    assert all((DATA / "networks" / path).is_file() for path in FILES.values())


def test_an_interrupt_ends_with_what_there_is(folder, monkeypatch):
    once = study.run_method
    ran = []

    def press(*arguments, **options):
        ran.append(arguments)
        if len(ran) == 4:
            signal.raise_signal(signal.SIGINT)
        return once(*arguments, **options)

    monkeypatch.setattr(TABLES["table-4.1"], "run_method", press)
    result = run("experiment", "table-4.1", "--networks", folder, *SIZE, "--json").result
    assert len(result["problems"]) == 1
    assert "1 of 4 problems were solved; the table is about them" in result["notes"]
