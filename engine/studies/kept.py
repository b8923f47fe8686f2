"""Finished cells of a study in a file, so that it goes on where it was ended.

The file is JSON lines: first what the cells depend on (study, settings, networks, data that was read), then a cell
a line. It is written anew after every cell and renamed into place, so that it is whole whenever the program is killed.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Generic, get_args, get_origin, get_type_hints

from engine.formats.files import read_text, write_pieces
from engine.model.dataset import Dataset
from engine.model.errors import FormatError, PgmError
from engine.model.network import Network
from engine.model.variable import Variable
from engine.studies.study import Datasets, Finished, Networks, O, Settings, Study

MOST_SHOWN = 60
"""Letters of a value in a message."""


class Kept(Generic[O]):
    """The finished cells of one study in one file.

    Parameters
    ----------
    path : Path
        Read if it is there. One of another study, of other settings, other networks or other data is refused.
    """

    def __init__(
        self, path: Path, name: str, study: Study[O], settings: Settings, networks: Networks, datasets: Datasets
    ) -> None:
        self.path, self.study = path, study
        header = {
            "study": name,
            "setting": dataclasses.asdict(settings),
            "network": {key: fingerprint(network) for key, network in networks.items()}
            | {key: fingerprint_data(dataset) for key, dataset in datasets.items()},
        }
        self._lines = [json.dumps(header)]
        self.finished: dict[str, Finished[O]] = {}
        if path.exists():
            self._read(json.loads(self._lines[0]))

    def _read(self, header: Mapping[str, Any]) -> None:
        found, *lines = [line for line in read_text(self.path).split("\n") if line] or [""]
        self._refuse_others(_load(found, self.path, 1), header)
        for number, line in enumerate(lines, start=2):
            self._note(self._parse(_load(line, self.path, number), number), line)

    def _refuse_others(self, found: Mapping[str, Any], header: Mapping[str, Any]) -> None:
        for part, wanted in header.items():
            told = found.get(part)
            if told != wanted:
                what = _compare(told, wanted)
                raise PgmError(f"{self.path}: made with another {part} ({what}); take the same, or another folder")

    def _parse(self, record: Mapping[str, Any], number: int) -> Finished[O]:
        """A line as a cell; what it holds must have the outcome's fields and their kinds."""
        cell, outcome, reason = record.get("cell"), record.get("outcome"), record.get("reason", "")
        hints = get_type_hints(self.study.outcome)
        is_right = isinstance(cell, str) and isinstance(reason, str)
        if outcome is not None:
            is_right &= isinstance(outcome, dict) and outcome.keys() == hints.keys()
            is_right = is_right and all(_fits(value, hints[key]) for key, value in outcome.items())
        if not is_right:
            raise FormatError("not a finished cell of this study; delete the file", path=self.path, line=number)
        made = None if outcome is None else self.study.outcome(**{k: _freeze(value) for k, value in outcome.items()})
        return Finished(str(cell), made, str(reason))

    def add(self, finished: Finished[O]) -> None:
        """Keep a cell, at once."""
        outcome: Any = finished.outcome
        record: dict[str, Any] = {"cell": finished.cell, "outcome": None, "reason": finished.reason}
        if outcome is not None:
            record = {"cell": finished.cell, "outcome": dataclasses.asdict(outcome)}
        self._note(finished, json.dumps(record, allow_nan=False))
        write_pieces(self.path, (line + "\n" for line in self._lines))

    def _note(self, finished: Finished[O], line: str) -> None:
        self.finished[finished.cell] = finished
        self._lines.append(line)


def fingerprint(network: Network) -> str:
    """Some letters that another network does not have: of its names, states, scopes and tables."""
    return _digest(network.variables, repr(network.scopes).encode(), *(table.tobytes() for table in network.tables))


def fingerprint_data(dataset: Dataset) -> str:
    """Some letters that other rows of states do not have: of their variables, cells and weights."""
    return _digest(dataset.variables, dataset.codes.tobytes(), dataset.weights.tobytes())


def _digest(variables: Sequence[Variable], *pieces: bytes) -> str:
    digest = hashlib.sha256(repr([(v.name, v.states) for v in variables]).encode())
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()[:16]


def _load(line: str, path: Path, number: int) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise FormatError("not a line of a study's cells; delete the file", path=path, line=number)
    return record


def _fits(value: object, kind: Any) -> bool:
    """Whether a value read from JSON is of an outcome's kind."""
    if get_origin(kind) is UnionType:
        return any(_fits(value, each) for each in get_args(kind))
    if get_origin(kind) is tuple:
        return isinstance(value, list) and all(_fits(each, get_args(kind)[0]) for each in value)
    if kind is NoneType:
        return value is None
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is kind


def _freeze(value: Any) -> Any:
    return tuple(map(_freeze, value)) if isinstance(value, list) else value


def _compare(told: object, wanted: object) -> str:
    """What differs, in words."""
    if not (isinstance(told, dict) and isinstance(wanted, dict)):
        return f"{_show(told)} there, {_show(wanted)} here"
    keys = [key for key in {**wanted, **told} if told.get(key) != wanted.get(key)]
    return "; ".join(f"{key}: {_show(told.get(key))} there, {_show(wanted.get(key))} here" for key in keys)


def _show(value: object) -> str:
    return "nothing" if value is None else str(value)[:MOST_SHOWN]
