"""The built wheel, run from another folder and without the checkout, is the whole program."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import sysconfig
import urllib.request
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("app", "engine", "pgmgui")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The folder of the unpacked wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("pgmgui-*.whl")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder / "unpacked")
    return folder / "unpacked"


@pytest.fixture
def start(wheel, tmp_path):
    """Start Python on the wheel, in an empty folder.

    With -S the environment's site-packages are only a folder on the path: its .pth files, one of which leads
    to the checkout, are not followed.
    """
    folders = [str(wheel), *dict.fromkeys(sysconfig.get_paths()[kind] for kind in ("purelib", "platlib"))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders), "PYTHONUNBUFFERED": "1"}

    def start_python(*arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-S", "-P", *arguments],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start_python


def ask(process: subprocess.Popen[str]) -> str:
    """What a process printed, if all went well."""
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    return out


def files_in(folder: Path) -> set[str]:
    """The files under a folder, without what Python compiled."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path.relative_to(folder).as_posix() for path in found}


def test_the_wheel_holds_the_packages_the_examples_and_the_lessons_and_nothing_else(wheel):
    expected = {f"{package}/{name}" for package in PACKAGES for name in files_in(ROOT / package)}
    expected |= {f"pgmgui/assets/examples/{name}" for name in files_in(ROOT / "assets" / "examples")}
    expected |= {f"pgmgui/assets/{name}" for name in ("lessons.json", "icon.png", "icon.svg")}
    assert {name for name in files_in(wheel) if ".dist-info/" not in name} == expected


def test_everything_is_loaded_from_the_wheel(wheel, start):
    code = """
import json, sys
import app.main
from pgmgui.project.examples import load_gallery
examples = load_gallery()
for example in examples:
    example.read()
files = [module.__file__ for name, module in sys.modules.items() if name.split(".")[0] in ("app", "engine", "pgmgui")]
print(json.dumps({"files": files, "examples": [str(example.network) for example in examples]}))
"""
    found = json.loads(ask(start("-c", code)))
    assert len(found["examples"]) > 5
    for path in map(Path, [*found["files"], *found["examples"]]):
        assert path.is_relative_to(wheel)


def test_the_commands_run_from_another_folder(wheel, start, tmp_path):
    (tmp_path / "own.bif").write_bytes((ROOT / "assets" / "examples" / "asia.bif").read_bytes())
    assert ask(start("-m", "app.cli", "--version")).startswith("pgmgui ")
    assert json.loads(ask(start("-m", "app.cli", "info", "own.bif", "--json")))["variables"] == 8
    answer = json.loads(ask(start("-m", "app.cli", "query", "own.bif", "--evidence", "either=no", "--json")))
    assert answer["posteriors"]["lung"] == {"yes": 0.0, "no": 1.0}


def test_the_dashboard_opens_with_the_examples(start):
    process = start("-m", "app.cli", "--no-show", "--port", "0")
    try:
        assert select.select([process.stdout], [], [], 60)[0], "the server did not start within a minute"
        line = process.stdout.readline()
        assert line.startswith("pgmgui is open at http://127.0.0.1:"), line
        with urllib.request.urlopen(line.split()[4], timeout=30) as answer:
            assert answer.status == 200
    finally:
        process.terminate()
        said = process.communicate(timeout=20)
    # A page that could not be built (an example is missing, say) has status 200 too; Panel prints why.
    assert said == ("", "")
