"""Cells in a file: what is kept comes back, and what is no cell is refused."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from engine.model.errors import FormatError, PgmError
from engine.simulation.generators import chain
from engine.studies.kept import Kept, fingerprint
from engine.studies.live import Live
from engine.studies.study import Finished, Settings, Study, Table, Verdict


@dataclass(frozen=True)
class Found:
    network: str
    hidden: float
    steps: int
    curve: tuple[float | None, ...]
    pairs: tuple[tuple[float, float], ...]
    is_whole: bool
    seconds: float | None


def tabulate(outcomes, notes):
    return Table("", "", (), (), outcomes, notes)


STUDY = Study("nothing", Found, lambda *_: [], tabulate, lambda _: [], lambda _: Verdict(True, ""), Live(("em",), ""))
NETWORKS = {"chain": chain(3)}
FOUND = Found("chain", 0.5, 3, (-1.5, None, -1.0), ((1.0, 2.0), (3.0, 4.5)), True, None)


def open_kept(path, name="some", settings=None, networks=NETWORKS):
    return Kept(path, name, STUDY, settings or Settings(), networks, {})


def test_what_is_kept_comes_back(tmp_path):
    path = tmp_path / "some.jsonl"
    kept = open_kept(path)
    assert kept.finished == {}
    assert not path.exists(), "nothing is written before a cell is finished"
    cells = [Finished("one", FOUND), Finished("two", None, "too large")]
    for number, cell in enumerate(cells, start=1):
        kept.add(cell)
        assert list(open_kept(path).finished.values()) == cells[:number]
    assert STUDY.table(open_kept(path).finished.values()).notes == ["two is left out: too large"]
    assert [each.name for each in tmp_path.iterdir()] == ["some.jsonl"]


def test_cells_of_something_else_are_refused(tmp_path):
    path = tmp_path / "some.jsonl"
    open_kept(path).add(Finished("one", FOUND))
    with pytest.raises(PgmError, match=r"another study \(some there, other here"):
        open_kept(path, name="other")
    with pytest.raises(PgmError, match=r"rows: 1024 there, 8 here; prior: 2\.0 there, 1\.0 here"):
        open_kept(path, settings=Settings(rows=8, prior=1.0))
    with pytest.raises(PgmError, match=r"another network \(more: nothing there"):
        open_kept(path, networks={**NETWORKS, "more": chain(2)})


def test_networks_are_told_apart_by_all_that_counts():
    networks = [chain(3), chain(4), chain(3, random_state=1), chain(3, cardinality=3)]
    assert len({fingerprint(network) for network in networks}) == 4
    assert fingerprint(chain(3)) == fingerprint(networks[0])


@pytest.mark.parametrize(
    "line",
    [
        "nothing",
        "[1]",
        "[" * 100_000,
        '{"cell": 3, "outcome": null}',
        '{"cell": "one", "outcome": {"network": "chain"}}',
        '{"cell": "one", "outcome": [1]}',
        {"steps": 1.5},
        {"steps": True},
        {"hidden": "0.5"},
        {"curve": [1, "x"]},
        {"curve": 3},
        {"pairs": [1, 2]},
        {"is_whole": 1},
        {"seconds": False},
    ],
)
def test_what_is_no_cell_is_refused(line, tmp_path):
    path = tmp_path / "some.jsonl"
    open_kept(path).add(Finished("one", FOUND))
    lines = path.read_text().splitlines()
    if isinstance(line, dict):
        record = json.loads(lines[1])
        record["outcome"].update(line)
        line = json.dumps(record)
    path.write_text("\n".join([*lines, line]))
    with pytest.raises(FormatError, match=r"line 3: .*delete"):
        open_kept(path)
