"""Looking back at a run on the page: its iterations, its restarts, an EM step under the microscope."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from pgmgui.project.examples import find_example
from pgmgui.project.settings import Settings
from pgmgui.state.session import Session
from tests.ui.lab import Lab

# Where a place on the plot's axis is on the screen.
SCREEN = """([x, up]) => {
  for (const document of Bokeh.documents)
    for (const figure of document._all_models.values()) {
      const view = figure.type === "Figure" && Bokeh.index.find_one(figure)
      if (!view || !view.el.offsetParent || !figure.left.some(axis => axis.axis_label === up)) continue
      const box = view.el.getBoundingClientRect()
      const frame = view.frame.bbox
      return [box.left + view.frame.x_scale.compute(x), box.top + frame.top + frame.height / 2]
    }
}"""


def find_place(lab: Lab, iteration: int) -> list[float]:
    """Where an iteration is on the screen, once the plot has come to rest."""
    found: list[float] = []
    while found != (found := lab.page.evaluate(SCREEN, [iteration, "objective (nats)"])):
        lab.wait_for_paint()
    return found


def open_session(example: str) -> Session:
    session = Session()
    session.open_example(find_example(example))
    return session


def learn_again(example: str, **options) -> list:
    """The run that the page makes, by the engine alone."""
    session, settings = open_session(example), Settings()
    stopping = Stopping(settings.tol, settings.criterion, settings.max_iter)
    return list(learn(session.network, session.seen, stopping=stopping, random_state=settings.seed, **options))


def shown(lab: Lab, grid: str) -> list[list[str]]:
    """The rows of a table."""
    rows = lab.page.get_by_role("grid", name=grid, exact=True).locator(".stage .row")
    expect(rows).not_to_have_count(0)
    found = rows.evaluate_all(
        """rows => rows.sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)
            .map(row => [...row.querySelectorAll("[data-row]")].map(cell => cell.textContent))"""
    )
    return [list(row) for row in found]


def cell(lab: Lab, grid: str, row: int, column: int) -> Locator:
    return lab.page.get_by_role("grid", name=grid, exact=True).locator(f'[data-row="{row}"][data-column="{column}"]')


def moment(lab: Lab, text: str) -> None:
    """Wait until the page says whose parameters it shows."""
    expect(lab.page.get_by_text(f"Shown on the page: the parameters of {text}.")).to_be_visible()


def test_the_past_iterations_are_shown_again(open_panel):
    lab = Lab(open_panel("runs", "parts", "variable", "strip"))
    expect(lab.page.get_by_text(re.compile("^Start a run below"))).to_be_visible()
    lab.button("Start").click()
    lab.expect_state("converged")
    expect(lab.page.get_by_text("Shown on the page: the network's own parameters.")).to_be_visible()
    run = learn_again("asia")
    # Drag the upright line on the plot, from the end to somewhere near the beginning.
    start = find_place(lab, len(run) - 1)
    end = find_place(lab, 40)
    lab.page.mouse.move(*start)
    lab.page.mouse.down()
    lab.page.mouse.move(*end, steps=3)
    lab.page.mouse.up()
    said = lab.page.get_by_text(re.compile(r"^Shown on the page: the parameters of iteration \d+ of decomposed EM"))
    expect(said).to_be_visible()
    # The last step of the drag has arrived when the objective is that of the iteration it ended at; the slider follows.
    reached = lab.page.get_by_text(re.compile(r"at iteration (3\d|4\d) of "))
    at = int(re.search(r"iteration (\d+) of", reached.inner_text())[1])
    slider = lab.page.get_by_role("slider", name=re.compile("^Iteration"))
    expect(slider).to_have_attribute("aria-valuenow", str(at))
    expect(lab.page.get_by_text(f"Objective {run[at].objective.sum():,.4f} nats at iteration {at} of")).to_be_visible()
    # Keys go on from there.
    slider.focus()
    lab.page.keyboard.press("ArrowLeft")
    moment(lab, f"iteration {at - 1} of decomposed EM")
    lab.button("▶").click()
    moment(lab, f"iteration {at} of decomposed EM")
    # A click on the plot too.
    lab.page.mouse.click(*find_place(lab, 0))
    moment(lab, "iteration 0 of decomposed EM")
    expect(lab.button("◀")).to_be_disabled()
    # The inspector and the gaps show it.
    parts = open_session("asia").parts
    gap = parts.bounds.imap[1] - run[0].objective[0, 1]
    expect(lab.row(2)).to_contain_text(f"{gap:,.3g}")
    lab.select("tub")
    expect(lab.page.get_by_text(re.compile("^The parameters of iteration 0 of decomposed EM"))).to_be_visible()
    table = run[0].network().tables[1]
    assert [row[1:3] for row in shown(lab, "Table of tub")] == [[f"{p:.6f}" for p in row] for row in table]
    expect(lab.button("Randomise")).to_be_disabled()
    lab.button("Network's own").last.click()
    expect(cell(lab, "Table of tub", 0, 1)).to_have_text("0.05")
    expect(lab.button("Randomise")).to_be_enabled()
    # Back to the end, and apply another moment than the last.
    expect(lab.page.get_by_text("Shown on the page: the network's own parameters.")).to_be_visible()
    lab.button("Newest").click()
    moment(lab, "the newest iteration")
    lab.button("◀").click()
    lab.button("Apply this").click()
    expect(lab.button("Undo")).to_have_attribute("title", re.compile("apply what was learned"))


def test_restarts_are_compared_with_the_bound_and_loaded(open_panel):
    lab = Lab(open_panel("runs", "strip", scene="hidden-cause"))
    lab.open_options().set_option("Restarts", "6").close_options()
    lab.button("Start").click()
    lab.expect_state("converged")
    last = learn_again("hidden-cause", n_init=6)[-1]
    totals = last.objective.sum(axis=1)
    order = np.argsort(-totals, kind="stable")
    expect(lab.page.get_by_text(re.compile(r"^6 restarts found \d+ solutions?, up to the names"))).to_be_visible()
    for place, restart in enumerate(order):  # those of an earlier iteration are shown for a moment more
        expect(cell(lab, "Restarts", place, 2)).to_have_text(f"{totals[restart]:,.4f}")
    table = shown(lab, "Restarts")
    assert [int(row[0]) for row in table] == (order + 1).tolist()
    # Equal objectives are one solution here, different ones are not.
    for (_, a, left, *_), (_, b, right, *_) in itertools.pairwise(table):
        assert (a == b) == (abs(float(left.replace(",", "")) - float(right.replace(",", ""))) < 0.05)
    worst = int(order[-1])
    cell(lab, "Restarts", 5, 0).click()
    moment(lab, f"restart {worst + 1} of decomposed EM")
    expect(lab.page.get_by_text(f"Objective {totals[worst]:,.4f} nats")).to_be_visible()
    # A dot does the same.
    dot = lab.page.evaluate(
        """restart => {
          for (const document of Bokeh.documents)
            for (const figure of document._all_models.values()) {
              const view = figure.type === "Figure" && Bokeh.index.find_one(figure)
              if (!view || !view.el.offsetParent || figure.below[0].axis_label !== "restart") continue
              const box = view.el.getBoundingClientRect()
              const {data} = figure.renderers[0].data_source
              const at = [...data.restart].indexOf(restart)
              const {x_scale, y_scale} = view.frame
              return [box.left + x_scale.compute(data.x[at]), box.top + y_scale.compute(data.y[at])]
            }
        }""",
        int(order[0]) + 1,
    )
    lab.page.mouse.click(*dot)
    moment(lab, f"restart {int(order[0]) + 1} of decomposed EM")


def test_an_em_step_is_spelled_out(open_panel):
    lab = Lab(open_panel("runs", "strip", scene="thesis-chain"))
    lab.button("Step").click()
    lab.expect_state("paused")
    lab.button("Step").click()
    expect(lab.state()).to_contain_text("after 2 iterations")
    expect(lab.page.get_by_text("select one variable on the canvas to see its family")).to_be_visible()
    lab.select("Z")
    before, after = (learn_again("thesis-chain")[k].network() for k in (2, 3))
    # By enumeration: V → X → Y → Z, and Y is hidden.
    session = open_session("thesis-chain")
    data = session.seen
    joint = np.einsum("v,vx,xy,yz->vxyz", *before.tables)
    v, x, _, z = data.codes
    posterior = joint[v, x, :, z] / joint[v, x, :, z].sum(axis=1, keepdims=True)
    counts = np.zeros((2, 2))
    np.add.at(counts.T, z, posterior)
    expected = counts / counts.sum(axis=1, keepdims=True)
    assert after.tables[3] == pytest.approx(expected)
    row = 4
    lab.page.get_by_role("textbox", name=re.compile("^Row")).fill(f"{row + 1}")
    lab.page.keyboard.press("Enter")
    expect(lab.page.get_by_text(f"E-step. Row {row + 1} of {data.n_rows}")).to_be_visible()
    heaviest = int(posterior[row].argmax())
    state = data.variables[2].states[heaviest]
    expect(cell(lab, "Completions", 0, 0)).to_have_text(state)
    expect(cell(lab, "Completions", 0, 1)).to_have_text(f"{posterior[row].max():.6f}")
    track = cell(lab, "Completions", 0, 1).locator(".bars")
    assert track.bounding_box()["width"] == pytest.approx(48, abs=1)
    share = track.locator(".bar").bounding_box()["width"] / track.bounding_box()["width"]
    assert share == pytest.approx(posterior[row].max(), abs=0.03)
    expect(cell(lab, "One EM step of Z", int(z[row]), 2)).to_contain_text(f"{posterior[row, 0]:.6f}"[:6])
    steps = shown(lab, "One EM step of Z")
    for k, (y, state_of_z) in enumerate(itertools.product(range(2), range(2))):
        share = posterior[row, y] * (z[row] == state_of_z)
        numbers = [share, counts[y, state_of_z], before.tables[3][y, state_of_z], expected[y, state_of_z]]
        assert [float(text) for text in steps[k][2:]] == pytest.approx(numbers, abs=1e-4)
        assert [len(text.partition(".")[2]) for text in steps[k][2:]] == [6, 4, 6, 6]
    # The next step ends where this one said it would.
    lab.button("Step").click()
    expect(lab.state()).to_contain_text("after 3 iterations")
    expect(cell(lab, "One EM step of Z", 0, 4)).to_have_text(f"{expected[0, 0]:.6f}")
    # A row that there is not.
    lab.page.get_by_role("textbox", name=re.compile("^Row")).fill("many")
    lab.page.keyboard.press("Enter")
    expect(lab.message).to_contain_text("is no row")
