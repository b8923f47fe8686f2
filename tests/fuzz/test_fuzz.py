"""Five hundred damaged files of each format, always the same; ``make fuzz`` tries others."""

from __future__ import annotations

import subprocess
import sys

import pytest

from engine.formats import DATA_FORMATS, NETWORK_FORMATS
from engine.model.errors import PgmError
from tests.fuzz.campaign import ROOT, Outcome, try_some
from tests.fuzz.mutations import mutate
from tests.fuzz.sources import find_sources
from tests.fuzz.targets import COMMAND, damage, list_targets

COUNTS = {COMMAND: 200}
TARGETS = list_targets()


@pytest.mark.parametrize("kind", TARGETS)
def test_damaged_files_are_read_or_refused_in_one_line(kind):
    """The damage is neither harmless nor total."""
    count = COUNTS.get(kind, 500)
    outcome = Outcome()
    try_some(kind, 0, count, outcome)
    assert outcome.wrong == []
    assert outcome.read + outcome.refused == count
    assert min(outcome.read, outcome.refused) > 0


@pytest.mark.parametrize("kind", [kind for kind in TARGETS if kind != COMMAND])
def test_the_files_are_read_before_they_are_damaged(kind):
    assert find_sources(kind)
    for data in find_sources(kind):
        assert any(is_read(kind, data, choice) for choice in (False, True))


def is_read(kind, data, choice):
    try:
        return TARGETS[kind](data, choice) is not None
    except PgmError:  # likelihoods and targets need the variables, which other data has not
        return False


def test_every_reader_of_the_catalogues_is_tried():
    for formats in (NETWORK_FORMATS, DATA_FORMATS):
        assert {form.parse for form in formats.values()} == {formats[k].parse for k in TARGETS if k in formats}
        assert all(find_sources(suffix) for suffix in formats)


def test_a_file_can_be_tried_again():
    assert damage(".bif", 5, 17) == damage(".bif", 5, 17) != damage(".bif", 5, 18)


BAD = """
import re, warnings, numpy as np
from tests.fuzz import trial
trial.SECONDS = 0.2
bad = iter([
    lambda *_: None,
    lambda *_: [][0],
    lambda *_: warnings.warn("overflow", RuntimeWarning),
    lambda *_: np.ones(10**9),
    lambda *_: re.fullmatch(r"(a|a)*b", "a" * 60),
])
trial.READ["link"] = lambda *arguments: next(bad)(*arguments)
trial.main("link", 0, 0, 9)
"""


def test_what_goes_wrong_is_found():
    """An error that is not ours, a warning, too much memory, and a hang, also in C."""
    done = subprocess.run([sys.executable, "-c", BAD], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    said = done.stdout.splitlines()
    assert said[0] == "0 read"
    assert said[1].startswith("1 IndexError")
    assert said[2].startswith("2 RuntimeWarning('overflow')")
    assert said[3:] == ["3 more than 1,024 MB", "4 "]
    assert done.returncode == -27


def test_what_is_left_of_nothing_can_be_damaged_too():
    assert list(mutate("", 4, 1)) == [""] * 4
    assert "" in mutate("a", 200, 1)
