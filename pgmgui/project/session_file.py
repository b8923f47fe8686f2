"""A whole session as one JSON file: network, data, marks, prior, settings, evidence and results.

::

    {"format": "pgmgui-session", "version": 2, "title": ..., "note": ...,
     "network": {a network file of ours, see engine.formats.networks.json_network},
     "data": null, {"csv": text, "notes": [...]} or {"file": name, "sha256": ..., "notes": [...]},
     "marks": {variable: {"kind": "hidden" | "partial" | "soft" | "sensor", ...}},
     "prior": {variable: number or flat list}, "common_prior": number, "example": id or "", "settings": {...},
     "evidence": {variable: a likelihood for each state}, "results": [see pgmgui.project.results],
     "truth": null or the network file that the data was simulated from}

Version 1 has neither evidence nor results; the truth may be left out. Data stand in the file, or in a CSV file
beside it that is named and whose content is checked. The file is untrusted: whatever it holds becomes a session or
a FormatError.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from engine.formats import DataDocument, Document, split_name
from engine.formats.files import decode, naming, read_bytes, write_text
from engine.formats.limits import MOST_BYTES
from engine.formats.networks import json_network
from engine.formats.networks.draft import build_document
from engine.formats.packing import unpack
from engine.formats.tables import text
from engine.formats.tables.columns import build_dataset
from engine.formats.tables.output import dump_text
from engine.formats.tables.table import Hints
from engine.learning.methods import METHODS
from engine.learning.starts import KINDS
from engine.learning.stopping import Stopping
from engine.model.arrays import Floats
from engine.model.errors import FormatError, ModelError, PgmError
from engine.model.network import BayesianNetwork, Network
from pgmgui.project.layout import arrange
from pgmgui.project.marks import Hidden, Mark, Partial, Sensor, Soft, apply_marks
from pgmgui.project.results import Result, dump_result, parse_result
from pgmgui.project.scene import Scene
from pgmgui.project.settings import Settings

FORMAT = "pgmgui-session"
VERSION = 2
_MARKS: Mapping[str, type[Mark]] = {"hidden": Hidden, "partial": Partial, "soft": Soft, "sensor": Sensor}


@dataclass(frozen=True, eq=False)
class Saved:
    """What a session file holds."""

    scene: Scene
    settings: Settings = Settings()  # noqa: RUF009 (it is frozen)
    evidence: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    results: tuple[Result, ...] = ()


def write_session(path: str | Path, saved: Saved) -> None:
    """Write a session with its data into one file; it is complete or untouched."""
    write_text(Path(path), dump(saved))


def read_session(path: str | Path) -> Saved:
    """The session of a file."""
    path = Path(path)
    return parse_session(read_bytes(path), path, lambda name: read_bytes(path.parent / name))


def parse_session(data: bytes, name: str | Path, read: Callable[[str], bytes] | None = None) -> Saved:
    """The session in the bytes of a file of that name. See :func:`parse`."""
    with naming(name):
        return parse(decode(unpack(data, name, MOST_BYTES)), read)


def is_session(path: str | Path) -> bool:
    """Whether a file looks like a session of ours; it may still turn out malformed."""
    return split_name(path)[1] == ".json" and holds_session(read_bytes(Path(path)), path)


def holds_session(data: bytes, name: str | Path) -> bool:
    """Whether the bytes of a file of that name look like a session of ours."""
    if split_name(name)[1] != ".json":
        return False
    with naming(name):
        return f'"{FORMAT}"'.encode() in unpack(data, name, MOST_BYTES)[:200]


def dump(saved: Saved, data: Mapping[str, Any] | None = None) -> str:
    """The text of a session file.

    Parameters
    ----------
    data : mapping, optional
        Where the data is instead of in the file: ``{"file": name, "sha256": of its bytes}``.
    """
    scene = saved.scene
    notes = [] if scene.data is None else list(scene.data.notes)
    if scene.data is not None:
        data = {**(data or {"csv": dump_csv(scene.data)}), "notes": notes}
    root = {
        "format": FORMAT,
        "version": VERSION,
        "title": scene.title,
        "note": scene.note,
        "network": json.loads(json_network.dump(scene.document)),
        "data": data,
        "marks": {name: _dump_mark(mark) for name, mark in scene.marks.items()},
        "prior": {name: np.asarray(value).reshape(-1).tolist() for name, value in scene.prior.items()},
        "common_prior": scene.common_prior,
        "example": scene.example,
        "settings": asdict(saved.settings),
        "evidence": {name: list(likelihood) for name, likelihood in saved.evidence.items()},
        "results": [dump_result(result) for result in saved.results],
        "truth": None if scene.truth is None else json.loads(json_network.dump(Document(scene.truth))),
    }
    return json.dumps(root, ensure_ascii=False, indent=1) + "\n"


def dump_csv(data: DataDocument) -> str:
    """The data as a session keeps it."""
    return "".join(dump_text(data.dataset, ","))


def parse(text: str, read: Callable[[str], bytes] | None = None) -> Saved:
    """The session of a text.

    Parameters
    ----------
    read : callable, optional
        From the name of a data file beside the session to its bytes; without it, only data inside are read.
    """
    try:
        root = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}") from None
    if not isinstance(root, dict) or root.get("format") != FORMAT:
        raise FormatError(f'not a session file: expected "format": "{FORMAT}"')
    if root.get("version") not in range(1, VERSION + 1):
        raise FormatError(
            f"a session of version {root.get('version')!r}; this program reads versions up to {VERSION}: update it"
        )
    document = _parse_network(root, "network")
    network = document.network
    names = [variable.name for variable in network.variables]
    if not all(name in document.positions for name in names):
        document = arrange(document)
    data = _parse_data(root.get("data"), network, read)
    scene = Scene(
        str(root.get("title") or "Untitled"),
        str(root.get("note") or ""),
        document,
        data,
        {name: _parse_mark(mark, name, network) for name, mark in _get(root, "marks", dict).items()},
        {name: _parse_prior(value, name, network) for name, value in _get(root, "prior", dict).items()},
        _number(root.get("common_prior"), "common_prior"),
        str(root.get("example") or ""),
        None if root.get("truth") is None else _parse_network(root, "truth").network,
    )
    if data is not None:
        _check(lambda: apply_marks(data.dataset, scene.marks))
    evidence = root.get("evidence", {})
    results = root.get("results", [])
    if not isinstance(evidence, dict) or not isinstance(results, list) or len(results) > len(METHODS):
        raise FormatError("a session needs 'evidence' as an object and 'results' as a list, one for each learner")
    return Saved(
        scene,
        _parse_settings(_get(root, "settings", dict)),
        {name: _parse_likelihood(values, name, network) for name, values in evidence.items()},
        tuple(parse_result(result) for result in results),
    )


def _parse_network(root: dict[str, Any], key: str) -> Document:
    return build_document(json_network.parse(json.dumps(_get(root, key, dict))))


def _parse_data(item: Any, network: Network, read: Callable[[str], bytes] | None) -> DataDocument | None:
    if item is None:
        return None
    if not isinstance(item, dict):
        raise FormatError("'data' must be null or an object")
    if "csv" in item:
        content = _get(item, "csv", str).encode()
    else:
        name, expected = _get(item, "file", str), _get(item, "sha256", str)
        if read is None or Path(name).name != name:
            raise FormatError(f"the data file {name!r} cannot be read: it must lie beside the session's file")
        content = read(name)
        if hashlib.sha256(content).hexdigest() != expected:
            raise FormatError(f"the data file {name!r} is not the one this session was saved with: it has changed")
    found = build_dataset(text.parse(content, Hints(network.variables, delimiter=",")), network.variables, ())
    notes = tuple(str(note) for note in item.get("notes", ()))
    return DataDocument(found.dataset, notes, found.unmatched, found.absent)


def _dump_mark(mark: Mark) -> dict[str, Any]:
    (kind,) = (name for name, known in _MARKS.items() if isinstance(mark, known))
    return {"kind": kind, **asdict(mark)}


def _parse_mark(item: Any, name: str, network: Network) -> Mark:
    if name not in network.index:
        raise FormatError(f"a mark on {name!r}, which is no variable of the network")
    if not isinstance(item, dict) or item.get("kind") not in list(_MARKS):
        raise FormatError(f"the mark of {name!r} has no known kind; expected one of {', '.join(_MARKS)}")
    where = f"the mark of {name!r}"
    if item["kind"] == "partial":
        return Partial(_number(item.get("fraction"), where), str(item.get("mechanism")))
    if item["kind"] == "soft":
        return Soft(_number(item.get("reliability"), where))
    if item["kind"] == "sensor":
        rows = item.get("confusion")
        if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
            raise FormatError(f"{where} needs a confusion table")
        return Sensor(tuple(tuple(_number(value, where) for value in row) for row in rows))
    return Hidden()


def _parse_prior(value: Any, name: str, network: Network) -> float | Floats:
    if not isinstance(network, BayesianNetwork) or name not in network.index:
        raise FormatError(f"a prior of {name!r}, which is no variable of the network")
    shape = network.tables[network.index[name]].shape
    values = [_number(one, f"the prior of {name!r}") for one in value] if isinstance(value, list) else []
    if len(values) == 1:
        return values[0]
    if len(values) != int(np.prod(shape)):
        raise FormatError(f"the prior of {name!r} has {len(values)} numbers; expected 1 or {int(np.prod(shape))}")
    return np.array(values).reshape(shape)


def _parse_likelihood(values: Any, name: str, network: Network) -> tuple[float, ...]:
    where = f"the evidence on {name!r}"
    if name not in network.index:
        raise FormatError(f"{where}, which is no variable of the network")
    likelihood = tuple(_number(value, where) for value in values) if isinstance(values, list) else ()
    states = network.variables[network.index[name]].cardinality
    if len(likelihood) != states or min(likelihood) < 0 or max(likelihood) <= 0:
        raise FormatError(f"{where} needs {states} numbers of 0 or more, not all of them 0")
    return likelihood


def _parse_settings(item: dict[str, Any]) -> Settings:
    known = {field.name for field in fields(Settings)}
    chosen = {key: value for key, value in item.items() if key in known}
    methods = chosen.get("methods", Settings.methods)
    if not isinstance(methods, list | tuple) or not all(method in list(METHODS) for method in methods):
        raise FormatError(f"the settings name unknown learners: {methods!r}")
    start = chosen.get("start", Settings.start)
    if start not in KINDS:
        raise FormatError(f"the settings have an unknown start: {start!r}")
    numbers = {
        key: int(_number(chosen.get(key, getattr(Settings, key)), key)) for key in ("seed", "restarts", "max_iter")
    }
    tol = _number(chosen.get("tol", Settings.tol), "tol")
    criterion = chosen.get("criterion", Settings.criterion)
    _check(lambda: Stopping(tol, criterion, numbers["max_iter"]))
    if numbers["restarts"] < 1 or numbers["seed"] < 0:
        raise FormatError("the settings need at least one restart, and a seed of 0 or more")
    return Settings(tuple(methods), start, tol=tol, criterion=criterion, **numbers)


def _get(item: dict[str, Any], key: str, kind: type) -> Any:
    value = item.get(key)
    if not isinstance(value, kind):
        raise FormatError(f"a session needs {key!r} as {'text' if kind is str else 'an object'}")
    return value


def _number(value: Any, where: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or abs(value) > 1e15 or not np.isfinite(value):
        raise FormatError(f"{where} needs a number; got {value!r:.60}")
    return float(value)


def _check(attempt: Callable[[], object]) -> None:
    """Refuse what the engine would refuse, as an error of the file."""
    try:
        attempt()
    except (ModelError, PgmError) as error:
        raise FormatError(str(error)) from None
