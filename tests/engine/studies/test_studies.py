"""What all studies have in common, in their quick form."""

from __future__ import annotations

import dataclasses
import json

import pytest

from engine.studies.catalogue import STUDIES
from engine.studies.kept import Kept
from engine.studies.study import run_cells
from tests.engine.studies.quick import gather

TIMED = ("seconds", "speed_up", "reached", "stop")


def drop_times(record):
    """An outcome without what a clock has told."""
    return {key: value for key, value in record.items() if not any(word in key for word in TIMED)}


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_comes_back_whole_and_the_same(name, tmp_path):
    """In its quick form, cut down: what is kept is what was found, again and again, and is tabulated and charted."""
    study = STUDIES[name]
    settings = dataclasses.replace(study.quick, rows=16, hidden=(0.5, 0.7), max_iter=3, max_seconds=60.0)
    networks = gather(study, settings)
    kept = Kept(tmp_path / "cells.jsonl", name, study, settings, networks, {})
    cells = study.list_cells(networks, settings)
    assert len({cell.name for cell in cells}) == len(cells) > 1
    for finished in run_cells(cells):
        kept.add(finished)
    back = Kept(kept.path, name, study, settings, networks, {}).finished
    assert back == kept.finished
    for each in run_cells(study.list_cells(networks, settings)[:2]):
        assert drop_times(dataclasses.asdict(each.outcome)) == drop_times(dataclasses.asdict(back[each.cell].outcome))

    table = study.table(back.values())
    assert table.rows
    for row in table.rows:
        assert tuple(row.ours) == tuple(row.thesis) == table.columns
    charts = study.chart(table)
    assert charts
    for chart in charts:
        assert any(series.points for series in chart.series), chart.title
    verdict = study.judge(table)
    assert isinstance(verdict.is_confirmed, bool)
    assert len(verdict.why) > 20
    json.dumps([dataclasses.asdict(each) for each in (table, *charts, verdict)], allow_nan=False)
