"""The first page: the gallery, the drawing, and moving about in it."""

import json
import re

import pytest
from playwright.sync_api import expect

from pgmgui.project.examples import load_gallery
from tests.ui.lab import Lab

DARK = "() => getComputedStyle(document.body).getPropertyValue('--panel-surface-color').includes('14181d')"
HOSTILE = "<img src=x onerror=alert(1)>"


def test_the_page_opens_on_a_drawn_example_that_fits_and_is_legible(open_board):
    board = open_board()
    for example in load_gallery():
        expect(board.example(example.title)).to_contain_text(example.shows)
    assert set(board.names()) == {"asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"}
    assert len(board.edges()) == 8
    assert ("directed", "smoke", "lung") in board.edges()
    expect(board.heading).to_have_text("Asia")
    expect(board.facts).to_have_text(["8 variables", "8 arrows", "18 parameters", "500 rows", "2 hidden: tub, lung"])
    assert_fits(board, (1440, 900), 0.35)
    assert_legible(board, dark=False)
    board.page.get_by_role("button", name="theme").click()
    board.page.wait_for_function(DARK)
    assert_legible(board, dark=True)


def assert_fits(board, size, share):
    """The canvas has its share of the window, the drawing fits into it, and arrows end at nodes."""
    frame = board.canvas.bounding_box()
    assert frame["width"] * frame["height"] > share * size[0] * size[1]
    for name in board.names():
        box = board.node(name).locator(".shape").bounding_box()
        assert frame["x"] <= box["x"]
        assert box["x"] + box["width"] <= frame["x"] + frame["width"]
        assert frame["y"] <= box["y"]
        assert box["y"] + box["height"] <= frame["y"] + frame["height"]
    arrow = board.edge("asia", "tub").bounding_box()
    tip, rim = arrow["y"] + arrow["height"], board.node("tub").locator(".shape").bounding_box()["y"]
    assert tip == pytest.approx(rim, abs=6)
    assert board.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def assert_legible(board, dark):
    """Labels and edges stand out from what is behind them."""
    text = colour(board.node("lung").locator(".name"), "fill")
    node = colour(board.node("lung").locator(".shape"), "fill")
    paper = colour(board.canvas, "backgroundColor")
    edge = colour(board.page.locator("[data-edge]").first, "stroke")
    assert contrast(text, node) > 7
    assert contrast(edge, paper) > 3
    assert (luminance(paper) < 0.2) == dark


def test_choosing_an_example_redraws(open_panel):
    board = open_panel("open")
    gallery = {example.id: example for example in load_gallery()}
    for example in (gallery["thesis-grid"], gallery["thesis-chain"], gallery["asia"]):
        document, _ = example.read()
        board.pick(example.title)
        assert board.names() == [variable.name for variable in document.network.variables]
        assert len(board.edges()) == len(document.network.edges)
        expect(board.heading).to_have_text(example.title)
    # A Markov network has lines without heads.
    board.pick(gallery["thesis-grid"].title)
    assert {kind for kind, _, _ in board.edges()} == {"undirected"}
    paths = [edge.get_attribute("d") for edge in board.page.locator("[data-edge]").all()]
    assert len(paths) == 12
    assert all(re.fullmatch(r"M\S+ \S+L\S+ \S+", path) for path in paths)
    expect(board.facts.nth(1)).to_have_text("12 edges")
    board.pick("Chain of four")
    assert all("Z" in edge.get_attribute("d") for edge in board.page.locator("[data-edge]").all())


def test_the_wheel_zooms_about_the_pointer_as_do_buttons_and_fit_restores(open_scene):
    board = open_scene("asia")
    before, zoom = board.middle("lung"), board.zoom()
    board.page.mouse.move(*before)
    board.page.mouse.wheel(0, -400)
    board.page.wait_for_function(
        "([e, z]) => !e.getAttribute('transform').includes(z)", arg=[viewport(board), str(zoom)]
    )
    assert board.zoom() > 1.5 * zoom
    assert board.middle("lung") == pytest.approx(before, abs=1)
    board.page.get_by_role("button", name="Fit the graph").click()
    board.wait_for_paint()
    assert board.zoom() == pytest.approx(zoom)
    for name, factor in (("Zoom in", 1.25), ("Zoom out", 1)):
        board.page.get_by_role("button", name=name).click()
        board.wait_for_paint()
        assert board.zoom() == pytest.approx(factor * zoom)


def test_dragging_the_background_pans_and_a_node_moves(open_scene):
    board = open_scene("asia")
    frame = board.canvas.bounding_box()
    before = {name: board.middle(name) for name in board.names()}
    start = frame["x"] + 20, frame["y"] + 20
    board.page.mouse.move(*start)
    board.page.mouse.down()
    board.page.mouse.move(start[0] + 30, start[1] + 50, steps=4)
    board.page.mouse.up()
    board.wait_for_paint()
    after = {name: board.middle(name) for name in board.names()}
    assert after == {name: pytest.approx((x + 30, y + 50), abs=1) for name, (x, y) in before.items()}
    board.drag("either", -40, 10)
    x, y = after.pop("either")
    assert board.middle("either") == pytest.approx((x - 40, y + 10), abs=1)
    assert {name: board.middle(name) for name in after} == {n: pytest.approx(p, abs=1) for n, p in after.items()}


def test_drawing_on_a_small_screen(open_desk, stage):
    stage.page.set_viewport_size({"width": 1024, "height": 768})
    board = open_desk()
    assert_fits(board, (1024, 768), 0.2)
    board.new()
    board.add(120, 60, "rain").add(320, 60, "sprinkler").add(220, 140, "wet")
    board.connect("rain", "wet").connect("sprinkler", "wet")
    expect(board.facts).to_have_text(["3 variables", "2 arrows", "6 parameters", "no data"])
    board.tab("Data")
    board.press("Control+z", "Control+z", "Control+z", "Control+z")
    assert (board.names(), board.arrows()) == (["rain", "sprinkler"], set())
    frame = board.canvas.bounding_box()
    for name in ("Undo", "Shortcuts"):
        box = board.button(name).bounding_box()
        assert frame["x"] <= box["x"] < box["x"] + box["width"] <= frame["x"] + frame["width"]
        assert frame["y"] <= box["y"] < box["y"] + box["height"] <= frame["y"] + frame["height"]


def test_the_view_stays_over_edits_and_fits_another_document(open_panel):
    board = open_panel("open", scene="thesis-chain")
    board.page.get_by_role("button", name="Zoom out").click()
    board.wait_for_paint()
    zoom, place = board.zoom(), board.middle("Y")
    board.select("V").press("Delete")
    board.press("Control+z")
    board.connect("V", "Y")
    assert (board.zoom(), board.middle("Y")) == (pytest.approx(zoom), pytest.approx(place, abs=1))
    board.pick("Asia")
    frame = board.canvas.bounding_box()
    for x, y in map(board.middle, board.names()):
        assert frame["x"] < x < frame["x"] + frame["width"]
        assert frame["y"] < y < frame["y"] + frame["height"]
    board.press("Control+z")  # back to the chain, which is fitted again
    assert board.names() == list("VXYZ")
    assert board.zoom() == pytest.approx(1.25 * zoom)


def test_the_keyboard_reaches_and_moves_everything(open_panel):
    board = open_panel("open")
    board.example("Student").focus()
    board.page.keyboard.press("Enter")
    board.wait_for_load(2)
    for _ in range(2 * len(load_gallery())):
        board.page.keyboard.press("Tab")
        if board.focused():
            break
    assert board.focused() == "Difficulty"
    for key, name in (
        ("Right", "Intelligence"),
        ("Down", "Grade"),
        ("Right", "SAT"),
        ("Left", "Grade"),
        ("Down", "Letter"),
    ):
        board.page.keyboard.press(f"Arrow{key}")
        assert board.focused() == name
    expect(board.page.locator('[data-from="Grade"][data-to="Letter"]')).to_have_class("edge lit")
    zoom = board.zoom()
    board.page.keyboard.press("+")
    board.wait_for_paint()
    assert board.zoom() == pytest.approx(1.25 * zoom)
    before = board.middle("Letter")
    board.page.keyboard.press("Shift+ArrowRight")
    board.wait_for_paint()
    assert board.middle("Letter") == pytest.approx((before[0] - 60, before[1]), abs=1)
    board.page.keyboard.press("0")
    board.wait_for_paint()
    assert board.zoom() == pytest.approx(zoom)
    board.page.keyboard.press("Tab")
    expect(board.button("Undo")).to_be_focused()


def test_walking_off_the_screen_brings_the_node_into_view(open_scene):
    board = open_scene("thesis-chain")
    board.node("V").focus()
    for _ in range(6):
        board.page.keyboard.press("+")
    for name in "XYZ":
        board.page.keyboard.press("ArrowRight")
        board.wait_for_paint()
        assert board.focused() == name
        frame, (x, y) = board.canvas.bounding_box(), board.middle(name)
        assert frame["x"] < x < frame["x"] + frame["width"]
        assert frame["y"] < y < frame["y"] + frame["height"]


def test_a_hostile_name_is_just_a_name(open_panel, tmp_path):
    network, data = tmp_path / f"{HOSTILE}.json", tmp_path / "data.csv"
    states = [HOSTILE, "</script><b>"]
    content = {
        "format": "pgmgui-network",
        "version": 1,
        "kind": "bayesian",
        "name": HOSTILE,
        "variables": [{"name": HOSTILE, "states": states}, {"name": "</title><svg onload=alert(2)>", "states": states}],
        "tables": [
            {"variables": [HOSTILE], "values": [0.5, 0.5]},
            {"variables": [HOSTILE, "</title><svg onload=alert(2)>"], "values": [0.5, 0.5, 0.5, 0.5]},
        ],
    }
    network.write_text(json.dumps(content), encoding="utf-8")
    data.write_text(f"{HOSTILE},weight\n{HOSTILE},2\n", encoding="utf-8")
    board = open_panel("parts", "strip", scene=(network, data))
    assert board.names() == [HOSTILE, "</title><svg onload=alert(2)>"]
    expect(board.heading).to_have_text(HOSTILE)
    expect(board.facts.last).to_have_text("1 hidden: </title><svg onload=alert(2)>")
    expect(board.node(HOSTILE).locator("title")).to_have_text(
        f"{HOSTILE}: {HOSTILE}, </script><b>. Observed. Component 1"
    )
    expect(board.node(HOSTILE).locator(".name")).to_have_text(f"{HOSTILE[:23]}…")
    board.node(HOSTILE).click()
    expect(board.page.get_by_text(f"Selected: {HOSTILE}")).to_be_visible()
    expect(board.page.get_by_role("grid", name="Components")).to_contain_text(HOSTILE)
    board.button("Start").click()
    expect(board.page.get_by_text("Certified: every component is at its upper bound")).to_be_visible()
    expect(board.page.locator("img")).to_have_count(0)
    expect(board.page.locator("[onload], [onerror]")).to_have_count(0)


def test_two_tabs_do_not_see_each_other(open_board, context):
    one, two = Lab(open_board()), Lab(open_board(tab=context.new_page()))
    two.select("tub")
    one.after_style(lambda: (one.node("dysp").focus(), one.page.keyboard.press("h")))
    one.button("Start").click()
    one.expect_state("converged")
    expect(one.node("dysp")).to_have_attribute("data-role", "hidden")
    expect(two.node("dysp")).to_have_attribute("data-role", "observed")
    expect(two.page.get_by_text("Ready: press Start")).to_be_visible()
    assert one.selected() == []
    one.choose("Triangle")
    expect(two.heading).to_have_text("Asia")
    assert two.selected() == ["tub"]
    two.choose("Student")
    assert one.names() == list("ABC")
    assert "Intelligence" in two.names()
    expect(one.heading).to_have_text("Triangle")


def test_a_tooltip_covers_no_button_beside_its_own(open_panel):
    board = open_panel("share")
    board.button("Copy link").hover()
    tip = board.page.get_by_role("tooltip")
    expect(tip).to_contain_text("an address that opens this scene")
    button, beside, box = (
        place.bounding_box() for place in (board.button("Copy link"), board.button("Copy as Python"), tip)
    )
    assert box["y"] >= button["y"] + button["height"]
    assert box["y"] >= beside["y"] + beside["height"]


def viewport(board):
    return board.page.locator(".viewport").element_handle()


def colour(locator, name):
    """A computed colour as red, green and blue from 0 to 1."""
    text = locator.evaluate("(element, name) => getComputedStyle(element)[name]", name)
    numbers = [float(number) for number in re.findall(r"[\d.]+(?:e-?\d+)?", text.removeprefix("color(srgb"))][:3]
    return numbers if text.startswith("color(srgb") else [number / 255 for number in numbers]


def luminance(rgb):
    """The relative luminance of WCAG 2."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
