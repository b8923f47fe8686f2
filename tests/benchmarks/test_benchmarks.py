"""The studies still run, and print tables that can be read."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.benchmarks.cases import load
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
