"""How long the page takes to open, by part, and what pages cost that nobody touches.

Times in the browser count from the moment when the address is entered. A cold browser has never been here; a warm
one has what it may keep.
"""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bokeh.core.json_encoder import serialize_json
from bokeh.document import Document
from panel.io.state import set_curdoc
from playwright.sync_api import BrowserContext, sync_playwright

from app.main import build_page
from pgmgui.project.store import Store
from tests.benchmarks.report import Report, seconds
from tests.ui.conftest import BUILT, Served, start_process

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
STEPS = ("HTML", "HTML parsed", "websocket", "document", "first node", "tabs", "plot", "all built")
"""What happens in the browser. The document is the first long message through the websocket."""
WATCH = """
window.steps = {}
const note = (name) => { window.steps[name] ??= performance.now() / 1000 }
window.WebSocket = class extends WebSocket {
  constructor(...values) {
    super(...values)
    this.addEventListener("open", () => note("websocket"))
    this.addEventListener("message", ({data}) => { if (data.length > 20000) note("document") })
  }
}
const attach = Element.prototype.attachShadow
Element.prototype.attachShadow = function (options) {
  const root = attach.call(this, options)
  new MutationObserver(() => {
    if (root.querySelector("[data-node]")) note("first node")
    if (root.querySelector("[role=tab]")) note("tabs")
    if (root.querySelector("canvas")) note("plot")
  }).observe(root, {childList: true, subtree: true})
  return root
}
addEventListener("DOMContentLoaded", () => note("HTML parsed"))
localStorage.setItem("pgmgui-first-run", "seen")
"""
FOUND = """() => {
  const [page] = performance.getEntriesByType("navigation")
  window.steps["HTML"] = page.responseEnd / 1000
  window.steps["all built"] = performance.now() / 1000
  return [window.steps, [page, ...performance.getEntriesByType("resource")].map(entry => entry.toJSON())]
}"""
PAGES = 3
"""Pages that are open while nobody touches them."""
REST, SETTLED = 1.0, 3.0
"""Seconds after a visit, in which the server does what is left of it; and until a page that was opened does nothing."""


def run(quick: bool, report: Report) -> None:
    """Measure a server of its own."""
    folder = Path(tempfile.mkdtemp())
    server = start_process((), folder / "log")
    try:
        _measure_building(report, folder, 1 if quick else 5)
        _measure_html(report, server, *((2, 0.0) if quick else (9, REST)))
        # Playwright wants a thread where nobody else uses it.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(_measure_browser, report, server, 1 if quick else 5, quick).result()
    finally:
        server.stop()
        shutil.rmtree(folder)


def _measure_building(report: Report, folder: Path, times: int) -> None:
    """What the server does for a page, apart from sending it."""
    found: list[list[float]] = []
    for _ in range(times + 1):  # the first fills caches
        document, marks = Document(), [time.perf_counter()]
        with set_curdoc(document):
            page = build_page(store=Store(folder / "kept"))
            marks.append(time.perf_counter())
            page.server_doc(document)
            marks.append(time.perf_counter())
            size = len(serialize_json(document.to_json()))
            marks.append(time.perf_counter())
        found.append([after - before for before, after in itertools.pairwise(marks)])
    parts = ("panels and widgets", "models of Bokeh", "their JSON")
    with report.table(("building the document", "best")) as table:
        for name, *measured in zip(parts, *found[1:], strict=True):
            table.row(name, seconds(min(measured)))
    report.note(f"{len(document.models)} models, {size:,} bytes of JSON\n")


def _measure_html(report: Report, server: Served, times: int, rest: float) -> None:
    """How soon the server answers."""
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        with urllib.request.urlopen(server.url) as answer:
            size = len(answer.read())
        found.append(time.perf_counter() - begun)
        time.sleep(rest)  # what the server does after it has answered is not part of the next
    with report.table(("the server alone", "best", "worst")) as table:
        table.row(f"HTML, {size:,} bytes", seconds(min(found)), seconds(max(found)))


def _measure_browser(report: Report, server: Served, times: int, quick: bool) -> None:
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        cold, warm = [], []
        for _ in range(times):
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            context.add_init_script(WATCH)
            cold.append(_open(context, server.url, 0.0 if quick else REST))
            if not quick:
                _open(context, server.url, REST)  # from now on, compiled scripts are kept too
                warm.append(_open(context, server.url, REST))
        _write_steps(report, cold, warm or cold)
        _write_resources(report, cold[-1][1], (warm or cold)[-1][1])
        _measure_idle(report, server, context, *((1, 0.1, 0.1) if quick else (PAGES, SETTLED, 20.0)))
        browser.close()


def _open(context: BrowserContext, url: str, rest: float) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """When each step was reached, and what was loaded."""
    page = context.new_page()
    page.goto(url)
    page.wait_for_function(BUILT)
    steps, resources = page.evaluate(FOUND)
    page.close()
    time.sleep(rest)  # the server forgets the page
    return steps, resources


def _write_steps(report: Report, cold: list[Any], warm: list[Any]) -> None:
    with report.table(("reached in the browser after", "cold", "warm", "worst warm")) as table:
        for step in STEPS:
            once, again = ([steps[step] for steps, _ in opened] for opened in (cold, warm))
            table.row(step, seconds(min(once)), seconds(min(again)), seconds(max(again)))


def _write_resources(report: Report, cold: list[dict[str, Any]], warm: list[dict[str, Any]]) -> None:
    columns = ("loaded", "bytes", "sent cold", "sent warm", "from", "to")
    again = {entry["name"]: entry for entry in warm}
    with report.table(columns) as table:
        for entry in cold:
            begun, ended = entry["startTime"] / 1000, entry["responseEnd"] / 1000
            sizes = entry["decodedBodySize"], entry["transferSize"], again.get(entry["name"], entry)["transferSize"]
            table.row(
                urlsplit(entry["name"]).path[-44:], *(f"{size:,}" for size in sizes), seconds(begun), seconds(ended)
            )
        total = [sum(entry["transferSize"] for entry in entries) for entries in (cold, warm)]
        table.row("together", "", *(f"{size:,}" for size in total), "", "")


def _measure_idle(
    report: Report, server: Served, context: BrowserContext, many: int, settled: float, idle: float
) -> None:
    """The CPU time of the server while pages are open that nobody touches."""
    pages, messages = [], [0]
    for _ in range(many):
        page = context.new_page()
        page.on("websocket", lambda socket: _count(socket, messages))
        page.goto(server.url)
        page.wait_for_function(BUILT)
        pages.append(page)
    pages[-1].wait_for_timeout(1000 * settled)
    begun, counted = cpu_seconds(server.process.pid), messages[0]
    pages[-1].wait_for_timeout(1000 * idle)
    used = cpu_seconds(server.process.pid) - begun
    sent = messages[0] - counted
    report.note(f"{many} pages that nobody touches: {used:.2f} s of CPU and {sent} messages in {idle:g} s\n")


def _count(socket: Any, messages: list[int]) -> None:
    def add(_payload: object) -> None:
        messages[0] += 1

    socket.on("framesent", add)
    socket.on("framereceived", add)


def cpu_seconds(process: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
