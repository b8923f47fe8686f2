"""How the page opens: its HTML at once, few files that are compressed and kept, a session for each tab."""

from __future__ import annotations

import gzip
import re
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from app.static_files import FOR_GOOD
from tests.ui.board import Board

UNUSED = ("bokeh-gl", "bokeh-mathjax", "bokeh-tables", "es-module-shims")
# Notes the place of the canvas when its first node is there.
NOTE_FIRST = """
const attach = Element.prototype.attachShadow
Element.prototype.attachShadow = function (options) {
  const root = attach.call(this, options)
  new MutationObserver(() => {
    if (window.first || !root.querySelector("[data-node]")) return
    const {x, y, width, height} = root.querySelector(".graph-canvas").getBoundingClientRect()
    window.first = {x, y, width, height}
  }).observe(root, {childList: true, subtree: true})
  return root
}
"""


def fetch(url: str, **headers: str):
    """The answer to a request: its headers, and what it holds."""
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
        return answer.headers, answer.read()


def list_files(html: str) -> list[str]:
    """The addresses of the scripts and styles that the HTML names."""
    return re.findall(r'(?:src|rel="stylesheet" href)="([^"]+)"', html) + re.findall(
        r'importShim\("\./([^"]+)"\)', html
    )


def read_token(html: str) -> str:
    return re.search(r'token: "([^"]+)"', html).group(1)


def test_files_are_compressed_and_kept_for_good(served):
    files = list_files(fetch(f"{served.url}/")[1].decode())
    assert {urlsplit(file).path.rsplit("/", 1)[-1] for file in files} >= {
        "bokeh.min.js",
        "panel.min.js",
        "panel-material-ui.bundle.js",
    }
    for file in files:
        headers, content = fetch(f"{served.url}/{file}", **{"Accept-Encoding": "gzip, br"})
        assert headers["Content-Encoding"] == "gzip", file
        assert headers["Cache-Control"] == FOR_GOOD, file
        assert headers["Vary"] == "Accept-Encoding"
        plain, whole = fetch(f"{served.url}/{file}")
        assert plain["Content-Encoding"] is None
        assert plain["Content-Type"] == headers["Content-Type"]
        assert gzip.decompress(content) == whole
        assert len(content) < 0.6 * len(whole)


def test_a_file_without_a_version_is_asked_for_again(served):
    url = f"{served.url}/static/js/bokeh.min.js"
    headers, _ = fetch(url)
    assert headers["Cache-Control"] == "no-cache"
    with pytest.raises(urllib.error.HTTPError, match="304"):
        fetch(url, **{"If-None-Match": headers["Etag"]})


def test_the_html_is_never_kept_and_each_has_a_token_of_its_own(served):
    (headers, one), (_, other) = fetch(f"{served.url}/"), fetch(f"{served.url}/")
    assert headers["Cache-Control"] == "no-store"
    assert read_token(one.decode()) != read_token(other.decode())


@pytest.mark.parametrize(
    ("query", "style"), [("", "default.css"), ("?theme=dark", "dark.css"), ("?theme=<b>", "default.css")]
)
def test_the_html_has_the_colours_of_the_theme(served, query, style):
    html = fetch(f"{served.url}/{query.replace('<b>', '%3Cb%3E')}")[1].decode()
    assert f"/theme/{style}" in html
    assert "<b>" not in html


def test_a_visit_asks_for_what_it_uses_and_the_next_for_no_script_again(open_board, page):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.add_init_script(NOTE_FIRST)
    assert_room_was_free(open_board())
    assert any("bokeh.min.js" in url for url in asked)
    page.set_viewport_size({"width": 1024, "height": 768})
    board = open_board(query="?example=asia&hide=smoke")
    assert_room_was_free(board)
    sent = page.evaluate("performance.getEntriesByType('resource').map(entry => [entry.name, entry.transferSize])")
    files = {name: size for name, size in sent if urlsplit(name).path.endswith((".js", ".css"))}
    assert any("bokeh.min.js" in name for name in files)
    assert [name for name, size in files.items() if size] == []
    assert [url for url in asked if any(name in url for name in UNUSED)] == []
    # What the address names is opened.
    expect(board.node("smoke")).to_have_attribute("data-role", "hidden")
    expect(board.facts.last).to_contain_text("smoke")


def assert_room_was_free(board: Board) -> None:
    """What came later has not moved the canvas."""
    assert board.page.evaluate("window.first") == board.canvas.bounding_box()


def test_a_server_that_is_gone_is_told_of(page, served):
    page.route_web_socket("**/ws", lambda socket: socket.close())
    page.goto(served.url)
    expect(page.get_by_role("status")).to_contain_text("The server does not answer")
