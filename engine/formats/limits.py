"""How much of a file is read: files are untrusted, and a few bytes may declare anything."""

from __future__ import annotations

MOST_BYTES = 200 * 2**20
"""The largest file that is read, unless it is one of data."""
MOST_DATA_BYTES = 2**30
"""The largest data file that is read."""
MOST_CELLS = 50_000_000
"""The largest table a file may declare."""
MOST_LETTERS = 10_000
"""The longest name or number, in characters."""
FARTHEST = 1e9
"""How far from the origin a node may be drawn, in each direction."""
MOST_STATES = 100_000
"""The most states a variable may have."""
