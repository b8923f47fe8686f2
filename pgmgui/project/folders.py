"""Where what comes with the program is (examples, lessons, the icon), and what is the user's own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from engine.model.errors import PgmError


def assets_folder() -> Path:
    """Where the assets are: inside the package when installed, beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "assets"
    return installed if installed.is_dir() else package.parent / "assets"


def default_folder() -> Path:
    """The folder for the user's own data on this system; ``PGMGUI_HOME`` names another."""
    if os.environ.get("PGMGUI_HOME"):
        return Path(os.environ["PGMGUI_HOME"])
    home = find_home()
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "pgmgui"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home)) / "pgmgui"
    return Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "pgmgui"


def find_home() -> Path:
    """The user's home directory. Panel's libraries cannot do without one either."""
    try:
        return Path.home()
    except RuntimeError:
        raise PgmError(
            "this user has no home directory, where tabs would be kept; set the environment variable HOME to a folder"
        ) from None
