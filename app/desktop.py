"""Network files that open by a double-click: what a Linux desktop wants to know, printed or installed."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
from pathlib import Path

from engine.model.errors import PgmError

KIND = "application/x-graphical-model"
SUFFIXES = ("bif", "xmlbif", "bifxml", "net", "xdsl", "dne", "dsc", "uai")
"""Of files that are networks; .xml and .json belong to other programs too."""
ENTRY = """[Desktop Entry]
Type=Application
Name=pgmgui
Comment=Probabilistic graphical models that learn from incomplete data
Exec="{command}" --window %f
Icon=pgmgui
Terminal=false
Categories=Science;Education;
MimeType={kind};
"""


def add_install(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument(
        "--install",
        action="store_true",
        help="write the files into the user's data folder (~/.local/share), instead of printing them",
    )


def desktop(options: argparse.Namespace) -> None:
    """Print or install what a desktop wants to know."""
    files = _write_files()
    if not options.install:
        for path, text in files.items():
            print(f"# {path}\n{text}")
        return
    from pgmgui.project.folders import assets_folder

    share = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    icon = "icons/hicolor/scalable/apps/pgmgui.svg"
    try:
        for path, text in {**files, icon: (assets_folder() / "icon.svg").read_text(encoding="utf-8")}.items():
            (share / path).parent.mkdir(parents=True, exist_ok=True)
            (share / path).write_text(text, encoding="utf-8")
            print(f"wrote {share / path}")
    except OSError as error:
        raise PgmError(f"cannot write into {share}: {error.strerror}; XDG_DATA_HOME names another folder") from None
    _refresh("update-mime-database", share / "mime")
    _refresh("update-desktop-database", share / "applications")


def _write_files() -> dict[str, str]:
    """What is in each file, by its path in the data folder."""
    command = _quote(shutil.which("pgmgui") or "pgmgui")
    patterns = "".join(f'<glob pattern="*.{suffix}"/>' for suffix in SUFFIXES)
    kind = f'<mime-type type="{KIND}"><comment>Probabilistic graphical model</comment>{patterns}</mime-type>'
    info = f'<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">{kind}</mime-info>\n'
    return {
        "applications/pgmgui.desktop": ENTRY.format(command=command, kind=KIND),
        "mime/packages/pgmgui.xml": f'<?xml version="1.0" encoding="UTF-8"?>\n{info}',
    }


def _quote(command: str) -> str:
    """A path as it stands between the quotation marks of a desktop entry, where a backslash is written twice."""
    command = command.replace("\\", 4 * "\\")
    for character in '"`$':
        command = command.replace(character, 2 * "\\" + character)
    return command.replace("%", "%%")


def _refresh(program: str, folder: Path) -> None:
    """Have the desktop read what is new; one without that program does so by itself, later."""
    found = shutil.which(program)
    if found is not None:
        subprocess.run([found, str(folder)], check=False, stderr=subprocess.DEVNULL)  # noqa: S603 - the desktop's own
