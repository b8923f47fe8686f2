"""Running the command line inside the tests' own process."""

from __future__ import annotations

import contextlib
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.cli import main

EXAMPLES = Path(__file__).resolve().parents[1] / "assets" / "examples"


@dataclass(frozen=True)
class Outcome:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def result(self) -> dict[str, Any]:
        """The one JSON object on stdout; an error if there is anything else."""
        assert self.code == 0, self.err
        found = json.loads(self.out)
        assert isinstance(found, dict)
        assert self.out.count("\n") == 1
        return found


def run(*words: object) -> Outcome:
    """Run ``pgmgui words...``."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([str(word) for word in words])
        except SystemExit as leaving:
            code = int(leaving.code or 0)
    return Outcome(code, out.getvalue(), err.getvalue())


def assert_refused(outcome: Outcome, *parts: object) -> None:
    """Exit code 2, nothing on stdout, and one line on stderr that holds the parts."""
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("pgmgui: ")
    assert outcome.err.endswith("\n")
    assert len(outcome.err.splitlines()) == 1
    assert "Traceback" not in outcome.err
    for part in parts:
        assert str(part) in outcome.err
