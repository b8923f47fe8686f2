"""Signals: what they do to the program, from its first moment to its last."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks.opening import cpu_seconds
from tests.command_line import EXAMPLES

ROOT = Path(__file__).resolve().parents[2]
RUN = "from app.__main__ import main; sys.exit(main())"
# A signal in the middle of loading a module.
WHILE_LOADING = """
import os, signal, sys
class Finder:
    def find_spec(self, name, *_):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
"""
# A signal in the middle of writing a file.
WHILE_WRITING = """
import os, signal, sys
from engine.formats import files
def encode(pieces, name, encode=files.encode):
    for piece in encode(pieces, name):
        yield piece
        os.kill(os.getpid(), signal.SIGTERM)
files.encode = encode
"""
# Says when a step of learning has begun, and goes on for ten minutes.
WHILE_LEARNING = """
import sys, time
from engine.learning import learn
from engine.learning.learners.em import EM
def wait(*_, **__):
    print("at it", flush=True)
    time.sleep(600)
{place} = wait
"""
# Says when a worker has something to do: once it has begun, or while it is still starting.
WHILE_WORKERS_LEARN = """
import sys
from engine.learning.workers import _Sharing
begun = [] if {has_begun} else [0]
def submit(self, *words, submit=_Sharing._submit):
    begun or begun.append(self.team.executor.submit(int).result())
    submit(self, *words)
    print("at it", flush=True)
_Sharing._submit = submit
"""
SOON = 1.0
"""Seconds of CPU: those of the clock depend on what else the machine does."""


def start(code: str, *words: object) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", f"{code}\n{RUN}", *map(str, words)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True, start_new_session=True
    )


@pytest.mark.parametrize("name", ["app.cli", "numpy", "app.main", "panel"])
def test_an_interrupt_while_it_is_loaded_is_silent(name):
    process = start(WHILE_LOADING.format(name=name), "serve", "--no-show", "--port", 0)
    assert process.communicate(timeout=60) == ("", "")
    assert process.returncode in (-signal.SIGINT, 130)


def test_termination_leaves_no_temporary_file(tmp_path):
    process = start(WHILE_WRITING, "convert", EXAMPLES / "asia.bif", tmp_path / "asia.net")
    assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == 143
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("place", "code", "wrote"), [("learn.make_task", 130, False), ("EM.begin", 130, False), ("EM.step", 0, True)]
)
def test_an_interrupt_ends_learning_at_once(tmp_path, place, code, wrote):
    """What was reached is kept; before there is anything, the command ends."""
    out = tmp_path / "learned.bif"
    words = ("learn", EXAMPLES / "asia.bif", EXAMPLES / "asia.csv", "--out", out)
    others = _children_cpu()
    process = start(WHILE_LEARNING.format(place=place), *words)
    assert process.stdout.readline() == "at it\n"
    before = cpu_seconds(process.pid)
    process.send_signal(signal.SIGINT)
    _, complaints = process.communicate(timeout=60)
    assert _children_cpu() - others - before < SOON
    assert (process.returncode, out.exists()) == (code, wrote), complaints
    assert "Traceback" not in complaints
    assert ("stopped by Ctrl+C" in complaints) == (code == 130)


@pytest.mark.parametrize(
    ("number", "code", "wrote"), [(signal.SIGINT, 0, True), (signal.SIGTERM, 143, False), (signal.SIGKILL, -9, False)]
)
def test_workers_end_with_the_program(tmp_path, number, code, wrote):
    """They hold its output open: it ends only when all of them have. A terminal sends Ctrl+C to them too."""
    out = tmp_path / "learned.bif"
    process = start_workers(out, has_begun=True)
    for _ in range(3):  # both processes have been started then
        assert process.stdout.readline() == "at it\n"
    os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
    _, complaints = process.communicate(timeout=60)
    assert (process.returncode, out.exists()) == (code, wrote), complaints
    assert "Traceback" not in complaints


def test_an_interrupt_ends_no_worker_that_is_still_starting(tmp_path):
    """It has not said yet that it leaves Ctrl+C to the program: it would end with a traceback."""
    process = start_workers(tmp_path / "learned.bif", has_begun=False)
    assert process.stdout.readline() == "at it\n"
    os.killpg(process.pid, signal.SIGINT)
    _, complaints = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in complaints, "by a worker" in complaints) == (0, False, False), complaints


def start_workers(out: Path, has_begun: bool) -> subprocess.Popen[str]:
    """The program, with two workers that learn for ever; it says when they have begun, or that they are starting."""
    words = ("--workers", 2, "--n-init", 3, "--tol", 0, "--max-iter", 10**9, "--bound-seconds", 0, "--out", out)
    code = WHILE_WORKERS_LEARN.format(has_begun=has_begun)
    return start(code, "learn", EXAMPLES / "asia.bif", EXAMPLES / "asia.csv", *words)


def _children_cpu() -> float:
    """Seconds of CPU that processes took which were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("words", [("info", "asia.bif"), ("decompose", "asia.bif", "asia.csv")])
def test_a_command_loads_only_what_it_needs(words):
    """SciPy takes a third of a second, Panel more than one."""
    heavy = "{'scipy', 'networkx', 'panel', 'bokeh', 'pandas', 'pyarrow', 'ibis', 'distributed', 'multiprocessing'}"
    code = f"import atexit, sys; atexit.register(lambda: print(*sorted({heavy} & set(sys.modules))))"
    process = start(code, words[0], *(EXAMPLES / name for name in words[1:]), "--json")
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out.splitlines()[1:]) == (0, [""])
