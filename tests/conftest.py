"""What all tests share."""

from __future__ import annotations

import gc


def pytest_collection_finish() -> None:
    """Set apart what was imported and collected: it stays, and every full search for garbage would go through it."""
    gc.collect()
    gc.freeze()
