"""Pictures to take along: of the graph and of the plot, as SVG and PNG, in the theme on the page."""

from __future__ import annotations

import base64
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.formats import Document, write_dataset, write_network
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from engine.simulation.sampling import simulate
from tests.ui.query_page import Asking

HOSTILE = "<img src=x onerror=alert(1)>"
SVG = "{http://www.w3.org/2000/svg}"
# The size of a picture, how many colours it has, and the colour of its corner.
DECODE = """async encoded => {
  const bytes = Uint8Array.from(atob(encoded), character => character.charCodeAt(0))
  const image = await createImageBitmap(new Blob([bytes], {type: "image/png"}))
  const pen = new OffscreenCanvas(image.width, image.height).getContext("2d")
  pen.drawImage(image, 0, 0)
  const pixels = new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer)
  const corner = [...pen.getImageData(2, 2, 1, 1).data]
  return {width: image.width, height: image.height, colours: new Set(pixels).size, corner}
}"""


@pytest.fixture
def files(tmp_path):
    """A network of hostile names, and data of which a column is hidden."""
    variables = (
        Variable(HOSTILE, (HOSTILE, "no")),
        Variable("B & C", ("yes", "no")),
        Variable("a" * 40, ("yes", "no")),
    )
    rng = np.random.default_rng(1)
    tables = (np.array([0.3, 0.7]), rng.dirichlet((1, 1), size=2), rng.dirichlet((1, 1), size=2))
    network = BayesianNetwork(variables, ((), (0,), (0,)), tables)
    write_network(tmp_path / "hostile.json", Document(network))
    write_dataset(tmp_path / "rows.csv", simulate(network, 60, random_state=1))
    return tmp_path / "hostile.json", tmp_path / "rows.csv"


def fetch(page, act, suffix):
    """The file that the browser is given, and its name."""
    with page.expect_download() as download:
        act()
    assert download.value.suggested_filename.endswith(suffix)
    return download.value.path().read_bytes()


def read_svg(content):
    """The root of a picture, in which there is nothing but a drawing."""
    text = content.decode()
    root = ElementTree.fromstring(text)
    kinds = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert not kinds & {"script", "foreignObject", "style", "a", "iframe"}
    for element in root.iter():
        for name, value in element.attrib.items():
            assert not name.lower().startswith("on")
            assert not re.search(r"url\((?!['\"]?#)", value)
            if name.endswith("href"):
                assert value.startswith("data:image/png;base64,")  # the lines of Bokeh's legend
    assert re.findall(r"https?://[^\"' <]*", text) == ["http://www.w3.org/2000/svg"] * text.count("xmlns=")
    return root


def texts(root):
    return [element.text for element in root.iter(f"{SVG}text") if element.text]


def test_pictures_look_like_the_page(open_board, files):
    page = Asking(open_board(*files).page)

    def of_graph(kind):
        page.button("Picture").click()
        return page.page.get_by_role("menu").get_by_role("menuitem", name=kind.upper()).click()

    def of_plot(kind):
        group = page.page.get_by_role("group", name="Picture of the plot")
        group.get_by_role("button", name=kind.upper()).click()

    def decode(content):
        return page.page.evaluate(DECODE, base64.b64encode(content).decode())

    page.select(HOSTILE).press("h")
    page.button("Start").click()
    page.expect_state("converged")
    page.show_bars()
    page.click_bar("B & C", "yes")
    expect(page.bar("B & C", "yes").locator(".percent")).to_have_text("100.0%")
    page.button("Zoom in").click()  # the picture is of all there is, whatever is on the screen
    root = read_svg(fetch(page.page, lambda: of_graph("svg"), "hostile.svg"))
    expect(page.status).to_have_text("Saved as hostile.svg")
    left, top, width, height = map(float, root.get("viewBox").split())
    for name in (HOSTILE, "B & C", "a" * 40):
        node = next(g for g in root.iter(f"{SVG}g") if g.findtext(f"{SVG}title", "").startswith(f"{name}: "))
        x, y = map(float, re.findall(r"-?[\d.]+", node.get("transform")))
        assert left < x < left + width
        assert top < y < top + height
    assert {"B & C", "▸yes", "100.0%", "▸"} <= set(texts(root))
    light = decode(fetch(page.page, lambda: of_graph("png"), "hostile.png"))
    assert (light["width"], light["height"]) == (2 * width, 2 * height)
    assert light["colours"] > 50
    assert min(light["corner"]) > 240
    # The plot: its axes, its names, its lines.
    root = read_svg(fetch(page.page, lambda: of_plot("svg"), "objective by iterations.svg"))
    assert {"objective (nats)", "iteration", "decomposed EM"} <= set(texts(root))
    size = float(root.get("width")), float(root.get("height"))
    plot = decode(fetch(page.page, lambda: of_plot("png"), "objective by iterations.png"))
    assert (plot["width"], plot["height"]) == (2 * size[0], 2 * size[1])
    assert plot["colours"] > 20
    assert min(plot["corner"]) > 240
    # In the dark, and of another quantity; with the keyboard.
    page.button("Toggle theme").click()
    page.page.wait_for_function(
        "() => getComputedStyle(document.body).getPropertyValue('--panel-surface-color').includes('14181d')"
    )
    page.page.get_by_role("button", name="log gap", exact=True).click()
    page.page.wait_for_function("() => Bokeh.documents.some(document => document.get_model_by_name('plot of log gap'))")
    expect(page.page.get_by_role("group", name="Picture of the plot")).to_be_visible()

    def by_key():
        page.button("Picture").focus()
        page.page.keyboard.press("Enter")
        expect(page.page.get_by_role("menuitem", name="SVG")).to_be_focused()
        page.page.keyboard.press("ArrowDown")
        page.page.keyboard.press("Enter")

    dark = decode(fetch(page.page, by_key, "hostile.png"))
    assert max(dark["corner"][:3]) < 60
    assert dark["colours"] > 50
    expect(page.button("Picture")).to_be_focused()
    dark = decode(fetch(page.page, lambda: of_plot("png"), "log gap by iterations.png"))
    assert max(dark["corner"][:3]) < 60
    menu = page.page.get_by_role("menu", name="Picture of the graph")
    page.button("Picture").click()
    expect(menu).to_be_visible()
    page.button("Picture").click()
    expect(menu).to_be_hidden()
    page.button("Picture").click()
    page.page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
