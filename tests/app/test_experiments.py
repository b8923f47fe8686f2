"""The command ``experiment``: what it prints and what it refuses."""

from __future__ import annotations

import json
import os
import shutil
import signal
from html import escape

import pytest

from app import experiments
from app.study_page import Section, make_page
from engine.formats import Document, write_network
from engine.simulation.generators import grid_markov, random_dag
from engine.studies import problems, table_4_1
from engine.studies.catalogue import STUDIES
from pgmgui.project.study_files import FILES
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


@pytest.mark.parametrize("table", ["table-4.1", "table-4.2", "table-6.1"])
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
    assert "pgmgui: note: quick: only alarm and asia" in outcome.err


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
    names = "alarm, win95pts, water"
    assert_refused(run("experiment", "figure-4.4", "--networks", tmp_path), tmp_path, names, "--networks")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PGMGUI_HOME", str(tmp_path / "home"))
    words = tmp_path / "home" / "networks", tmp_path.parent / "shared", "--networks"
    assert_refused(run("experiment", "figure-4.4"), names, *words)
    alone = run("experiment", "table-4.1", *SIZE, "--json").result
    assert {row["category"] for row in alone["rows"]} >= {"asia"}, "it comes with the program"
    write_network(tmp_path / "asia.uai", Document(grid_markov(2, 2)))
    assert_refused(run("experiment", "table-4.1", "--networks", tmp_path), "asia.uai", "Markov network")


@needs_data
def test_the_shared_networks_are_found():
    assert all((DATA / "networks" / path).is_file() for path in FILES.values())


def test_an_interrupt_ends_with_what_there_is(folder, monkeypatch):
    once = problems.run_method
    ran = []

    def press(*arguments, **options):
        ran.append(arguments)
        if len(ran) == 4:
            signal.raise_signal(signal.SIGINT)
        return once(*arguments, **options)

    monkeypatch.setattr(table_4_1, "run_method", press)
    result = run("experiment", "table-4.1", "--networks", folder, *SIZE, "--json").result
    assert len(result["problems"]) == 1
    assert "1 of 4 problems were solved; the table is about them" in result["notes"]


def test_without_a_name_the_studies_are_listed():
    listed = run("experiment", "--json").result["studies"]
    assert [each["name"] for each in listed] == list(STUDIES)
    assert all(each["shows"] for each in listed)
    told = run("experiment").out
    for name, study in STUDIES.items():
        assert f"\n{name}  {study.shows}\n" in told
        for network in study.networks:
            assert network in told


class KilledError(BaseException):
    """As if the machine had gone off."""


def test_a_killed_study_goes_on_where_it_was(folder, tmp_path, monkeypatch):
    once, ran, out = problems.run_method, [], tmp_path / "made" / "here"
    words = ("experiment", "table-4.1", "--networks", folder, *SIZE, "--out", out)

    def count(problem, method, *rest, **options):
        ran.append((problem.name, problem.hidden, method))
        if len(ran) == 6:
            raise KilledError
        return once(problem, method, *rest, **options)

    monkeypatch.setattr(table_4_1, "run_method", count)
    with pytest.raises(KilledError):
        run(*words)
    assert [path.name for path in out.iterdir()] == ["table-4.1.jsonl"]
    outcome = run(*words)
    assert "wrote table-4.1.csv, table-4.1.json, table-4.1.svg to" in outcome.out
    problem = ("asia", 0.25)
    assert [(name, hidden) for name, hidden, _ in ran[4:8]] == [problem] * 4  # the third, twice
    assert len(ran) == 6 + 4
    there = {path.name: path.read_text() for path in out.iterdir()}

    run(*words)
    assert len(ran) == 10, "nothing is left to be run"
    monkeypatch.undo()
    again = tmp_path / "again"
    run(*words[:-1], again)
    assert there == {path.name: path.read_text() for path in again.iterdir()}, "the same as in one go"
    assert there.keys() == {f"table-4.1{suffix}" for suffix in (".jsonl", ".json", ".csv", ".svg")}
    assert json.loads(there["table-4.1.json"])["rows"] == run(*words[:-2], "--json").result["rows"]
    lines = there["table-4.1.csv"].splitlines()
    assert lines[0] == "category,problems,column,unit,ours,paper"
    assert lines[1].startswith("alarm,2,% EDML,%,")
    assert lines[1].endswith(",89.25")


def test_a_study_that_is_ended_in_its_middle_is_not_judged(folder, tmp_path, monkeypatch):
    once, ran = problems.run_method, []

    def press(problem, method, *rest, **options):
        ran.append(method)
        if len(ran) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return once(problem, method, *rest, **options)

    monkeypatch.setattr(table_4_1, "run_method", press)
    monkeypatch.setattr(experiments, "STUDIES", {"table-4.1": STUDIES["table-4.1"]})
    words = ("experiment", "all", "--networks", folder, *SIZE, "--out", tmp_path, "--json")
    outcome = run(*words)
    assert [(each["verdict"], each["why"]) for each in outcome.result["studies"]] == [("not finished", experiments.CUT)]
    assert "0 of 1 confirmed, 0 not confirmed, 1 not finished, 0 not run" in (tmp_path / "index.html").read_text()
    assert json.loads((tmp_path / "table-4.1.json").read_text())["verdict"] is None
    monkeypatch.setattr(table_4_1, "run_method", once)
    assert run(*words).result["studies"][0]["verdict"] == "confirmed"


def test_cells_of_other_settings_or_networks_are_refused(folder, tmp_path):
    words = ("experiment", "table-4.2", "--networks", folder, "--quick", "--max-iter", 3, "--out", tmp_path)
    assert run(*words, "--rows", 8).code == 0
    kept = tmp_path / "table-4.2.jsonl"
    before = kept.read_bytes()
    assert_refused(run(*words, "--rows", 9), kept, "rows: 8 there, 9 here", "another folder")
    other = tmp_path / "networks"
    other.mkdir()
    shutil.copy(EXAMPLES / "asia.bif", other)
    write_network(other / "alarm.net", Document(random_dag(6, random_state=2)))
    assert_refused(run(*words[:3], other, *words[4:], "--rows", 8), kept, "another network (alarm: ")
    assert kept.read_bytes() == before
    kept.write_text("not ours")
    assert_refused(run(*words, "--rows", 8), kept, "line 1", "delete")
    assert_refused(run(*words[:-1], kept / "below", "--rows", 8), "cannot make the folder")


def test_all_studies_make_one_page(folder, tmp_path, monkeypatch):
    chosen = {name: STUDIES[name] for name in ("table-4.1", "figure-6.4-iterations", "bound-figure-23")}
    monkeypatch.setattr(experiments, "STUDIES", chosen)
    words = ("experiment", "all", "--networks", folder, *SIZE, "--out", tmp_path, "--json")
    outcome = run(*words)
    assert f"of the studies' {2 + 6} networks, 2 found in {folder} or " in outcome.err
    assert "; name another folder with --networks FOLDER" in outcome.err
    found = {each["name"]: each for each in outcome.result["studies"]}
    assert list(found) == list(chosen)
    assert found["table-4.1"]["verdict"] == "confirmed"
    assert found["figure-6.4-iterations"]["verdict"] == "not run"
    assert "pigs" in found["figure-6.4-iterations"]["why"]
    page = (tmp_path / "index.html").read_text()
    for each in found.values():
        assert f'<h2 id="{each["name"]}">' in page
        assert escape(each["why"]) in page
    signs = {"confirmed": "✓", "not confirmed": "✗", "not run": "–"}
    counts = {kind: sum(each["verdict"] == kind for each in found.values()) for kind in signs}
    told = f"{counts['confirmed']} of 3 confirmed, {counts['not confirmed']} not confirmed, 1 not run. Each study"
    assert f"<p>{told}" in page
    for kind, sign in signs.items():  # at the beginning of the page, and of the study
        assert page.count(f'<span class="{kind.replace(" ", "-")}">{sign} {kind}</span>') == 2 * counts[kind]
    assert page.count("<svg ") == 2
    assert "89.25%" in page
    for outside in ("<script", "<link", "src=", "url(", "https:"):
        assert outside not in page
    assert page.count("http:") == page.count('xmlns="http://www.w3.org/2000/svg"')
    assert_refused(run("experiment", "all", "--quick"), "--out")


def test_a_page_holds_names_as_text():
    hostile = '"><script>alert(1)</script>'
    page = make_page([Section(hostile, hostile, notes=[hostile], reason=hostile)], hostile)
    assert "<script" not in page
