"""Files packed by gzip, also hostile ones."""

from __future__ import annotations

import gzip
import io
import subprocess
import tracemalloc
import zlib
from pathlib import Path

import pytest

from engine.formats import (
    dump_dataset,
    dump_network,
    packing,
    parse_network,
    parse_table,
    read_dataset,
    read_evidence,
    read_network,
    write_dataset,
    write_network,
)
from engine.formats.packing import split_name, unpack
from engine.model.errors import FormatError
from tests.compare import assert_same_document

ASIA = Path("assets/examples/asia.bif")
ROWS = Path("assets/examples/asia.csv")
MEMBER = gzip.compress(b"")


@pytest.mark.parametrize("suffix", [".gz", ".GZ"])
def test_a_packed_network_is_the_network(tmp_path, suffix):
    path = tmp_path / f"Asia.BIF{suffix}"
    path.write_bytes(gzip.compress(ASIA.read_bytes()))
    assert_same_document(read_network(path), read_network(ASIA))
    assert_same_document(parse_network(path.read_bytes(), path.name), read_network(ASIA))


def test_packed_rows_are_the_rows(tmp_path):
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(ROWS.read_bytes()))
    variables = read_network(ASIA).network.variables
    expected = read_dataset(ROWS, variables).dataset
    assert read_dataset(path, variables).dataset.codes.tolist() == expected.codes.tolist()
    assert parse_table(path.read_bytes(), "rows.csv.gz").rows == expected.n_rows


def test_packed_evidence_is_read(tmp_path):
    path = tmp_path / "asia.evid.gz"
    path.write_bytes(gzip.compress(b"1 0 1"))
    assert read_evidence(path, read_network(ASIA).network) == {0: 1}


def test_what_is_written_packed_is_read_by_gzip_and_by_us(tmp_path):
    asia = read_network(ASIA)
    rows = read_dataset(ROWS, asia.network.variables).dataset
    write_network(tmp_path / "asia.net.gz", asia)
    write_dataset(tmp_path / "rows.csv.gz", rows)
    assert gzip.decompress((tmp_path / "asia.net.gz").read_bytes()) == dump_network(asia, "asia.net")
    assert gzip.decompress((tmp_path / "rows.csv.gz").read_bytes()) == dump_dataset(rows, "rows.csv")
    assert_same_document(read_network(tmp_path / "asia.net.gz"), parse_network(dump_network(asia, "x.net"), "x.net"))
    assert dump_network(asia, "asia.net.gz") == (tmp_path / "asia.net.gz").read_bytes()


def test_the_program_gzip_packs_what_we_read_and_unpacks_what_we_write(tmp_path):
    asia = read_network(ASIA)
    packed = subprocess.run(["gzip", "-9c", ASIA], capture_output=True, check=True).stdout
    assert_same_document(parse_network(packed, "asia.bif.gz"), asia)
    ours = dump_network(asia, "asia.bif.gz")
    unpacked = subprocess.run(["gzip", "-dc"], input=ours, capture_output=True, check=True).stdout
    assert unpacked == dump_network(asia, "asia.bif")


def test_members_follow_one_another_and_zeros_may_pad_them():
    half = len(ASIA.read_bytes()) // 2
    members = gzip.compress(ASIA.read_bytes()[:half]), MEMBER, gzip.compress(ASIA.read_bytes()[half:])
    for packed in (b"".join(members), b"\0\0\0".join(members) + bytes(100_000)):
        assert_same_document(parse_network(packed, "asia.bif.gz"), read_network(ASIA))


@pytest.mark.parametrize("size", [0, 1, 2**14 - 1, 2**14, 2**20, 2**20 + 1, 3 * 2**20])
@pytest.mark.parametrize("level", [0, 6])
def test_every_size_is_unpacked_whole(size, level):
    content = (bytes(range(1, 200)) * (size // 199 + 1))[:size]
    assert unpack(gzip.compress(content, level), "x.gz", 2**30) == content


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda packed: packed[: len(packed) // 2], "cut off"),
        (lambda packed: packed[:-1], "cut off"),
        (lambda packed: packed[:5], "cut off"),
        (lambda packed: packed[:40] + bytes([packed[40] ^ 255]) + packed[41:], "damaged"),
        (lambda packed: packed[:-8] + bytes(8), "damaged: incorrect data check"),
        (lambda packed: packed + b"more", "damaged: incorrect header check"),
        (lambda packed: packed[:2] + b"\x07" + packed[3:], "damaged: unknown compression method"),
        (lambda packed: b"", "gzip did not pack it"),
        (lambda packed: ASIA.read_bytes(), "gzip did not pack it; rename it"),
        (lambda packed: gzip.compress(packed), "packed twice"),
    ],
)
@pytest.mark.parametrize("read", ["path", "bytes"])
def test_a_damaged_file_is_told_in_one_line_by_its_name(tmp_path, change, said, read):
    path = tmp_path / "asia.bif.gz"
    path.write_bytes(change(gzip.compress(ASIA.read_bytes())))
    with pytest.raises(FormatError, match=said) as caught:
        read_network(path) if read == "path" else parse_network(path.read_bytes(), path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_a_name_packed_twice_and_one_without_format_are_refused():
    packed = gzip.compress(b"A\n1\n")
    with pytest.raises(FormatError, match=r"^x\.csv\.gz\.gz: the file is packed twice"):
        parse_table(gzip.compress(packed), "x.csv.gz.gz")
    with pytest.raises(FormatError, match=r"^x\.gz: unknown suffix '\.gz'; expected one of \.csv, .*, each perhaps"):
        parse_table(packed, "x.gz")


def pack_zeros(megabytes):
    """A bomb: a thousand zeros for each byte."""
    packer, pieces = zlib.compressobj(9, wbits=31), []
    for _ in range(megabytes):
        pieces.append(packer.compress(bytes(2**20)))
    return b"".join([*pieces, packer.flush()])


def test_a_bomb_is_refused_in_bounded_memory():
    bomb = pack_zeros(400)
    assert len(bomb) < 2**20
    tracemalloc.start()
    with pytest.raises(FormatError, match="unpacked, the file has more than 8 MB; at most that many are read"):
        unpack(bomb, "x.bif.gz", 8 * 2**20)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 24 * 2**20


def test_a_bomb_is_refused_by_the_readers(monkeypatch):
    monkeypatch.setattr("engine.formats.networks.catalogue.MOST_BYTES", 2**20)
    monkeypatch.setattr("engine.formats.tables.catalogue.MOST_DATA_BYTES", 2**20)
    with pytest.raises(FormatError, match=r"^x\.bif\.gz: unpacked, the file has more than 1 MB"):
        parse_network(pack_zeros(2), "x.bif.gz")
    with pytest.raises(FormatError, match=r"^x\.csv\.gz: unpacked, the file has more than 1 MB"):
        parse_table(pack_zeros(2), "x.csv.gz")


def test_endless_empty_members_are_refused(monkeypatch):
    monkeypatch.setattr(packing, "MOST_MEMBERS", 50)
    assert unpack(MEMBER * 50, "x.gz", 2**20) == b""
    with pytest.raises(FormatError, match="more than 50 packed ones"):
        unpack(MEMBER * 51, "x.gz", 2**20)


def test_packing_bytes_again_gives_the_same():
    asia = read_network(ASIA)
    assert dump_network(asia, "a.bif.gz") == dump_network(asia, "b.bif.gz")
    with gzip.GzipFile(fileobj=io.BytesIO(dump_network(asia, "a.bif.gz"))) as file:
        file.read()
        assert file.mtime == 0


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("asia.bif.gz", ("asia", ".bif")),
        ("a/b.c/My.Asia.XDSL.GZ", ("My.Asia", ".xdsl")),
        (".gz", (".gz", "")),
        (".bif.gz", (".bif", ".gz")),
        ("x.gz.gz", ("x", ".gz")),
    ],
)
def test_names_are_split(name, parts):
    assert split_name(name) == parts
