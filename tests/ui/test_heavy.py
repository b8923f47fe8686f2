"""A heavy run and a large network: the page stays quick. What was measured is printed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.formats import read_network, write_dataset
from engine.simulation.missingness import hide
from engine.simulation.sampling import simulate
from tests.shared_data import DATA, needs_data
from tests.ui.conftest import wait_for_page
from tests.ui.lab import Lab
from tests.ui.serving import start_process
from tests.ui.watch import Watch

pytestmark = needs_data
NETWORKS = DATA / "networks" / "bif"
CLICKS = 11
ANSWER = 0.5
"""Seconds in which a click, or a changed mark, is answered."""
UPDATES = 5
"""Drawings of the curve in a second, at least."""
STOP = 1.0
"""Seconds in which Stop takes effect."""

# Counts the drawings that the browser has taken.
COUNT_DRAWINGS = """() => {
  const models = Bokeh.documents.flatMap(document => [...document._all_models.values()])
  window.drawings = 0
  models.find(({name}) => name === "receipt: objective").change.connect(() => { window.drawings += 1 })
}"""


def make_data(path: Path, network: Path, rows: int, hidden: float) -> Path:
    """Rows drawn from a network, with a fraction of its variables hidden."""
    model = read_network(network).network
    names = [variable.name for variable in model.variables]
    chosen = np.random.default_rng(0).permutation(len(names))[: int(hidden * len(names))]
    write_dataset(path, hide(simulate(model, rows, 0), [names[k] for k in chosen]))
    return path


@pytest.fixture(scope="module")
def heavy(tmp_path_factory) -> tuple[Path, Path]:
    """win95pts with half of its variables hidden, 2^14 rows."""
    network = NETWORKS / "win95pts.bif"
    return network, make_data(tmp_path_factory.mktemp("heavy") / "win95pts.csv", network, 2**14, 0.5)


@pytest.fixture
def open_served(page, tmp_path) -> Iterator[Callable[..., Lab]]:
    """Open a page of a server that has a process for itself."""
    watch, servers = Watch(), []

    def open_one(*paths: Path) -> Lab:
        server = start_process(tuple(map(str, paths)), tmp_path / "log")
        servers.append(server)
        watch.follow(page, server.url)
        page.goto(server.url)
        return Lab(wait_for_page(page))

    yield open_one
    for server in servers:
        server.stop()
        assert server.errors() == []
    assert watch.problems == []


def measure_clicks(lab: Lab) -> list[float]:
    """Seconds from a click on a node until the server's answer is on the page."""
    seconds = []
    for name in lab.names()[:CLICKS]:
        x, y = lab.middle(name)
        begun = time.perf_counter()
        lab.page.mouse.click(x, y)
        lab.page.get_by_text(f"Selected: {name}.", exact=True).wait_for()
        seconds.append(time.perf_counter() - begun)
    return seconds


def measure_drawings(lab: Lab, seconds: float = 2.0) -> float:
    """Drawings of the curve in a second."""
    lab.page.evaluate(COUNT_DRAWINGS)
    return lab.page.evaluate(
        "seconds => new Promise(done => setTimeout(() => done(window.drawings / seconds), 1000 * seconds))", seconds
    )


@pytest.mark.alone
def test_a_heavy_run_leaves_the_page_quick(open_served, heavy):
    lab = open_served(*heavy)
    lab.run_for_ever()
    drawings, clicks = measure_drawings(lab), measure_clicks(lab)
    begun = time.perf_counter()
    lab.button("Stop").click()
    expect(lab.state()).to_contain_text("stopped by you")
    stopped = time.perf_counter() - begun
    print(
        f"\nwin95pts, half hidden, 2^14 rows: {drawings:.1f} drawings a second; a click is answered in "
        f"{statistics.median(clicks):.2f} s (at most {max(clicks):.2f} s); Stop in {stopped:.2f} s"
    )
    assert drawings >= UPDATES
    assert statistics.median(clicks) <= ANSWER
    assert stopped <= STOP


@pytest.mark.alone
def test_a_mark_on_a_large_network_is_drawn_at_once(open_served, tmp_path):
    network = NETWORKS / "andes.bif"
    lab = open_served(network, make_data(tmp_path / "andes.csv", network, 1000, 0.0))
    seconds = []
    for name in lab.names()[::20]:
        lab.node(name).focus()
        role = lab.node(name).get_attribute("data-role")
        begun = time.perf_counter()
        lab.page.keyboard.press("h")
        lab.page.wait_for_function(
            "([node, role]) => node.dataset.role !== role", arg=[lab.node(name).element_handle(), role], polling="raf"
        )
        lab.wait_for_paint()
        seconds.append(time.perf_counter() - begun)
    print(
        f"\nandes: a mark is drawn in {statistics.median(seconds):.2f} s (median of {len(seconds)}; "
        f"at most {max(seconds):.2f} s)"
    )
    assert statistics.median(seconds) <= ANSWER
