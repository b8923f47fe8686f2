"""The studies still run, and print tables that can be read."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.model.arrays import Floats
from tests.benchmarks.cases import load
from tests.benchmarks.comparing import SAME, Attempt, PeerError, compare, let_learn, print_comparisons
from tests.benchmarks.report import Report
from tests.benchmarks.studies import STUDIES, run_study
from tests.shared_data import needs_data


@needs_data
@pytest.mark.parametrize("name", STUDIES)
def test_prints_whole_tables(name: str) -> None:
    stream = io.StringIO()
    run_study(name, True, Report(stream))
    lines = stream.getvalue().splitlines()
    assert lines[0] == f"## {name}"
    tables = [block.splitlines() for block in stream.getvalue().split("\n\n") if block.startswith("|")]
    assert tables
    for header, rule, *rows in tables:
        columns = header.count("|")
        assert set(rule) <= set("|-: ")
        assert rows
        assert all(row.count("|") == columns and "nan" not in row for row in rows)


def test_says_which_network_is_absent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    load.cache_clear()
    monkeypatch.setattr("tests.benchmarks.cases.DATA", tmp_path)
    stream = io.StringIO()
    run_study("setup", True, Report(stream))
    assert f"skipped: there is no file {tmp_path / 'networks' / 'bif' / 'alarm.bif'}" in stream.getvalue()


def test_a_peer_that_reaches_the_same_likelihood_gets_a_ratio() -> None:
    ours = Attempt("ours", 0.5, -100.0)
    assert compare(ours, Attempt("slow", 2.0, -100.0 + SAME / 2)) == ["-99.999", "+5.0e-04", "2.00 s", "4.00×", ""]


@pytest.mark.parametrize("reached", [-100.0 - 2 * SAME, -100.0 + 2 * SAME, float("nan")])
def test_a_peer_that_reaches_another_likelihood_gets_no_ratio(reached: float) -> None:
    ours = Attempt("ours", 0.5, -100.0)
    *_, times, reason = compare(ours, Attempt("other", 2.0, reached))
    assert (times, reason) == ("—", "another likelihood")
    *_, times, reason = compare(ours, Attempt("other", 2.0, reached, "it drops rows"))
    assert (times, reason) == ("—", "it drops rows")


def test_names_every_peer_with_its_likelihood_and_reason() -> None:
    def refuse() -> float:
        raise PeerError("it ended after 2 of 10 iterations")

    peers = {"same": lambda: 7.0, "other": lambda: 8.0, "refuses": refuse}
    made = [let_learn(name, work, lambda learnt: -10 * learnt) for name, work in peers.items()]
    assert [attempt.reached for attempt in made] == [-70.0, -80.0, None]
    attempts = [Attempt("ours", 0.5, -70.0), *(replace(attempt, seconds=1.0) for attempt in made)]
    stream = io.StringIO()
    print_comparisons(Report(stream), [("a chain", iter(attempts))])
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in stream.getvalue().split("\n")[2:6]]
    assert lines == [
        ["a chain: ours", "-70.000", "+0.0e+00", "500 ms", "1.00×", ""],
        ["a chain: same", "-70.000", "+0.0e+00", "1.00 s", "2.00×", ""],
        ["a chain: other", "-80.000", "-1.0e+01", "1.00 s", "—", "another likelihood"],
        ["a chain: refuses", "—", "—", "—", "—", "it ended after 2 of 10 iterations"],
    ]


def test_ours_must_have_learned_something() -> None:
    with pytest.raises(ValueError, match="ours has learned nothing: no rows"):
        compare(Attempt("ours", reason="no rows"), Attempt("other", 1.0, -1.0))


def test_a_gradient_that_is_not_ours_is_found_out() -> None:
    from tests.benchmarks.peers_markov import find_gap

    def climb(eta: Floats) -> tuple[float, Floats]:
        return -100.0 - float(eta @ eta), -2 * eta

    eta = np.array([1.0, -2.0])
    assert find_gap(climb, climb, eta, 10.0) == (0.0, "")
    assert find_gap(climb, lambda eta: (climb(eta)[0] + 1e-3, climb(eta)[1]), eta, 10.0)[1].startswith("another height")
    assert find_gap(climb, lambda eta: (climb(eta)[0], climb(eta)[1] + 1e-6), eta, 10.0)[1] == "other slopes"
    assert find_gap(climb, lambda eta: (climb(eta)[0], eta * np.nan), eta, 10.0)[1] == "other slopes"


def test_says_that_a_peer_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.benchmarks import peers_markov

    monkeypatch.setattr(peers_markov, "PEER", "no_such_module")
    stream = io.StringIO()
    peers_markov.run_markov(True, Report(stream))
    assert "absent: autodiff needs no_such_module; pip install --editable '.[peers]'" in stream.getvalue()
    assert "|" not in stream.getvalue()
