"""What a long run leaves behind in a server's memory: nothing. What was measured is printed."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.main import read_files
from engine.formats import read_network, write_dataset
from engine.simulation.missingness import hide
from engine.simulation.sampling import simulate
from pgmgui.project.session_file import write_session
from pgmgui.project.settings import Settings
from tests.light_page import LightPage
from tests.own_loop import run_apart
from tests.shared_data import DATA, needs_data
from tests.ui.serving import ENDLESS, start_process

NETWORK = DATA / "networks" / "bif" / "win95pts.bif"
ROWS = 2**6
"""Few: iterations are what may leave something behind."""
FEW, MANY = 400, 3000
"""Iterations between which the memory is compared: by the first, all frames that are kept are there."""
GROWTH = 30.0
"""Megabytes by which the server may grow over thousands of iterations: its garbage comes and goes."""


def write_scene(folder: Path) -> Path:
    """win95pts with half of its variables hidden, to be learned without an end."""
    network = read_network(NETWORK).network
    names = [variable.name for variable in network.variables]
    chosen = np.random.default_rng(0).permutation(len(names))[: len(names) // 2]
    write_dataset(folder / "rows.csv", hide(simulate(network, ROWS, 0), [names[k] for k in chosen]))
    saved, _ = read_files(NETWORK, folder / "rows.csv")
    write_session(folder / "long.session.json", replace(saved, settings=Settings(max_iter=10**8)))
    return folder / "long.session.json"


def memory(process: int) -> float:
    """Megabytes that a process holds."""
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text()).group(1)) / 1024


async def learn_long(url: str, process: int) -> list[float]:
    """Have a page learn; the memory of the server after some iterations, and after many."""
    page = await LightPage.open(url)
    await page.press("r")
    found = []
    for iterations in (FEW, MANY):
        while (told := re.search(r"after ([\d,]+) iterations", await page.hear("iterations"))) is None or int(
            told[1].replace(",", "")
        ) < iterations:
            pass
        found.append(memory(process))
    await page.close()
    return found


@needs_data
def test_memory_does_not_grow_over_a_long_run(tmp_path):
    server = start_process((str(write_scene(tmp_path)),), tmp_path / "log", before=ENDLESS.format(rest=0))
    try:
        before, after = run_apart(lambda: learn_long(server.url, server.process.pid))
    finally:
        server.stop()
    print(f"\nmemory of the server: {before:.0f} MB after {FEW} iterations, {after:.0f} MB after {MANY}")
    assert server.errors() == []
    assert after - before <= GROWTH
