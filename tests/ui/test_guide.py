"""Guidance: the first run, the worked scenes, the model doctor and the equations."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from engine.formats import DataDocument
from engine.simulation.sampling import simulate
from pgmgui.board.first_run_card import STEPS
from pgmgui.project import study_scenes
from pgmgui.project.folders import assets_folder
from pgmgui.project.lessons import load_lessons
from pgmgui.project.links import parse_link
from pgmgui.project.marks import Hidden
from pgmgui.project.scene import derive
from tests.ui.conftest import PATIENCE, wait_for_page
from tests.ui.lab import Lab
from tests.ui.test_scenarios import Bench

ASIDE = 1
"""Pixels by which neighbours may touch."""


def card(bench: Bench) -> Locator:
    return bench.page.get_by_role("region", name="First run")


def assert_beside(one: Locator, other: Locator) -> None:
    """Neither covers the other."""
    a, b = one.bounding_box(), other.bounding_box()
    across = min(a["x"] + a["width"], b["x"] + b["width"]) - max(a["x"], b["x"])
    down = min(a["y"] + a["height"], b["y"] + b["height"]) - max(a["y"], b["y"])
    assert across <= ASIDE or down <= ASIDE, (a, b)


def test_the_first_visit_is_guided_and_the_next_is_not(browser, open_board):
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE)
    bench = Bench(open_board(tab=context.new_page()).page)
    shown = card(bench)
    for width, height in ((1440, 900), (1024, 768)):
        bench.page.set_viewport_size({"width": width, "height": height})
        bench.wait_for_paint()
        expect(shown).to_be_visible()
        assert_beside(shown, bench.canvas)
        assert shown.bounding_box()["height"] < 90
        assert bench.page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    expect(shown).to_contain_text(f"1 of 4{STEPS[0]}")
    bench.select("smoke")
    expect(shown).to_contain_text(f"2 of 4{STEPS[1]}")
    bench.button("Start").click()
    expect(shown).to_contain_text(f"3 of 4{STEPS[2]}")
    expect(bench.certificate).to_be_visible()
    shown.get_by_role("button", name="Back").click()
    expect(shown).to_contain_text("2 of 4")
    shown.get_by_role("button", name="Next").press("Enter")
    shown.get_by_role("button", name="Next").press("Enter")
    expect(shown).to_contain_text(f"4 of 4{STEPS[3]}")
    parts = bench.groups()
    bench.select("smoke")
    bench.after_style(lambda: bench.page.keyboard.press("h"))
    expect(shown).to_contain_text(f"Done{STEPS[4]}")
    assert bench.groups() != parts
    shown.get_by_role("button", name="Finish").click()
    expect(shown).to_be_hidden()
    bench.tab("Share")
    expect(bench.page.get_by_text("All changes are kept")).to_be_visible()
    bench.page.reload()
    wait_for_page(bench.page)
    expect(shown).to_be_hidden()
    bench.tab("Guide")
    bench.button("First run").click()
    expect(shown).to_contain_text("1 of 4")
    expect(shown.get_by_role("button", name="Next")).to_be_focused()
    bench.page.keyboard.press("Escape")
    expect(shown).to_be_hidden()
    context.close()


def test_worked_scenes_open_and_show_what_they_say(open_panel):
    """One that only marks, and one that learns; what all say is computed in tests/pgmgui/project/test_lessons.py."""
    bench = Bench(open_panel("guide", "strip"))
    lessons = {lesson.id: lesson for lesson in load_lessons()}
    choice = bench.page.get_by_role("combobox", name="Worked scene")
    choice.click()
    expect(bench.page.locator(".MuiMenuItem-root")).to_have_text([lesson.title for lesson in lessons.values()])
    bench.page.keyboard.press("Escape")
    for name, steps in (("decomposition", 3), ("local-optimum", 1)):
        choice.click()
        bench.page.locator(".MuiMenuItem-root").filter(has_text=lessons[name].title).click()
        for k, step in enumerate(lessons[name].steps[:steps]):
            expect(bench.page.get_by_text(f"Step {k + 1} of 3")).to_be_visible()
            expect(bench.page.get_by_text(step.see)).to_be_visible()
            show_step(bench, step.link)
            if k < 2:
                bench.button("Next").click()
            else:
                expect(bench.button("Next")).to_be_disabled()
    expect(bench.alert).to_have_count(0)


def test_a_scene_brings_its_axes_and_a_link_carries_them(open_panel):
    lab = Lab(open_panel("guide", "share", "strip", scene="?example=asia&x=seconds"))
    pressed = lab.page.get_by_role("button", pressed=True)
    expect(pressed).to_have_text(["seconds", "objective", "curves"])
    lab.page.get_by_role("combobox", name="Worked scene").click()
    lab.page.locator(".MuiMenuItem-root").filter(has_text="twelve inferences").click()
    lab.button("Next").click()
    expect(lab.page.get_by_text("Step 2 of 3")).to_be_visible()
    lab.button("Show me").click()
    lab.page.keyboard.press("P")  # not slowly
    lab.expect_state("converged", "textbook EM")
    lab.expect_state("converged")
    expect(pressed).to_have_text(["inferences", "log gap", "curves"])
    lines = lab.expect_lines("textbook EM", "decomposed EM", "certified")
    assert lines["textbook EM"]["across"].startswith("inferences")
    assert [lines[name]["x"][-1] for name in ("textbook EM", "decomposed EM")] == [7488, 224]
    lab.button("Copy link").click()
    expect(lab.page.get_by_label("A link that opens this scene")).to_have_text(re.compile("x=inferences&y=log-gap$"))


def test_a_learner_that_diverges_is_shown_beside_one_that_does_not(open_panel):
    lab = Lab(open_panel("guide", "strip"))
    lab.page.get_by_role("combobox", name="Worked scene").click()
    lab.page.locator(".MuiMenuItem-root").filter(has_text="EDML that diverges").click()
    lab.button("Next").click()
    expect(lab.page.get_by_text("Step 2 of 3")).to_be_visible()
    lab.button("Show me").click()
    lab.page.keyboard.press("P")  # not slowly
    lab.expect_state("converged", "EDML")
    lab.expect_state("failed", "undamped EDML")
    expect(lab.page.get_by_text("EDML without damping has diverged")).to_be_visible()
    lab.expect_lines("EDML", "undamped EDML", "upper bound (proven)")


def test_a_study_is_found_by_keyboard_and_runs_live(open_panel, monkeypatch):
    monkeypatch.setattr(study_scenes, "list_folders", lambda: [assets_folder() / "examples"])
    lab = Lab(open_panel("guide", "strip"))
    studies = lab.page.get_by_role("group", name="Studies of the papers")
    expect(studies.locator("summary")).to_have_text(["Thesis (12)", "Compression paper (4)", "Bound paper (17)"])
    expect(studies.get_by_role("button")).to_have_count(0)  # sections are closed
    studies.locator("summary").first.press("Enter")
    expect(studies.get_by_role("button")).to_have_count(12)
    lacking = studies.get_by_role("listitem").filter(has_text="Figure 6.4, right")
    expect(lacking).to_contain_text("pigs is not here: a random network of 20 variables stands in. Put a file such as")
    lab.page.keyboard.press("Tab")
    expect(studies.get_by_role("button", name="Open Figure 3.6 [thesis]")).to_be_focused()
    lab.page.keyboard.press("Tab")
    chosen = studies.get_by_role("button", name="Open Table 4.1 [thesis]")
    expect(chosen).to_be_focused()
    expect(chosen).to_have_attribute("title", "Open asia and learn: EM against EDML, 50 iterations at most")
    lab.page.keyboard.press("Enter")
    expect(lab.heading).to_have_text("Table 4.1 [thesis]: asia")
    lab.page.keyboard.press("P")  # not slowly
    lab.expect_state("after 50 iterations", "EM")
    lab.expect_state("after 50 iterations", "EDML")
    lab.expect_lines("EM", "EDML", "upper bound (I-map)")
    expect(studies.locator("[aria-current]")).to_contain_text("Which curve is higher at the same iteration?")
    expect(studies.get_by_text("pgmgui experiment table-4.1")).to_be_in_viewport()
    expect(chosen).to_be_focused()
    lab.button("Undo").click()
    expect(lab.heading).to_have_text("Asia")
    expect(studies.locator("[aria-current]")).to_have_count(0)


def test_a_study_that_a_link_opens_is_in_view(open_panel, monkeypatch):
    monkeypatch.setattr(study_scenes, "list_folders", lambda: [assets_folder() / "examples"])
    lab = Lab(open_panel("guide", scene="?example=bound-figure-26"))
    chosen = lab.page.get_by_role("group", name="Studies of the papers").locator("[aria-current]")
    expect(chosen.get_by_text("pgmgui experiment bound-figure-26")).to_be_in_viewport()


def show_step(bench: Bench, query: dict[str, str]) -> None:
    """Press “Show me”, and see the scene of the step: its marks, its components, and that it learns or waits."""
    link = parse_link(query)
    derived = derive(link.scene)
    parts, seen = derived.parts, derived.seen
    names = [variable.name for variable in link.scene.document.network.variables]
    bench.button("Show me").click()
    expect(bench.heading).to_have_text(link.scene.title)
    for name, role in zip(names, seen.roles, strict=True):
        expect(bench.node(name)).to_have_attribute("data-role", role.value)
    components = [sorted(names[v] for v in part.variables) for part in parts.task.decomposition.components]
    assert bench.groups() == sorted(components)
    if link.run:
        bench.page.keyboard.press("P")  # not slowly
        expect(bench.page.get_by_text(re.compile("EM: .* converged"))).to_have_count(
            sum("em" in method for method in link.settings.methods)
        )
        expect(bench.certificate).to_be_visible()
    else:
        expect(bench.page.get_by_text("Ready: press Start")).to_be_visible()


def test_the_doctor_finds_a_symmetric_start_and_mends_it_and_equations_are_drawn(open_panel, stage):
    bench = Bench(open_panel("guide", "strip"))
    session = bench.session
    bench.button("Examine the model").click()
    expect(bench.page.get_by_text("Nothing found: every parameter can be learned")).to_be_visible()

    def draw() -> None:
        session.new()
        session.add_variable(150, 60, "Cause")
        session.add_variable(150, 180, "Effect")
        session.connect("Cause", "Effect")

    stage.do(draw)
    expect(bench.edge("Cause", "Effect")).to_be_visible()
    bench.button("Examine the model").click()
    expect(bench.page.get_by_text("There is nothing to examine")).to_be_visible()
    stage.do(lambda: session.set_data(DataDocument(simulate(session.network, 200, random_state=1))))
    stage.do(lambda: session.mark(["Cause"], Hidden()))
    expect(bench.node("Cause")).to_have_attribute("data-role", "hidden")
    bench.button("Examine the model").click()
    mend = bench.button("Randomise")
    expect(mend.first).to_be_visible()
    while mend.count():
        left = mend.count()
        mend.first.click()
        expect(mend).not_to_have_count(left)
    expect(bench.button("Undo")).to_be_enabled()
    assert_equations(bench)


def assert_equations(bench: Bench) -> None:
    """In the Guide tab, and from the run strip while the plot stays in view."""
    drawn = bench.page.locator("math")
    expect(drawn).to_have_count(1)
    drawn.scroll_into_view_if_needed()
    box = drawn.locator("mfrac").bounding_box()
    assert box["width"] > 100
    assert box["height"] > 30
    bench.button("Equations").click()
    expect(drawn).to_have_count(2)
    popup = bench.page.locator(".MuiPopover-paper")
    expect(popup).to_contain_text("Every row is completed in all ways")
    frame = popup.bounding_box()
    assert frame["y"] >= 0
    assert frame["y"] + frame["height"] < 900 - 150
    bench.page.keyboard.press("Escape")
    expect(drawn).to_have_count(1)
