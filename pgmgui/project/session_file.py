"""A whole session as one JSON file: network, data, marks, prior, settings, evidence and results.

::

    {"format": "pgmgui-session", "version": 2, "title": ..., "note": ...,
     "network": {a network file of ours, see engine.formats.networks.json_network},
     "data": null, {"csv": text, "notes": [...]}, {"file": name, "sha256": ..., "notes": [...]} or
         {"place": {"where": path, pattern or URL without a password, "table": ..., "columns": {variable: column, or
             "" if that column is left out}, "values": {column: {text: state, null if missing}}}},
     "marks": {variable: {"kind": ..., ...}}, see pgmgui.project.mark_file,
     "prior": {variable: number or flat list}, "common_prior": number,
     "factor_prior": null or {"kind": "l2" | "l1", "width": number},
     "table_prior": null or {"name": "logistic-normal" or that of an installed one, "width": number},
     "example": id or "", "settings": {...},
     "axes": {"across": ..., "up": ..., "fit": ...}, what the plot shows,
     "search": {...}, how to look for a structure, see pgmgui.project.structure_settings,
     "evidence": {variable: a likelihood for each state}, "results": [see pgmgui.project.results],
     "looked_at": null or the result of an earlier iteration, that which is looked at,
     "truth": null or the network file that the data was simulated from,
     "cases": {name: {variable: {state: likelihood}}}, "hold_out": null or {"share": number, "seed": number},
     "fixed_targets": whether the targets of cells hold whatever else a row says,
     "ties": [[variables that share one table]], "targets": ..., "case_targets": ..., see pgmgui.project.target_file}

Version 1 has neither evidence nor results; truth, cases, targets, axes, search, ties, looked_at, the factors' and
tables' prior, what is held out and whether targets of cells are fixed (they are) may lack.
Data stand in the file, or in a CSV file beside it that is named and whose content is checked; of data that is counted
where it lies, the file says where that is, and whoever opens it decides whether to count it. The file is untrusted:
whatever it holds becomes a session or a FormatError. What each field may be stands in one place, ``_SESSION``; what
depends on the network is checked after.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.formats import DataDocument, Document, split_name
from engine.formats.files import decode, naming, read_bytes, write_text
from engine.formats.limits import MOST_BYTES
from engine.formats.networks import json_network
from engine.formats.networks.draft import build_document
from engine.formats.packing import unpack
from engine.formats.schema import (
    anything,
    flag,
    list_of,
    load,
    map_of,
    number,
    numbers,
    one_of,
    optional,
    record,
    text,
    whole,
)
from engine.formats.tables import text as tables_text
from engine.formats.tables.columns import build_dataset
from engine.formats.tables.output import dump_text
from engine.formats.tables.table import Hints
from engine.learning.hold_out import HoldOut
from engine.learning.methods import METHODS
from engine.learning.starts import KINDS
from engine.learning.stopping import CRITERIA
from engine.model.errors import FormatError, PgmError
from engine.model.messages import MOST_QUOTED, shorten
from engine.model.network import Network
from engine.model.ties import find_ties
from engine.sources.places import Place, drop_password
from pgmgui.project.axes import ACROSS, FITS, UP, Axes
from pgmgui.project.counted_data import CountedData
from pgmgui.project.layout import arrange
from pgmgui.project.mark_file import dump_mark, fit_mark, parse_mark
from pgmgui.project.marks import Mark, apply_marks
from pgmgui.project.prior_fields import PRIOR_FIELDS, dump_priors, fit_priors
from pgmgui.project.results import Result, dump_result, parse_result
from pgmgui.project.scene import Scene
from pgmgui.project.settings import RANGES, Settings
from pgmgui.project.structure_settings import StructureSettings, parse_search
from pgmgui.project.target_file import CASE_TARGETS, WANTED, dump_case_targets, dump_wanted, fit_supposed, join_cases
from pgmgui.project.wanted import Supposed

FORMAT = "pgmgui-session"
VERSION = 2


@dataclass(frozen=True, eq=False)
class Saved:
    """What a session file holds."""

    scene: Scene
    settings: Settings = Settings()  # noqa: RUF009 (it is frozen)
    supposed: Supposed = Supposed()  # noqa: RUF009
    results: tuple[Result, ...] = ()
    axes: Axes = Axes()  # noqa: RUF009
    looked_at: Result | None = None
    search: StructureSettings = StructureSettings()  # noqa: RUF009


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


def dump(saved: Saved, data: Mapping[str, Any] | None = None, indent: int | None = 1) -> str:
    """The text of a session file.

    Parameters
    ----------
    indent : int, optional
        Spaces before what is inside something else; None writes one line, for nobody to read, in far less time.
    data : mapping, optional
        Where the data is instead of in the file: ``{"file": name, "sha256": of its bytes}``.
    """
    scene = saved.scene
    notes = [] if scene.data is None else list(scene.data.notes)
    place = scene.data.place if isinstance(scene.data, CountedData) else scene.place
    if isinstance(scene.data, DataDocument):
        data = {**(data or {"csv": dump_csv(scene.data)}), "notes": notes}
    elif place is not None:
        values = {"values": place.given} if place.values else {}
        data = {"place": {"where": place.where, "table": place.table, "columns": dict(place.columns), **values}}
    root = {
        "format": FORMAT,
        "version": VERSION,
        "title": scene.title,
        "note": scene.note,
        "network": json.loads(json_network.dump(scene.document)),
        "data": data,
        "marks": {name: dump_mark(mark) for name, mark in scene.marks.items()},
        **dump_priors(scene),
        "example": scene.example,
        "settings": asdict(saved.settings),
        "axes": asdict(saved.axes),
        "search": asdict(saved.search),
        "evidence": {name: list(likelihood) for name, likelihood in saved.supposed.likelihoods.items()},
        "targets": dump_wanted(saved.supposed.wanted),
        "results": [dump_result(result) for result in saved.results],
        "looked_at": None if saved.looked_at is None else dump_result(saved.looked_at),
        "truth": None if scene.truth is None else json.loads(json_network.dump(Document(scene.truth))),
        "cases": {name: case.likelihoods for name, case in scene.cases.items()},
        "case_targets": dump_case_targets(scene.cases),
        "hold_out": None if scene.hold_out is None else asdict(scene.hold_out),
        "fixed_targets": scene.fixed_targets,
        "ties": scene.ties,
    }
    return json.dumps(root, ensure_ascii=False, indent=indent) + "\n"


def dump_csv(data: DataDocument) -> str:
    """The data as a session keeps it."""
    return "".join(dump_text(data.dataset, ","))


def parse(content: str, read: Callable[[str], bytes] | None = None) -> Saved:
    """The session of a text, which is a file's content.

    Parameters
    ----------
    read : callable, optional
        From the name of a data file beside the session to its bytes; without it, only data inside are read.
    """
    root = _load(content)
    found = _SESSION(root, "")
    document = _parse_network(root["network"], "network")
    network = document.network
    if not all(variable.name in document.positions for variable in network.variables):
        document = arrange(document)
    place = None if found["data"] is None else _parse_place(found["data"]["place"])
    data = None if found["data"] is None or place is not None else _parse_data(found["data"], network, read)
    scene = Scene(
        found["title"] or "Untitled",
        found["note"],
        document,
        data,
        {name: _fit_mark(mark, name, network) for name, mark in found["marks"].items()},
        example=found["example"],
        truth=None if found["truth"] is None else _parse_network(root["truth"], "truth").network,
        cases=join_cases(found["cases"], found["case_targets"]),
        hold_out=HoldOut(**found["hold_out"]) if found["hold_out"] and found["hold_out"]["share"] else None,
        fixed_targets=found["fixed_targets"],
        ties=found["ties"],
        place=place,
        **fit_priors(found, network),
    )
    with _at("ties"):
        find_ties(network, scene.ties)
    if data is not None:
        with _at("marks"):
            apply_marks(data.dataset, scene.marks)
    likelihoods = {name: _fit_likelihood(values, name, network) for name, values in found["evidence"].items()}
    return Saved(
        scene,
        Settings(**found["settings"]),
        fit_supposed(likelihoods, found["targets"], network),
        found["results"],
        found["axes"],
        found["looked_at"],
        found["search"],
    )


def _load(content: str) -> dict[str, Any]:
    root = load(content)
    if not isinstance(root, dict) or root.get("format") != FORMAT:
        raise FormatError(f'not a session file: expected "format": "{FORMAT}"')
    version = root.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        shown = repr(version)[:MOST_QUOTED]
        raise FormatError(f"a session of version {shown}; this program reads versions up to {VERSION}: update it")
    return root


@contextmanager
def _at(place: str) -> Iterator[None]:
    """Errors that happen inside say where in the file."""
    try:
        yield
    except FormatError as error:
        raise FormatError(f"{place}: {error.message}") from None
    except PgmError as error:
        raise FormatError(f"{place}: {error}") from None


def _parse_axes(item: Any, place: str) -> Axes:
    """The plot's axes; older files say with a flag whether looser bounds are drawn."""
    found = _AXES(item, place)
    looser, fit = found.pop("looser"), found.pop("fit")
    return Axes(**found, fit=fit or ("bounds" if looser else Axes.fit))


def _parse_network(item: dict[str, Any], place: str) -> Document:
    with _at(place):
        return build_document(json_network.read(item))


def _parse_data(item: dict[str, Any], network: Network, read: Callable[[str], bytes] | None) -> DataDocument:
    if item["csv"] is not None:
        content = item["csv"].encode()
    else:
        name = item["file"] or ""
        if read is None or not name or Path(name).name != name or "\0" in name:
            raise FormatError(f"data.file: {shorten(name)} cannot be read: it must lie beside the session's file")
        content = read(name)
        if hashlib.sha256(content).hexdigest() != item["sha256"]:
            raise FormatError(f"data.file: {shorten(name)} is not what this session was saved with: it has changed")
    with _at("data"):
        found = build_dataset(
            tables_text.parse(content, Hints(network.variables, delimiter=",")), network.variables, ()
        )
    return DataDocument(found.dataset, item["notes"], found.unmatched, found.absent)


def _parse_place(item: dict[str, Any] | None) -> Place | None:
    """Where data lies, without a password that somebody has put there."""
    if item is None:
        return None
    with _at("data.place"):
        values = [(name, text, state) for name, texts in item["values"].items() for text, state in texts.items()]
        return Place(drop_password(item["where"]), item["table"], tuple(item["columns"].items()), tuple(values))


def _fit_mark(mark: Mark, name: str, network: Network) -> Mark:
    _find_states(name, "marks", network)
    return fit_mark(mark, name, network)


def _fit_likelihood(values: tuple[float, ...], name: str, network: Network) -> tuple[float, ...]:
    states = _find_states(name, "evidence", network)
    if len(values) != states or max(values) <= 0:
        raise FormatError(f"evidence.{name}: expected {states} numbers, not all of them 0")
    return values


def _find_states(name: str, place: str, network: Network) -> int:
    """The number of states of the variable that something in the file is about."""
    if name not in network.index:
        raise FormatError(f"{place}: {shorten(name)} is no variable of the network")
    return network.variables[network.index[name]].cardinality


_PLAIN = Settings()
_SETTINGS = record(
    {
        "methods": optional(list_of(one_of(METHODS), 0, len(METHODS)), _PLAIN.methods),
        "start": optional(one_of(KINDS), _PLAIN.start),
        "seed": optional(whole(*RANGES["seed"]), _PLAIN.seed),
        "restarts": optional(whole(*RANGES["restarts"]), _PLAIN.restarts),
        "tol": optional(number(*RANGES["tol"]), _PLAIN.tol),
        "criterion": optional(one_of(CRITERIA), _PLAIN.criterion),
        "max_iter": optional(whole(*RANGES["max_iter"]), _PLAIN.max_iter),
    }
)
_AXES = record(
    {
        "across": optional(one_of(ACROSS), Axes.across),
        "up": optional(one_of(UP), Axes.up),
        "fit": optional(one_of(FITS), None),
        "looser": optional(flag, False),
    }
)
_PLACE = record(
    {
        "where": text(),
        "table": optional(text(), None),
        "columns": optional(map_of(text()), {}),
        "values": optional(map_of(map_of(optional(text(), None))), {}),
    }
)
_DATA = record(
    {
        "csv": optional(text(MOST_BYTES), None),
        "file": optional(text(), None),
        "sha256": optional(text(), ""),
        "notes": optional(list_of(text()), ()),
        "place": optional(_PLACE, None),
    }
)
_HOLD_OUT = record({"share": number(*RANGES["hold_out"]), "seed": whole(*RANGES["hold_out_seed"])})
_SESSION = record(
    {
        "title": optional(text(), ""),
        "note": optional(text(), ""),
        "network": map_of(anything),
        "data": optional(_DATA, None),
        "marks": map_of(parse_mark),
        **PRIOR_FIELDS,
        "example": optional(text(), ""),
        "settings": _SETTINGS,
        "axes": optional(_parse_axes, Axes()),
        "search": optional(parse_search, StructureSettings()),
        "evidence": optional(map_of(numbers(0, 1e15)), {}),
        "targets": optional(WANTED, WANTED({}, "")),
        "results": optional(list_of(parse_result, 0, len(METHODS)), ()),
        "looked_at": optional(parse_result, None),
        "truth": optional(map_of(anything), None),
        "cases": optional(map_of(map_of(map_of(number(0, 1e15)))), {}),
        "case_targets": optional(CASE_TARGETS, {}),
        "hold_out": optional(_HOLD_OUT, None),
        "fixed_targets": optional(flag, True),
        "ties": optional(list_of(list_of(text())), ()),
    }
)
"""What each field of a session may be."""
