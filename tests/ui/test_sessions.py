"""What is kept: a reload, a duplicated tab, a link, a file, a script, a report."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import shlex
import sqlite3
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from pgmgui.project.links import parse_link
from pgmgui.project.scene import derive
from pgmgui.project.store import Store
from tests.command_line import run
from tests.pgmgui.project.small_sessions import small
from tests.ui.conftest import prepare, wait_for_page
from tests.ui.lab import Lab
from tests.ui.test_scenarios import HOSTILE, Bench, assert_just_names, hostile_network
from tests.ui.watch import Watch

KEPT = "All changes are kept"


def look(folder: Path, question: str) -> list[tuple]:
    """Look into what the servers of a folder have kept, or change it."""
    with sqlite3.connect(folder / "kept-1.db") as connection:
        return connection.execute(question).fetchall()


class Desk(Bench, Lab):
    """The page with words for what is taken along."""

    def expect_kept(self) -> Desk:
        """Wait until all that was done is on the disk."""
        self.tab("Share")
        expect(self.page.get_by_text(KEPT)).to_be_visible()
        return self

    def copy(self, button: str, label: str) -> str:
        """The text that a button of the Share tab shows."""
        self.tab("Share")
        self.button(button).click()
        box = self.page.get_by_label(label, exact=True)
        expect(box).to_be_visible()
        return box.text_content()

    def download(self, button: str, folder: Path) -> Path:
        self.tab("Share")
        return self._save(button, folder)

    def reload(self) -> Desk:
        self.page.reload()
        return Desk(wait_for_page(self.page).page)

    def picture(self) -> dict:
        """All that the page tells of the scene and the run."""
        self.page.wait_for_function("() => document.fonts.ready.then(() => true)")
        nodes = self.page.locator("[data-node]").evaluate_all(
            "all => all.map(({dataset, attributes}) =>"
            " [dataset.node, dataset.role, dataset.component, attributes.transform?.value])"
        )
        return {
            "title": self.heading.inner_text(),
            "facts": self.facts.all_inner_texts(),
            "nodes": nodes,
            "edges": self.edges(),
            "said": [self.certificate.inner_text(), self.run.inner_text()],
            "lines": {name: (line["x"], line["y"]) for name, line in self.lines().items()},
        }


class Beside(Desk):
    """Panels that are all in view: there is no tab to turn to."""

    def tab(self, name: str) -> Beside:
        return self


def test_all_is_there_after_a_reload_and_a_duplicated_tab_goes_its_own_way(open_board, page, context, kept):
    desk = Desk(open_board().page)
    assert urlsplit(page.url).query == ""
    change_everything(desk)
    desk.learn()
    desk.expect_kept()
    expect(page).to_have_url(re.compile(r"/\?tab=[\w-]{16}&open=share$"))
    before, address = desk.picture(), page.url
    desk = desk.reload()
    expect(page).to_have_url(address)
    expect(desk.certificate).to_be_visible()
    desk.expect_lines("decomposed EM", "upper bound (I-map)")
    assert desk.picture() == before
    assert desk.groups() == [["V"], ["W"], ["X"], ["Y", "Z"]]
    desk.expect_enabled(Start=True, Apply=True, Stop=False)
    desk.tab("Variable").select("W")
    expect(desk.cell("Table of W", 0, 0)).to_have_text("0.3")
    desk.button("Apply").click()
    expect(page.get_by_text("Applied: the network has the learned parameters.")).to_be_visible()
    desk.expect_kept()
    twin = Desk(open_board(tab=context.new_page(), query=f"?{urlsplit(address).query}").page)
    expect(twin.page.get_by_text("Applied: the network has the learned parameters.")).to_be_visible()
    assert twin.names() == desk.names()
    twin.page.wait_for_function("address => location.href !== address && location.search.length > 8", arg=address)
    twin.select("W")
    twin.page.keyboard.press("h")
    expect(twin.node("W")).to_have_attribute("data-role", "hidden")
    twin.expect_kept()
    expect(desk.node("W")).to_have_attribute("data-role", "observed")
    mine, other = (dict(parse_qsl(urlsplit(url).query))["tab"] for url in (address, twin.page.url))
    assert kept_keys(kept) >= {mine, other}
    twin.button("Forget this tab's copy").click()
    expect(twin.page.get_by_text("nothing is kept of it yet")).to_be_visible()
    expect(twin.page).to_have_url(re.compile(r"/\?open=share$"))
    assert mine in kept_keys(kept)
    assert other not in kept_keys(kept)


def test_the_address_has_theme_type_bars_and_the_open_tab(open_board, page):
    """So that a reload, which asks for it again, keeps them."""
    look = "?example=burglary&x=seconds&theme=dark&type=large&bars=1&open=query"
    desk = Desk(open_board(query=look).page)
    expect(page.get_by_role("tab", name="Query")).to_have_attribute("aria-selected", "true")
    expect(page.locator("[data-card]")).to_have_count(5)
    expect(desk.button("Aa ✓")).to_be_visible()
    page.wait_for_function("() => getComputedStyle(document.documentElement).backgroundColor === 'rgb(20, 24, 29)'")
    page.wait_for_function(
        """() => Bokeh.documents.some(document => [...document._all_models.values()].some(
             model => model.type === "Legend" && model.label_text_font_size === "17px"))"""
    )
    expect(desk.heading).to_have_text("Burglary")
    assert page.url.endswith(look)

    def toggle(tab: str) -> None:
        desk.page.keyboard.press("t")
        desk.page.keyboard.press("b")
        desk.button("Toggle theme").click()
        desk.tab(tab)

    toggle("Share")
    expect(page).to_have_url(re.compile(r"\?example=burglary&x=seconds(&theme=default)?&open=share$"))
    toggle("Query")
    expect(page).to_have_url(re.compile(re.escape(look) + "$"))


def test_what_is_to_be_copied_is_copied_at_once(open_panel):
    desk = Desk(open_panel("share", "strip", scene="?example=asia&y=log-gap"))
    desk.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for button, begins in (("Copy as command", "pgmgui learn"), ("Copy as Python", '"""'), ("Copy link", "http")):
        desk.button(button).click()
        desk.page.wait_for_function(
            "async begins => document.hasFocus() && (await navigator.clipboard.readText()).startsWith(begins)",
            arg=begins,
        )
    expect(desk.button("Copied")).to_be_visible()
    desk.page.context.clear_permissions()


def kept_keys(folder: Path) -> set[str]:
    """The tabs of which something is kept."""
    return {key for (key,) in look(folder, "SELECT key FROM tab")}


def change_everything(desk: Desk) -> None:
    """An example with another variable, place, table, data and mark."""
    desk.choose("Chain of four")
    desk.add(150, 60, "W").connect("W", "V").drag("W", 40, 0)
    desk.simulate(300)
    desk.tab("Variable").select("W")
    desk.type_into("Table of W", 0, 0, "0.3")
    desk.select("Y").press("h")


def objective(desk: Desk, learner: str) -> float:
    """What the page says that a learner has reached."""
    desk.expect_state("converged", learner)
    return float(re.search(r": (-?[\d,.]+) after", desk.state(learner).inner_text())[1].replace(",", ""))


def fresh_page(browser, browser_context_args) -> Page:
    """A page of a new profile."""
    return prepare(browser.new_context(**browser_context_args)).new_page()


def test_a_link_shows_the_same_scene_and_ends_at_the_same_objective_in_a_fresh_profile(
    open_panel, open_board, browser, browser_context_args
):
    query = {"example": "hidden-cause", "learner": "em,d-em", "seed": "2"}
    scene = "?" + "&".join(f"{key}={value}" for key, value in query.items())
    desk = Beside(open_panel("share", "strip", scene=scene))
    desk.button("Start").click()
    link = parse_link(query)
    derived = derive(link.scene)
    stopping = Stopping(link.settings.tol, link.settings.criterion, link.settings.max_iter)
    *_, last = learn(link.scene.document.network, derived.seen, "d-em", random_state=2, stopping=stopping)
    reached = objective(desk, "decomposed EM")
    assert reached == pytest.approx(last.objective.sum(), abs=1e-4)
    assert desk.expect_lines("EM", "decomposed EM", "upper bound (I-map)")["EM"]["y"]
    names = [variable.name for variable in link.scene.document.network.variables]
    components = [sorted(names[v] for v in part.variables) for part in derived.parts.task.decomposition.components]
    assert desk.groups() == sorted(components)
    address = desk.copy("Copy link", "A link that opens this scene")
    assert "run=1" not in address
    one = fresh_page(browser, browser_context_args)
    other = Desk(open_board(tab=one, query=f"{address[address.index('?') :]}&run=1").page)
    assert other.heading.inner_text() == desk.heading.inner_text()
    assert (other.names(), other.edges(), other.groups()) == (desk.names(), desk.edges(), desk.groups())
    assert objective(other, "decomposed EM") == reached
    assert objective(other, "EM") == objective(desk, "EM")
    other.expect_kept()
    expect(one).to_have_url(re.compile("tab="))
    one.context.close()


def test_an_address_that_cannot_be_opened_says_why_and_the_page_is_of_use(open_board, page, kept):
    """One that is kept and damaged; others are told in tests/app/test_addresses.py."""
    Store(kept).save("some-damaged-tab", small(1))
    look(kept, "UPDATE tab SET text = '{' WHERE key = 'some-damaged-tab'")
    board = open_board(query="?tab=some-damaged-tab")
    expect(board.message).to_contain_text("the tab some-damaged-tab")
    expect(board.heading).to_have_text("Asia")
    board.select("smoke")
    page.keyboard.press("h")
    board.tab("Share")
    expect(page.get_by_text(KEPT)).to_be_visible()
    expect(page).to_have_url(re.compile(r"tab=(?!some-damaged-tab)"))
    assert look(kept, "SELECT text FROM tab WHERE key = 'some-damaged-tab'") == [("{",)]


def repeat_python(script: str, folder: Path) -> float:
    """What a script reaches; that it needs no more than Python and pgmgui is seen in tests/pgmgui/tabs."""
    path, said = folder / "again.py", io.StringIO()
    path.write_text(script, encoding="utf-8")
    with contextlib.chdir(folder), contextlib.redirect_stdout(said):
        runpy.run_path(str(path), run_name="__main__")
    return float(re.search(r"objective (\S+),", said.getvalue())[1])


def assert_opens_offline(browser, report: Path, objective: str) -> None:
    """The report stands on its own: no request but for itself, no script, and names are only text."""
    context = browser.new_context(offline=True)
    page, watch = context.new_page(), Watch()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    watch.follow(page, "file://")
    page.goto(report.as_uri())
    assert requests == [report.as_uri()]
    assert page.title() == HOSTILE
    expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE)
    expect(page.get_by_text(re.compile("^(Within|At most) .* the best possible|^Certified: ")).first).to_be_visible()
    expect(page.get_by_text(objective).first).to_be_visible()
    expect(page.get_by_role("img")).to_have_count(2)
    expect(page.get_by_role("img", name="Learning curves").get_by_text("decomposed EM")).to_be_visible()
    expect(page.get_by_role("table")).to_have_count(4)
    expect(page.get_by_role("table", name=HOSTILE)).to_be_visible()
    expect(page.locator("img, script, [onload], [onerror]")).to_have_count(0)
    assert watch.problems == []
    context.close()


def test_hostile_names_are_just_names_also_in_a_script_a_command_a_report_and_a_file_that_opens_again(
    open_desk, browser, tmp_path
):
    desk = Desk(open_desk())
    desk.upload("network", f"{HOSTILE}.json", hostile_network())
    expect(desk.heading).to_have_text(HOSTILE)
    desk.simulate(300)
    desk.select(HOSTILE)
    desk.page.keyboard.press("h")
    expect(desk.node(HOSTILE)).to_have_attribute("data-role", "hidden")
    reached = desk.learn()
    assert_just_names(desk, tmp_path)
    script = desk.copy("Copy as Python", "A script that repeats this run")
    assert repeat_python(script, tmp_path) == pytest.approx(reached, abs=1e-4)
    words = shlex.split(desk.copy("Copy as command", "Commands that repeat this run"))
    assert words[:2] == ["pgmgui", "learn"]
    assert run(*words[1:], "--json").result["objective"] == pytest.approx(reached, abs=1e-4)
    assert_opens_offline(browser, desk.download("Report", tmp_path), f"{reached:,.4f}")
    desk.button("Copy link").click()
    expect(desk.alert).to_contain_text("A link can only open an example")
    before = desk.picture()
    path = desk.download("Save session", tmp_path)
    assert path.name == "img src=x onerror=alert(1).session.json"
    desk.choose("Chain of four")
    desk.upload("network", path.name, path.read_bytes())
    expect(desk.heading).to_have_text(HOSTILE)
    expect(desk.certificate).to_be_visible()
    desk.expect_lines(*before["lines"])
    assert desk.picture() == before
    desk.undo()
    expect(desk.heading).to_have_text("Chain of four")
    desk.page.get_by_role("textbox", name="Path on this machine").fill(str(path))
    desk.button("Open:").click()
    expect(desk.heading).to_have_text(HOSTILE)
    expect(desk.certificate).to_be_visible()
    damaged = path.read_text(encoding="utf-8").replace('"version": 2', '"version": 99')
    desk.upload("network", "mine.session.json", damaged)
    expect(desk.alert).to_contain_text("mine.session.json: a session of version 99")
    expect(desk.heading).to_have_text(HOSTILE)
