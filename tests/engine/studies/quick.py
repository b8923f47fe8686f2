"""Studies in their quick form, on networks that need no files."""

from __future__ import annotations

from dataclasses import replace

from engine.formats import read_network
from engine.simulation.generators import random_dag
from engine.studies.catalogue import STUDIES
from engine.studies.study import run_cells
from tests.command_line import EXAMPLES

ASIA = read_network(EXAMPLES / "asia.bif").network


def gather(study, settings):
    """The networks that a quick look draws; of those that are read, two by name, small ones."""
    drawn = {
        name: study.drawn[name](random_state=settings.random_state)
        for name in study.quick_networks
        if name in study.drawn
    }
    read = [name for name in study.networks if name in (study.quick_networks or study.networks)][:2]
    return {**drawn, **dict(zip(read, (ASIA, random_dag(6, random_state=1)), strict=False))}


def run_quick(name, **changes):
    """The table and the charts of a study."""
    study = STUDIES[name]
    settings = replace(study.quick, **changes)
    table = study.table(run_cells(study.list_cells(gather(study, settings), settings)))
    return table, study.chart(table)
