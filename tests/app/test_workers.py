"""Learning by processes and by Dask's workers: the same files, whoever learns, and whoever dies."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading

import pytest

import app.workers
from app.workers import Crew, describe_crew, noting_interrupts
from engine.learning.learn import learn
from engine.learning.shared_rows import count_range
from engine.learning.stopping import Stopping
from engine.learning.team import Team
from tests.command_line import EXAMPLES, assert_refused, run
from tests.engine.learning.models import chain, chain_data
from tests.engine.learning.test_executors import Recorder, same

ASIA = (EXAMPLES / "asia.bif", EXAMPLES / "asia.csv")
WORDS = ("--n-init", 3, "--max-iter", 50, "--bound-seconds", 0)


@pytest.fixture(scope="module")
def cluster():
    """Two workers, each a process."""
    from distributed import LocalCluster  # takes a second to load

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs="CRITICAL") as made:
        yield made


def learn_asia(out, *words):
    outcome = run("learn", *ASIA, *WORDS, "--out", out, "--json", *words)
    return outcome.result, out.read_bytes()


def test_the_same_is_learned_by_any_number_of_workers(tmp_path, cluster):
    one, written = learn_asia(tmp_path / "one.bif", "--workers", 1)
    for words in (("--workers", 2), ("--scheduler", cluster.scheduler_address)):
        result, other = learn_asia(tmp_path / "other.bif", *words)
        assert other == written
        for key in ("objective", "iterations", "stop", "components", "estimate"):
            assert result[key] == one[key]
        assert result["workers"] == {"number": 2, "parts": 6, "lost": 0}
    here, _ = learn_asia(tmp_path / "here.bif")
    assert "workers" not in here
    assert one["objective"] == pytest.approx(here["objective"], rel=1e-12)
    assert "learned in 6 parts by 2 workers of Dask" in run("learn", *ASIA, *WORDS, *words).out


def kill_once(path, function, *words):
    """Work, but the first time be killed in the middle of it."""
    if not os.path.exists(path):
        with open(path, "w"):
            pass
        os.kill(os.getpid(), signal.SIGKILL)
    return function(*words)


class Killing:
    """An executor of which a worker is killed while it does the second parcel."""

    work = staticmethod(kill_once)

    def __init__(self, executor, path):
        self.executor, self.path, self.asked = executor, str(path), 0

    def submit(self, function, *words):
        self.asked += 1
        if self.asked != 2:
            return self.executor.submit(function, *words)
        return self.executor.submit(self.work, self.path, function, *words)


def test_a_worker_of_dask_that_is_killed_costs_nothing(tmp_path, monkeypatch, cluster):
    """Another does what it had to do."""
    from distributed import Client

    monkeypatch.setattr("engine.learning.workers.PARCEL_SECONDS", 0.0)
    problem = {"n_init": 2, "stopping": Stopping(tol=1e-3)}
    *_, alone = learn(chain(), chain_data(), executor=Team(Recorder(), 1), **problem)
    with Client(cluster, set_as_default=False) as client:
        team = Team(Killing(client.get_executor(), tmp_path / "killed"), 2)
        *_, there = learn(chain(), chain_data(), executor=team, **problem)
    same(alone, there)
    assert (tmp_path / "killed").exists()
    assert (team.lost, team.left) == (0, 0)


def tell_begin(path, function, *words):
    with open(path, "w"):
        pass
    return function(*words)


class Telling(Killing):
    """An executor whose second parcel leaves a file when it is begun."""

    work = staticmethod(tell_begin)


def test_tasks_of_dask_stop_when_they_are_told_to(tmp_path, cluster):
    """Each holds a worker: none is free before both have stopped."""
    with app.workers._call_dask(cluster.scheduler_address) as team:
        executor, begun = team.executor, tmp_path / "begun"
        team.executor = Telling(executor, begun)
        endless = Stopping(tol=0.0, max_iter=10**9)
        *_, last = learn(chain(), chain_data(), n_init=2, stopping=endless, executor=team, cancelled=begun.exists)
        assert [future.result() for future in [executor.submit(int) for _ in range(4)]] == [0] * 4
    assert last.stop == "cancelled"


def test_rows_are_shared_out_by_dask(monkeypatch, cluster):
    monkeypatch.setattr("engine.inference.tape.CHUNK_BYTES", 1)  # rows in chunks of 64
    problem = {"stopping": Stopping(max_iter=5)}
    *_, alone = learn(chain(), chain_data(), executor=Team(Recorder(), 1), **problem)
    with app.workers._call_dask(cluster.scheduler_address) as team:
        team.executor, team.shares_from, team.size = Counting(team.executor), 0.0, 16
        *_, there = learn(chain(), chain_data(), executor=team, **problem)
    same(alone, there)
    assert count_range in team.executor.asked
    assert (team.lost, team.left, team.trouble) == (0, 0, "")


class Counting:
    """An executor that remembers what it was given."""

    def __init__(self, executor):
        self.executor, self.asked = executor, []

    def submit(self, function, *words):
        self.asked.append(function)
        return self.executor.submit(function, *words)


def test_all_workers_of_dask_are_gone(tmp_path, monkeypatch):
    """The only one is killed in the middle, and none comes: the program goes on by itself."""
    from distributed import Client, LocalCluster

    monkeypatch.setattr(app.workers, "GONE_SECONDS", 0.2)
    monkeypatch.setattr("engine.learning.workers.PARCEL_SECONDS", 0.0)
    problem, begun = {"n_init": 2, "stopping": Stopping(tol=1e-3)}, tmp_path / "begun"
    *_, alone = learn(chain(), chain_data(), executor=Team(Recorder(), 1), **problem)
    with LocalCluster(n_workers=0, dashboard_address=":0", silence_logs="CRITICAL") as empty:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", empty.scheduler_address, "--no-nanny"]
        worker = subprocess.Popen([*command, "--no-dashboard", "--nthreads", "1"], stderr=subprocess.DEVNULL)
        try:
            with Client(empty, set_as_default=False) as client:
                client.wait_for_workers(1, timeout=120)
            with app.workers._call_dask(empty.scheduler_address) as team:
                team.executor = Holding(team.executor, begun)

                def kill():
                    if begun.exists():
                        worker.kill()
                    return False

                *_, there = learn(chain(), chain_data(), executor=team, cancelled=kill, **problem)
        finally:
            worker.kill()
            worker.wait()
    same(alone, there)
    assert team.lost >= 1
    assert team.trouble == "all of Dask's workers were gone for 0 s"


def hold(path, *_):
    """Begin, and never end."""
    with open(path, "w"):
        pass
    threading.Event().wait()


class Holding(Killing):
    """An executor whose second parcel holds its worker for ever."""

    work = staticmethod(hold)


def test_what_is_refused(monkeypatch):
    assert_refused(run("learn", *ASIA, "--workers", 0), "--workers must be 1 or more; got 0")
    assert_refused(run("learn", *ASIA, "--workers", 10**12), "so many processes cannot be started")
    assert_refused(run("learn", *ASIA, "--workers", 2, "--scheduler", "a:1"), "exclude each other")
    assert_refused(run("learn", *ASIA, "--scheduler", "nonsense"), "no Dask scheduler answers there", "tcp://host:8786")
    assert_refused(run("learn", *ASIA, "--scheduler", "tcp://:"), "no Dask scheduler answers there")
    monkeypatch.setattr(app.workers, "CONNECT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        assert_refused(run("learn", *ASIA, "--scheduler", f"127.0.0.1:{port}"), "no Dask scheduler answers there")
    assert_refused(run("learn", *ASIA, "--scheduler", f"127.0.0.1:{port}"), "no Dask scheduler answers there")


def test_a_scheduler_without_workers_is_refused():
    from distributed import LocalCluster

    with LocalCluster(n_workers=0, dashboard_address=":0", silence_logs="CRITICAL") as empty:
        refused = run("learn", *ASIA, "--scheduler", empty.scheduler_address)
    assert_refused(refused, "it has no workers; start some with: dask worker tcp://")


def test_workers_of_another_version_are_refused(cluster, monkeypatch):
    monkeypatch.setattr("app.worker_process.tell_versions.__code__", (lambda: ("0.0", "1.0")).__code__)
    refused = run("learn", *ASIA, "--scheduler", cluster.scheduler_address)
    assert_refused(refused, "and this program 0.0, 1.0", "install the same there")


def test_the_extra_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert_refused(run("learn", *ASIA, "--scheduler", "a:1"), 'pip install "pgmgui[dask]"')


def test_what_became_of_workers_is_told(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    outcome = run("learn", *ASIA, "--workers", 3, "--method", "auto", "--max-iter", 1)
    assert "--workers 3 is more than the 1 core that there are" in outcome.err
    assert "Nothing was shared out, for the method has restarts that learn from one another" in outcome.err
    team = Team(Recorder(), 2, parcels=7, lost=3, trouble="it died")
    _, notes, _ = describe_crew(Crew(team, "2 processes", []), "")
    assert notes == ["Of 7 parts 3 could not be learned by a worker (it died), and this program did it."]


def test_ctrl_c_is_noted_once():
    before = signal.getsignal(signal.SIGINT)
    with noting_interrupts() as is_interrupted:
        assert not is_interrupted()
        signal.raise_signal(signal.SIGINT)
        assert is_interrupted()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
