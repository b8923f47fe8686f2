"""The README's tables of files say what the catalogues say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.formats import DATA_FORMATS, NETWORK_FORMATS

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("head", "formats"), [("network", NETWORK_FORMATS), ("data", DATA_FORMATS)])
def test_the_readme_lists_every_suffix_and_what_is_written(head, formats):
    table = README.split(f"| {head} | suffix | read | write |")[1].split("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    told = {suffix: (cells[2], cells[3]) for cells in rows for suffix in re.findall(r"`(\.\w+)`", cells[1])}
    assert told == {suffix: ("✓", "✓" if form.dump else "") for suffix, form in formats.items()}
