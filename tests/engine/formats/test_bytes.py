"""Files in memory: what is read from bytes and dumped to them is what files hold."""

from __future__ import annotations

import pytest

from engine.formats import (
    DATA_FORMATS,
    NETWORK_FORMATS,
    dump_dataset,
    dump_network,
    parse_network,
    parse_table,
    read_network,
    write_dataset,
    write_network,
)
from engine.formats.networks import catalogue as networks
from engine.formats.tables import catalogue as tables
from engine.formats.tables.columns import build_dataset
from engine.model.errors import FormatError
from tests.compare import assert_same_document

ASIA = "assets/examples/asia.bif"


def writable(formats):
    return [suffix for suffix, form in formats.items() if form.dump]


@pytest.mark.parametrize("suffix", writable(NETWORK_FORMATS))
def test_a_network_in_memory_is_the_one_in_a_file(tmp_path, suffix):
    asia = read_network(ASIA)
    path = tmp_path / f"asia{suffix}"
    write_network(path, asia)
    content = dump_network(asia, path.name)
    assert content == path.read_bytes()
    assert_same_document(parse_network(content, path.name), read_network(path))


@pytest.mark.parametrize("suffix", writable(DATA_FORMATS))
def test_a_dataset_in_memory_is_the_one_in_a_file(tmp_path, suffix):
    rows = build_dataset(parse_table(b"A,B\nyes,0\n?,1\n", "rows.csv"), None).dataset
    path = tmp_path / f"rows{suffix}"
    write_dataset(path, rows)
    content = dump_dataset(rows, path.name)
    assert content == path.read_bytes()
    again = build_dataset(parse_table(content, path.name, rows.variables), rows.variables).dataset
    assert again.codes.tolist() == rows.codes.tolist()


def test_too_many_bytes_are_refused_by_name(monkeypatch):
    monkeypatch.setattr(networks, "MOST_BYTES", 10)
    monkeypatch.setattr(tables, "MOST_DATA_BYTES", 10)
    with pytest.raises(FormatError, match=r"^x\.bif: the file has .* MB; at most"):
        parse_network(b"network x {}", "x.bif")
    with pytest.raises(FormatError, match=r"^x\.csv: the file has .* MB; at most"):
        parse_table(b"A,B\n1,2\n3,4\n", "x.csv")
