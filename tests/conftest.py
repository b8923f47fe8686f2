"""What all tests share."""

from __future__ import annotations

import gc

import numpy as np
import pytest


def pytest_collection_finish() -> None:
    """Set apart what was imported and collected: it stays, and every full search for garbage would go through it."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def endless(monkeypatch) -> None:
    """A run ends only when it is stopped: with a tolerance of 0 alone, a quick one comes to where no digit moves."""
    monkeypatch.setattr("engine.learning.stopping._find_change", lambda focus, *_: np.full(len(focus.active), np.inf))
