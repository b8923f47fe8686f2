"""Databases and files that go away in the middle, and Ctrl+C: one line, nothing lost, nothing left behind."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager

import duckdb
import ibis
import pytest

from engine.formats import read_dataset, read_network, write_dataset
from engine.model.errors import PgmError
from engine.sources.opening import Request, open_source
from tests.command_line import EXAMPLES, assert_refused, run

ASIA = EXAMPLES / "asia.bif"
NETWORK = read_network(ASIA).network
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
RUNNING = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE backend_type = 'client backend' AND state = 'active' AND pid <> pg_backend_pid()"
)


@pytest.fixture
def table(postgresql):
    """The rows of the example on the server."""
    server = ibis.connect(postgresql.url())
    server.create_table("held", ibis.read_csv(EXAMPLES / "asia.csv", all_varchar=True).to_pyarrow())
    server.con.close()
    yield "held"
    server = ibis.connect(postgresql.url())
    server.con.execute("DROP TABLE held")
    server.con.commit()
    server.con.close()


def ask(server, question):
    with server.raw_sql(question) as cursor:
        return cursor.fetchone()[0]


@contextmanager
def holding(postgresql, name, act):
    """Have others who read the table wait, and do something as soon as somebody does."""
    holder, watcher = ibis.connect(postgresql.url()), ibis.connect(postgresql.url())
    cursor = holder.con.cursor()
    cursor.execute(f"BEGIN; LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE")

    def wait():
        while not ask(watcher, WAITING):
            watcher.con.commit()  # what is known of others is kept for a transaction
        act()

    waiter = threading.Thread(target=wait)
    waiter.start()
    yield watcher
    waiter.join()
    for each in (holder, watcher):
        each.con.close()


def test_a_server_that_goes_away_within_a_query_is_named(tmp_path, postgresql, table):
    """The file that was to be written stays as it was."""
    out = tmp_path / "out.bif"
    out.write_text("before")
    try:
        with holding(postgresql, table, postgresql.stop):
            refused = run("learn", ASIA, postgresql.url(table, password="hush"), "--out", out)
    finally:
        postgresql.start()
    assert_refused(refused, "postgres:///postgres: the data could not be counted", "nothing was written: run it again")
    assert "hush" not in refused.err
    assert out.read_text() == "before"
    assert run("learn", ASIA, postgresql.url(table), "--out", out, "--json").result["source"]["questions"] >= 1


def test_ctrl_c_ends_the_query_on_the_server(tmp_path, postgresql, table):
    def press():
        os.kill(os.getpid(), signal.SIGINT)

    with holding(postgresql, table, press) as watcher:
        ended = run("learn", ASIA, postgresql.url(table), "--out", tmp_path / "out.bif")
        watcher.con.commit()
        waiting = ask(watcher, WAITING)
        watcher.con.commit()
        running = ask(watcher, RUNNING)
    assert (ended.code, ended.out, ended.err) == (130, "", "pgmgui: stopped by Ctrl+C\n")
    assert (waiting, running) == (0, 0)
    assert list(tmp_path.iterdir()) == []


def open_here(where, **options):
    return open_source(Request(str(where), variables=NETWORK.variables, scopes=NETWORK.scopes, **options)).data


def test_a_file_that_is_removed_while_it_is_counted_is_named(tmp_path):
    rows = read_dataset(EXAMPLES / "asia.csv", NETWORK.variables).dataset
    for name in ("a.parquet", "b.parquet"):
        write_dataset(tmp_path / name, rows)
    source = open_here(tmp_path / "*.parquet")
    source.counter.found.clear()  # so that the next question reads the files again
    (tmp_path / "b.parquet").unlink()
    with pytest.raises(
        PgmError, match=r"\*\.parquet: the data could not be counted: .*b\.parquet.* run it again"
    ) as error:
        source.gather([0, 1])
    assert "\n" not in str(error.value)


def test_a_database_that_is_removed_stays_open(tmp_path):
    path = tmp_path / "some.duckdb"
    with duckdb.connect(str(path)) as made:
        made.read_csv(str(EXAMPLES / "asia.csv"), all_varchar=True).create("cases")
    source = open_here(path)
    before = source.gather([0, 2])[1].sum()
    source.counter.found.clear()
    path.unlink()
    assert source.gather([0, 2])[1].sum() == before == 500
