"""Reading in a process of its own: what comes back, and what becomes of a reader that does not come to an end."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

from engine.formats import read_network
from engine.model.errors import Cancelled, FormatError, PgmError, RowSumError
from pgmgui.project.apart import Apart, start
from pgmgui.project.data_reading import DataFile, build_scene, read_data
from pgmgui.project.layout import arrange
from pgmgui.project.network_files import NetworkFile
from tests.command_line import EXAMPLES
from tests.compare import assert_same_document

COIN = "network coin {} variable A { type discrete [2] { y, n }; } probability (A) { table 0.5, 0.5; }"
# Takes for ever, and holds the interpreter meanwhile.
HANG = partial(re.fullmatch, r"(a|a)*b", "a" * 60)


def run(do, **options):
    return Apart(do, "x.bif", 0, **options).run()


def read(file, *arguments):
    return run(partial(file.read, *arguments))


def test_a_network_comes_back_as_it_is_and_still_cannot_be_written_to():
    scene = read(NetworkFile(str(EXAMPLES / "asia.bif")))
    assert_same_document(scene.document, arrange(read_network(EXAMPLES / "asia.bif")))
    assert not any(table.flags.writeable for table in scene.document.network.tables)


def test_errors_come_back_as_they_are():
    with pytest.raises(FormatError, match=r"^x\.bif:line 1: the file is empty") as caught:
        read(NetworkFile("x.bif", b""))
    assert (caught.value.line, caught.value.path) == (1, "x.bif")
    with pytest.raises(RowSumError, match=r"^x\.bif:line 1: .*sums to 2"):
        read(NetworkFile("x.bif", COIN.replace("0.5", "1").encode()))
    assert read(NetworkFile("x.bif", COIN.replace("0.5", "1").encode()), True).document.notes


def test_an_error_that_nobody_foresaw_is_told():
    with pytest.raises(RuntimeError, match=r"^ValueError: invalid literal"):
        run(partial(int, "x"))


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("x.csv", b"a,b\n\n[1;2],2\n", 3),
        ("x.cas", b"a b\n[1;2] 2\n", 2),
        ("x.arff", b"@relation x\n@attribute a numeric\n@data\n[1;2]\n", 4),
        ("x.arff", b"@relation x\n@attribute a string\n@data\n'[1;2]'\n", 4),
    ],
)
def test_a_table_still_knows_the_lines_of_its_rows(name, content, line):
    table, matching = run(partial(read_data, DataFile(name, content), None))
    assert matching is None
    with pytest.raises(FormatError, match=rf"^{name}:line {line}: column 'a' has the likelihood"):
        build_scene(table, name)


def test_a_table_comes_with_how_it_fits_the_network():
    network = read_network(EXAMPLES / "asia.bif").network
    table, matching = run(partial(read_data, DataFile("x.csv", b"asia,Smok\nyes,no\nperhaps,no\n"), network))
    assert matching.table is table
    assert [(item.column, item.text) for item in matching.items] == [(0, None), (0, "perhaps"), (1, None)]
    assert matching.taken == {0: 0, 2: 1}


def test_what_takes_too_long_is_stopped_and_the_next_is_read():
    with pytest.raises(PgmError, match=r"^x\.bif: reading it took more than 0 s and was stopped; start the page with"):
        run(HANG, seconds=0.1)
    assert run(partial(int, "3")) == 3


def test_what_takes_too_much_memory_is_stopped_and_the_next_is_read():
    with pytest.raises(PgmError, match=r"^x\.bif: reading it took more than 2,048 MB of memory and was stopped"):
        run(partial(np.ones, 10**9))
    assert run(partial(int, "3")) == 3


def test_a_reader_that_dies_is_told():
    with pytest.raises(PgmError, match=r"^x\.bif: reading it ended by itself, as happens where memory runs out; start"):
        run(partial(os._exit, 1))


def test_reading_can_be_stopped_before_and_while_it_runs():
    waiting = Apart(HANG, "x.bif", 0)
    future = start(waiting.run)
    waiting.stop()
    with pytest.raises(Cancelled):
        future.result()
    with pytest.raises(Cancelled):
        waiting.run()


def grow():
    return len(np.ones(60_000_000))


def test_a_process_is_used_again_unless_it_has_grown_or_ended():
    first = run(os.getpid)
    assert run(os.getpid) == first
    assert run(grow) == 60_000_000
    second = run(os.getpid)
    assert second != first
    os.kill(second, signal.SIGKILL)
    os.waitid(os.P_PID, second, os.WEXITED | os.WNOWAIT)
    assert run(os.getpid) != second


def test_what_is_printed_does_not_come_between():
    assert run(partial(print, "not an answer")) is None


SERVER = """import os
from pgmgui.project.apart import Apart
print(Apart(os.getpid, "", 0).run(), flush=True)
input()
"""


def test_the_process_ends_with_the_server():
    """Also where the server had no time to say goodbye."""
    path = os.pathsep.join(filter(None, sys.path))
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=-1, stdout=-1, text=True, env={**os.environ, "PYTHONPATH": path}
    ) as server:
        ended = os.pidfd_open(int(server.stdout.readline()))
        server.kill()
    assert select.select([ended], [], [], 30)[0]
