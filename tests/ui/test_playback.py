"""A run that is played again, and what of it is in the picture."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from pgmgui.state import playback
from tests.ui.lab import LINES, Lab

RANGE = """() => {
  for (const document of Bokeh.documents)
    for (const figure of document._all_models.values()) {
      const view = figure.type === "Figure" && Bokeh.index.find_one(figure)
      if (view && view.el.offsetParent && figure.name === "plot of objective")
        return [figure.y_range.start, figure.y_range.end]
    }
}"""
DRAWN = f"""least => ({LINES})().find(line => line.name === "decomposed EM").x.at(-1) > least"""


def learn(lab: Lab) -> float:
    """The run of the page; how many iterations it takes."""
    lab.button("Start").click()
    lab.expect_state("converged")
    lab.page.wait_for_function(f"() => ({LINES})().some(line => line.name === 'decomposed EM')")
    return lab.lines()["decomposed EM"]["x"][-1]


def test_a_run_is_played_and_held_and_ended(open_panel):
    lab = Lab(open_panel("runs", "strip"))
    play = lab.button("Play")
    expect(play).to_be_disabled()
    last = learn(lab)
    lab.page.keyboard.press("p")
    hold = lab.button("Hold")
    expect(hold).to_be_visible()
    # The curve climbs, the iteration that is shown goes with it, and what is said too.
    expect(lab.state()).to_have_text(re.compile(rf"at iteration [1-9]\d* of {last:.0f}\.$"))
    assert 0 < lab.lines()["decomposed EM"]["x"][-1] < last
    expect(lab.page.get_by_text(re.compile(r"the parameters of iteration \d+ of decomposed EM"))).to_be_visible()
    hold.click()
    expect(play).to_be_enabled()
    held = lab.lines()["decomposed EM"]["x"][-1]
    lab.button("1×").click()
    expect(lab.button("2×")).to_have_attribute("title", re.compile("a run takes at most 5 s"))
    play.click()
    lab.page.wait_for_function(DRAWN, arg=held)
    lab.button("End").click()
    lab.expect_state("converged")
    lab.page.wait_for_function(DRAWN, arg=last - 1)
    expect(lab.page.get_by_text("Shown on the page: the parameters of the newest iteration.")).to_be_visible()


def test_the_picture_shows_the_end_of_the_curves_or_all_and_who_goes_elsewhere_ends_the_playing(open_panel):
    lab = Lab(open_panel("strip"))
    last = learn(lab)
    lowest, *_, highest = lab.lines()["decomposed EM"]["y"]
    covers = f"([low, high]) => {{ const [from, to] = ({RANGE})(); return from <= low && high <= to }}"
    lab.page.wait_for_function(
        f"([low, high]) => {{ const [from, to] = ({RANGE})(); return low < from && from <= high && high <= to }}",
        arg=[lowest, highest],
    )
    lab.page.get_by_role("button", name="all", exact=True).click()
    lab.page.wait_for_function(covers, arg=[lowest, highest])
    lab.button("Play").click()
    expect(lab.state()).to_have_text(re.compile(r"at iteration [1-9]\d* of"))
    lab.page.keyboard.press(".")
    lab.page.wait_for_function(DRAWN, arg=last - 1)
    lab.button("Play").click()
    lab.select("smoke").press("h")
    expect(lab.page.get_by_text(re.compile("^Stale: "))).to_be_visible()
    expect(lab.button("Play")).to_be_disabled()


def test_the_run_of_a_worked_scene_is_seen_climbing(open_panel, monkeypatch):
    monkeypatch.setattr(playback, "HOLD", 60.0)  # a busy machine may take its time for the run
    lab = Lab(open_panel("guide", "strip"))
    lab.page.get_by_role("combobox", name="Worked scene").click()
    lab.page.locator(".MuiMenuItem-root").filter(has_text="A local optimum").click()
    expect(lab.page.get_by_text("Step 1 of 3")).to_be_visible()
    lab.button("Show me").click()
    expect(lab.state()).to_have_text(re.compile(r"at iteration [1-9]\d* of \d+\.$"))
    lab.button("End").click()
    lab.expect_state("converged")
    expect(lab.certificate).to_contain_text("per row below the best possible")
