"""The page in a window of its own, where there is a web view (pywebview).

The window is a program of its own beside the server: web views want the main thread of theirs, and one that fails takes
nothing with it. Run as a module, this is that program.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

NO_WINDOW = 3
"""The exit code of the program where there is no web view, or nowhere to show one."""
ENDS = (0, -signal.SIGINT, -signal.SIGTERM)
"""Those of a window that was closed, or interrupted together with the server."""
SIZE, LEAST = (1440, 900), (800, 560)
HOW_TO = 'no window of its own, for there is no web view: pip install "pgmgui[desktop]" adds one. Opened in the browser'


class Window:
    """A window on the page.

    Parameters
    ----------
    on_end : callable
        Called when the window was closed: with True, or with False if there could be none.
    """

    def __init__(self, url: str, title: str, folder: Path, on_end: Callable[[bool], None]) -> None:
        # Safe: a module in the folder where it is started is not taken for one of the window's.
        words = [sys.executable, "-P", "-m", "app.window", url, title, str(folder)]
        self._program = subprocess.Popen(words, stderr=subprocess.DEVNULL)  # noqa: S603 - our own program
        self._on_end, self._closing = on_end, False
        self._thread = threading.Thread(target=self._wait, name="window", daemon=True)
        self._thread.start()

    def _wait(self) -> None:
        code = self._program.wait()
        if not self._closing:
            self._on_end(code in ENDS)  # a web view that lacks a library may end in any other way

    def close(self) -> None:
        """Close it, if it is open."""
        self._closing = True
        if self._program.poll() is None:
            self._program.terminate()


def show(url: str, title: str, folder: Path) -> int:
    """Show a window until it is closed; the exit code. What the page keeps in the browser is kept in the folder."""
    try:
        import webview
    except ImportError:
        return NO_WINDOW
    from pgmgui.project.folders import assets_folder

    webview.settings["ALLOW_DOWNLOADS"] = True  # networks, pictures and reports are saved by that
    (width, height), icon = SIZE, assets_folder() / "icon.png"
    try:
        webview.create_window(title, url, width=width, height=height, min_size=LEAST, text_select=True)
        webview.start(private_mode=False, storage_path=str(folder), icon=str(icon))
    except webview.errors.WebViewException:
        return NO_WINDOW
    return 0


if __name__ == "__main__":
    url, title, folder = sys.argv[1:]
    sys.exit(show(url, title, Path(folder)))
