"""A window of its own: what is asked of the web view, and what happens where there is none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app import desktop, window
from app import main as page
from app.cli import main as run

FAKE = """
import json, sys
class errors:
    class WebViewException(Exception): pass
settings = {}
made = []
def create_window(*words, **options): made.append([words, options])
def start(**options):
    if options["storage_path"].endswith("nowhere"):
        raise errors.WebViewException("no display")
    print(json.dumps([made, settings, options]))
"""


@pytest.fixture
def fake_webview(tmp_path, monkeypatch):
    """A web view that shows nothing, says what it was asked for, and is closed at once."""
    (tmp_path / "webview.py").write_text(FAKE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


def test_the_window_shows_the_page_with_title_and_icon(fake_webview):
    words = [sys.executable, "-m", "app.window", "http://127.0.0.1:1", "a – pgmgui", str(fake_webview / "kept")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    made, settings, options = json.loads(done.stdout)
    assert made == [
        [
            ["a – pgmgui", "http://127.0.0.1:1"],
            {"width": 1440, "height": 900, "min_size": [800, 560], "text_select": True},
        ]
    ]
    assert settings == {"ALLOW_DOWNLOADS": True}
    assert Path(options["icon"]).read_bytes().startswith(b"\x89PNG")
    assert options["private_mode"] is False  # what the browser keeps is kept


def test_nothing_of_the_folder_where_it_is_started_is_run(tmp_path, monkeypatch):
    (tmp_path / "webview.py").write_text(FAKE)
    monkeypatch.chdir(tmp_path)
    ends = []
    window.Window("http://127.0.0.1:1", "x", tmp_path / "kept", ends.append)._thread.join(60)
    assert ends == [False]


def test_a_window_that_is_closed_by_us_tells_nothing(fake_webview):
    (fake_webview / "webview.py").write_text(FAKE.replace("print(", "import time; time.sleep(600); print("))
    ends = []
    opened = window.Window("http://127.0.0.1:1", "x", fake_webview / "kept", ends.append)
    opened.close()
    opened._thread.join(60)
    assert ends == []


@pytest.mark.parametrize(("folder", "shown"), [("kept", True), ("nowhere", False)])
def test_the_end_of_a_window_is_told(fake_webview, folder, shown):
    ends = []
    opened = window.Window("http://127.0.0.1:1", "x", fake_webview / folder, ends.append)
    opened._thread.join(60)
    assert ends == [shown]
    opened.close()


@pytest.mark.parametrize(("shown", "browser"), [(True, []), (False, ["/"])])
def test_the_server_ends_with_its_window_or_opens_the_browser(monkeypatch, tmp_path, capsys, shown, browser):
    """Where there can be no window, the browser shows the page, and a line says how to get one."""
    monkeypatch.setenv("PGMGUI_HOME", str(tmp_path))
    opened, asked = [], []

    class Closed:
        def __init__(self, url, title, folder, on_end):
            opened.append((url, title))
            on_end(shown)

        def close(self):
            opened.append("closed")

    def show(server, path):
        asked.append(path)
        server.io_loop.stop()

    monkeypatch.setattr(page, "Window", Closed)
    monkeypatch.setattr("bokeh.server.server.Server.show", show)
    monkeypatch.setattr(page, "prepare", lambda: None)
    asia = Path(__file__).parents[2] / "assets" / "examples" / "asia.bif"
    assert run(["--window", "--port", "0", str(asia)]) == 0
    (url, title), closed = opened
    assert (url.startswith("http://127.0.0.1:"), title, closed) == (True, "asia.bif – pgmgui", "closed")
    assert asked == browser
    said = capsys.readouterr().err
    assert (
        (said == "") if shown else ('pip install "pgmgui[desktop]"' in said and url in said and said.count("\n") == 1)
    )


def test_a_desktop_is_told_of_network_files(monkeypatch, tmp_path, capsys):
    assert run(["desktop"]) == 0
    printed = capsys.readouterr().out
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert run(["desktop", "--install"]) == 0
    entry = (tmp_path / "applications" / "pgmgui.desktop").read_text()
    kinds = (tmp_path / "mime" / "packages" / "pgmgui.xml").read_text()
    assert entry in printed
    assert kinds in printed
    assert "--window %f" in entry
    assert '<glob pattern="*.bif"/>' in kinds
    assert (tmp_path / "icons" / "hicolor" / "scalable" / "apps" / "pgmgui.svg").read_text().startswith("<svg")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    assert run(["desktop", "--install"]) == 2
    assert "XDG_DATA_HOME" in capsys.readouterr().err


def test_a_path_with_spaces_is_one_word_of_the_desktop_entry(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: '/home/Jane "J" Doe/100%/pgmgui')
    entry = desktop._write_files()["applications/pgmgui.desktop"]
    assert 'Exec="/home/Jane \\\\"J\\\\" Doe/100%%/pgmgui" --window %f\n' in entry
