"""Trials of a format, and what came of them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.targets import damage
from tests.fuzz.trial import SECONDS

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "fuzz"
"""Where files are kept that something is wrong with."""
PATIENCE = 600
"""Seconds of the clock for some trials: longer, and a reader waits for something."""


@dataclass
class Outcome:
    """How many files of a format were read, how many refused, and what went wrong."""

    read: int = 0
    refused: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def tried(self) -> int:
        return self.read + self.refused + len(self.wrong)


def try_some(kind: str, seed: int, count: int, outcome: Outcome) -> None:
    """Try damaged files of a kind; after one that ended the process, the next."""
    first = 0
    while first < count:
        words = [sys.executable, "-m", "tests.fuzz.trial", kind, seed, first, count - first]
        done = subprocess.run(
            [str(word) for word in words], cwd=ROOT, stdout=subprocess.PIPE, timeout=PATIENCE, check=False
        )
        lines = done.stdout.decode().splitlines()
        assert lines, f"the trial of {kind} did not start"
        for line in lines:
            number, _, what = line.partition(" ")
            first = int(number) + 1
            if what in ("read", "refused"):
                setattr(outcome, what, getattr(outcome, what) + 1)
            else:
                what = what or f"ended by signal {-done.returncode} (27: took more than {SECONDS:g} s)"
                outcome.wrong.append(f"{kind} seed {seed} number {number}: {what}; kept as {_keep(kind, seed, number)}")


def _keep(kind: str, seed: int, number: str) -> Path:
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{seed}-{number}{kind if kind.startswith('.') else f'.{kind}'}"
    path.write_bytes(damage(kind, seed, int(number))[0])
    return path
