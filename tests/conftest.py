"""What all tests share."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.model import table_prior
from tests.installed_priors import install_priors


def pytest_configure() -> None:
    """Have interrupts heard, also by programs that tests start: what a shell runs in the background ignores them."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_runtest_setup() -> None:
    """The same for every test, whatever another has left: one was seen to leave them ignored, which is not known."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Set apart what was imported and collected: it stays, and every full search for garbage would go through it."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def endless(monkeypatch) -> None:
    """A run ends only when it is stopped: with a tolerance of 0 alone, a quick one comes to where no digit moves."""
    monkeypatch.setattr("engine.learning.stopping._find_change", lambda focus, *_: np.full(len(focus.active), np.inf))


@pytest.fixture
def installed_priors(tmp_path, monkeypatch) -> Iterator[Path]:
    """A package is installed that registers priors, in this folder: see :mod:`tests.installed_priors`."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(install_priors(folder))
    yield folder
    table_prior._load.cache_clear()
    sys.modules.pop("their_priors", None)
