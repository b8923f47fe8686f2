"""What is tried: every reader, by the suffix of its files, and how it is called."""

from __future__ import annotations

import json
import random
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl

from engine.formats import DATA_FORMATS, NETWORK_FORMATS, parse_network, parse_table, read_network
from engine.formats.files import decode
from engine.formats.networks import uai
from engine.formats.tables.columns import build_dataset
from engine.model.errors import PgmError
from tests.command_line import EXAMPLES, assert_refused, run
from tests.fuzz.mutations import mutate, mutate_bytes
from tests.fuzz.sources import find_sources

COMMAND = "command"
"""Files of all formats through the command line."""
Read = Callable[[bytes, bool], object]
"""From damaged bytes to whatever they hold; the other argument is chosen at random."""


def list_targets() -> dict[str, Read]:
    """By suffix or name, how to read: the formats of the catalogues, each reader once, and what else is read."""
    asia = read_network(EXAMPLES / "asia.bif").network
    networks = {suffix: _read_network(suffix) for suffix in _first_of_each(NETWORK_FORMATS)}
    tables = {suffix: _read_table(suffix) for suffix in _first_of_each(DATA_FORMATS)}
    return {
        **networks,
        **tables,
        ".erg": _read_network(".erg"),
        ".evid": lambda data, _: uai.parse_evidence(decode(data), asia),
        "session": _read_session,
        "link": _read_link,
        COMMAND: _run_command,
    }


def _first_of_each(formats: dict[str, object]) -> list[str]:
    found: dict[object, str] = {}
    for suffix, form in formats.items():
        found.setdefault(form.parse, suffix)
    return list(found.values())


def _read_network(suffix: str) -> Read:
    return lambda data, normalise: parse_network(data, f"x{suffix}", normalise)


def _read_table(suffix: str) -> Read:
    variables = read_network(EXAMPLES / "burglary.bif").network.variables

    def read(data: bytes, known: bool) -> object:
        table = parse_table(data, f"x{suffix}", variables if known else None)
        return build_dataset(table, variables if known else None).dataset.total_weight

    return read


def _read_session(data: bytes, _: bool) -> object:
    from pgmgui.project.scene import derive
    from pgmgui.project.session_file import parse_session

    return derive(parse_session(data, "x.json").scene)


def _read_link(data: bytes, _: bool) -> object:
    from pgmgui.project.links import parse_link

    return parse_link(dict(parse_qsl(data.decode("utf-8", "replace"))))


def _run_command(data: bytes, normalise: bool) -> None:
    """A command of the command line on a file; its suffix is the first line of the bytes."""
    suffix, _, content = data.partition(b"\n")
    chance = random.Random(zlib.crc32(content))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / f"x{suffix.decode()}"
        path.write_bytes(content)
        outcome = run(*_choose_command(path, chance), "--json", *(["--normalise"] if normalise else []))
        assert [found.name for found in folder.iterdir() if found.name.startswith(".")] == []
    if outcome.code:
        assert_refused(outcome)
        assert "out of memory" not in outcome.err
        raise PgmError(outcome.err.strip())
    assert isinstance(json.loads(outcome.out), dict)
    assert all(line.startswith("pgmgui: note: ") for line in outcome.err.split("\n")[:-1])


def _choose_command(path: Path, chance: random.Random) -> list[object]:
    if path.suffix == ".evid":
        return ["query", EXAMPLES / "asia.bif", "--evidence-file", path]
    if path.suffix in DATA_FORMATS:
        target = path.with_name(f"out{chance.choice(['.csv', '.tsv', '.parquet'])}")
        return list(chance.choice([["info", path], ["convert", path, target]]))
    target = path.with_name(f"out{chance.choice(['.bif', '.net', '.xdsl', '.xml', '.uai', '.json'])}")
    return list(chance.choice([["info", path], ["query", path, "--memory-limit", "0.1"], ["convert", path, target]]))


def damage(kind: str, seed: int, number: int) -> tuple[bytes, bool]:
    """A damaged file of a kind: the same for the same seed and number, whatever was tried before."""
    chance = random.Random(f"{kind} {seed} {number}")
    if kind == COMMAND:
        suffix = chance.choice([*NETWORK_FORMATS, *DATA_FORMATS, ".evid"])
        data, choice = damage(suffix, seed, number)
        return suffix.encode() + b"\n" + data, choice
    data = chance.choice(find_sources(kind))
    own = chance.randrange(2**32)
    if chance.random() < 0.5 or kind in (".parquet", ".pq"):
        (damaged,) = mutate_bytes(data, 1, own)
    else:
        # Every other one keeps the grammar.
        *_, text = mutate(data.decode(), chance.choice([1, 2]), own)
        damaged = text.encode("utf-8", "surrogatepass")
    return damaged, chance.random() < 0.5
