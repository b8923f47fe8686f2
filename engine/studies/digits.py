"""Images of handwritten digits, and the grid of pixels that is learned from those of one digit.

The thesis (§5.6) learned "grid-structured pairwise MRFs" from the 16 × 16 binary images of CEDAR, which are not to be
had. Those of semeion (UCI) are of the same size and stand in. Of the grid the thesis says no more: ours has one factor
for every two pixels beside or below each other, and none of single pixels, which would add nothing to these.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.formats.files import decode, naming, read_bytes
from engine.model.dataset import Dataset
from engine.model.errors import FormatError
from engine.model.messages import shorten
from engine.model.network import MarkovNetwork
from engine.simulation.generators import grid_markov

FILE = "semeion.data"
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
SIDE = 16
"""Pixels from left to right, and from top to bottom."""
MOST_BYTES = 16 * 2**20
"""The largest file that is read: twenty times as large as semeion's."""
CELLS = {"0": 0, "1": 1, "0.0000": 0, "1.0000": 1}
"""How a pixel or a mark is written: pixels of the UCI file have four places."""


def make_grid() -> MarkovNetwork:
    """The network of an image, its pixels numbered row by row. Its parameters are of no account: they are learned."""
    return grid_markov(SIDE, SIDE, unary=False)


def read_digits(path: Path) -> dict[str, Dataset]:
    """The images of a file in semeion's format, by digit; a digit without any is left out.

    A line is an image: its pixels row by row, then ten marks, of which that of its digit is 1.
    """
    with naming(path):
        return parse_digits(decode(read_bytes(path, MOST_BYTES)))


def parse_digits(text: str) -> dict[str, Dataset]:
    """The images in the text of a file. See :func:`read_digits`."""
    images: dict[str, list[list[int]]] = {name: [] for name in DIGITS}
    for number, line in enumerate(text.split("\n"), start=1):
        if cells := line.split():
            name, pixels = _parse_image(cells, number)
            images[name].append(pixels)
    if not any(images.values()):
        raise FormatError(f"no image in it; take UCI's {FILE}")
    variables = make_grid().variables
    return {
        name: Dataset(variables, np.array(found, dtype=np.int8).T, np.ones(len(found)))
        for name, found in images.items()
        if found
    }


def _parse_image(cells: list[str], line: int) -> tuple[str, list[int]]:
    """The digit of a line, and its pixels."""
    wanted = SIDE * SIDE + len(DIGITS)
    if len(cells) != wanted:
        told = f"expected {wanted} numbers, {SIDE * SIDE} pixels and {len(DIGITS)} marks; got {len(cells)}"
        raise FormatError(f"{told}; take UCI's {FILE}", line=line)
    unknown = next((cell for cell in cells if cell not in CELLS), None)
    if unknown is not None:
        raise FormatError(f"expected 0 or 1; got {shorten(unknown)}", line=line)
    values = [CELLS[cell] for cell in cells]
    marks = values[SIDE * SIDE :]
    if sum(marks) != 1:
        raise FormatError(f"expected one mark that is 1, that of the digit; got {sum(marks)}", line=line)
    return DIGITS[marks.index(1)], values[: SIDE * SIDE]
