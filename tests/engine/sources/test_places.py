"""Where data lies, without its password; and questions that are watched, ended or not asked at all."""

from __future__ import annotations

import threading

import ibis
import numpy as np
import pytest

from engine.formats import write_dataset
from engine.model.dataset import Dataset
from engine.model.errors import Cancelled, PgmError
from engine.model.variable import Variable
from engine.sources import groups
from engine.sources.engine import Engine, UncountedError, asking_nothing, watching
from engine.sources.opening import Request, open_source
from engine.sources.places import add_password, drop_password, find_password, hide_password, list_secrets

URLS = {
    "postgres://me:secret@host:5432/db?table=rows": "postgres://me@host:5432/db?table=rows",
    "postgres://me:se%2Fcret@host/db": "postgres://me@host/db",
    "postgres://me:s@cret@host/db": "postgres://me@host/db",
    "postgres://host/db?user=me&password=secret&table=rows": "postgres://host/db?user=me&table=rows",
    "Postgres://me:secret@host/db": "postgres://me@host/db",
    "postgres://me@/db?host=/tmp/run&sslpassword=secret": "postgres://me@/db?host=/tmp/run",
    "mysql://me:secret@host/db#secret": "mysql://me@host/db",
}


@pytest.mark.parametrize(("url", "plain"), URLS.items())
def test_a_url_is_shown_and_kept_without_its_password(url, plain):
    assert drop_password(url) == plain
    assert drop_password(plain) == plain
    shown = hide_password(url)
    assert "cret" not in shown
    assert "•••" in shown
    assert drop_password(shown) == plain
    if password := find_password(url):
        assert find_password(add_password(plain, password)) == password
        assert password in list_secrets(url)
        assert find_password(shown) == ""


@pytest.mark.parametrize("url", ["postgres://me:se/cret@host/db", "postgres://me:12/cret@host/db", "x://me:cret?@h/d"])
def test_a_url_that_cannot_be_taken_apart_is_not_quoted(url):
    assert "cret" not in hide_password(url)
    with pytest.raises(PgmError, match="cannot be taken apart") as caught:
        open_source(Request(url))
    assert "cret" not in str(caught.value)


def test_what_looks_like_a_password_is_hidden_in_what_is_no_url():
    assert hide_password("postgres:/me:secret@host") == "postgres:/me:•••@host"
    assert hide_password("host=h password=secret") == "host=h password=•••"
    assert hide_password("C:/rows/*.parquet") == "C:/rows/*.parquet"


@pytest.fixture
def table(tmp_path):
    """Six variables in three Parquet files of 250,000 rows, in which each row is known by its number."""
    variables = tuple(Variable(f"X{k}", tuple("abcdefgh")) for k in range(6))
    number = np.arange(250_000)
    codes = np.stack([(number >> (3 * k)) % 8 for k in range(6)]).astype(np.int8)
    dataset = Dataset(variables, codes, np.ones(len(number)))
    for k, part in enumerate(np.array_split(number, 3)):
        write_dataset(tmp_path / f"{k}.parquet", dataset.take(part))
    return open_source(Request(str(tmp_path / "*.parquet"), None, None, variables)).data, dataset


def test_a_window_has_the_rows_as_they_stand(table):
    source, dataset = table
    for first in (0, 83_330, 249_998):
        expected = dataset.codes[:, first : first + 5]
        np.testing.assert_array_equal(source.fetch_window(first, 5).codes, expected)
    assert source.fetch_window(250_000, 5).n_rows == 0
    assert source.shares_seen == dataset.shares_seen


def test_what_is_not_counted_yet_is_not_asked_for_where_nobody_may_wait(table, monkeypatch):
    source, dataset = table
    with asking_nothing():
        assert source.roles == dataset.roles
        assert source.total_weight == dataset.total_weight
        with pytest.raises(UncountedError):
            source.project([0, 1, 2, 3, 4])
    assert source.project([0, 1, 2, 3, 4]).n_rows == 8**5
    with asking_nothing():
        assert source.project([0, 1, 2, 4]).n_rows == 8**4
    # The oldest counts are forgotten, but for those of every column.
    monkeypatch.setattr(groups, "MOST_KEPT", 40_000)
    source.project([1, 2, 3, 4, 5])
    with asking_nothing():
        assert source.project([1, 2, 3, 4, 5]).n_rows == 250_000 // 8
        assert source.count_codes(0)[1].sum() == dataset.n_rows
        with pytest.raises(UncountedError):
            source.project([0, 1, 2, 3, 4])


def test_a_watcher_ends_a_query_and_others_wait_for_their_turn():
    backend = ibis.duckdb.connect()
    endless = backend.sql("SELECT sum(a.i * b.i) AS n FROM range(10000000) a(i), range(1000000) b(i)")
    engine, begun, found = Engine(backend, "rows"), threading.Event(), []

    def stop(_now):
        begun.set()
        if found:
            raise Cancelled

    def ask():
        with watching(stop), pytest.raises(Cancelled):
            engine.fetch_rows(endless)

    thread = threading.Thread(target=ask)
    thread.start()
    assert begun.wait(60)
    found.append("stop")
    assert engine.fetch_rows(backend.sql("SELECT 1 AS n")) == [{"n": 1}]
    thread.join(60)
    assert not thread.is_alive()
