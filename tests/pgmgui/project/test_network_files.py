"""Network files of the user's: what is read, how it is called, and where it is written."""

from __future__ import annotations

import gzip
import io
import os
import tempfile
from pathlib import Path

import numpy as np
import pytest

from engine.formats import DataDocument, Document, dump_network, read_network
from engine.model.dataset import make_dataset
from engine.model.errors import FormatError, PgmError, RowSumError
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.variable import Variable
from pgmgui.project import session_file
from pgmgui.project.network_files import NetworkFile, find_target, list_writable, suggest_name
from pgmgui.project.scene import Scene
from pgmgui.project.session_file import Saved
from tests.shared_data import DATA, needs_data

COIN = "network coin {} variable A { type discrete [2] { y, n }; } probability (A) { table 0.5, 0.5; }"


def coin(name="A"):
    return Document(BayesianNetwork((Variable(name, ("y", "n")),), ((),), (np.array([0.5, 0.5]),)))


def rain():
    """Two variables, an arrow between them."""
    variables = Variable("Rain", ("yes", "no")), Variable("Wet", ("yes", "no"))
    return Document(BayesianNetwork(variables, ((), (0,)), (np.array([0.2, 0.8]), np.array([[0.9, 0.1], [0.3, 0.7]]))))


def test_an_upload_is_read_by_its_suffix_and_laid_out():
    scene = NetworkFile("My Coin.BIF", COIN.encode()).read()
    assert (scene.title, scene.note, scene.data) == ("My Coin", "My Coin.BIF", None)
    assert set(scene.document.positions) == {"A"}


def test_the_users_name_is_told_also_one_that_no_folder_can_hold():
    with pytest.raises(FormatError) as caught:
        NetworkFile("../etc/p\0asswd.bif", b"").read()
    assert str(caught.value).startswith("../etc/p\0asswd.bif:line 1: the file is empty")
    with pytest.raises(RowSumError, match=r"^x.bif:line 1: .*sums to 2"):
        NetworkFile("x.bif", COIN.replace("0.5", "1").encode()).read()
    assert NetworkFile("x.bif", COIN.replace("0.5", "1").encode()).read(normalise=True).document.notes


def test_an_upload_and_a_download_touch_no_file(monkeypatch):
    def refuse(*_arguments, **_options):
        raise AssertionError("a file was opened")

    saved = session_file.dump(Saved(Scene("Kept", "", coin()))).encode()
    for module, name in ((tempfile, "mkdtemp"), (tempfile, "mkstemp"), (os, "open"), (io, "open")):
        monkeypatch.setattr(module, name, refuse)
    assert NetworkFile("x.bif", COIN.encode()).read().title == "x"
    assert NetworkFile("x.json", saved).read().scene.title == "Kept"
    assert dump_network(coin(), "x.net").startswith(b"net")
    with pytest.raises(PgmError):
        NetworkFile("x.bif", b"").read()


def test_an_uploaded_session_that_has_its_data_elsewhere_is_refused_by_its_name():
    data = {"file": "data.csv", "sha256": "0" * 64}
    scene = Scene("Kept", "", coin(), DataDocument(make_dataset(coin().network.variables, [["y"]])))
    with pytest.raises(FormatError, match=r"^mine\.json: data\.file: 'data\.csv' cannot be read"):
        NetworkFile("mine.json", session_file.dump(Saved(scene), data).encode()).read()


BIF = COIN.replace("} ", "}\n")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.bif", b"", "empty.bif:line 1: the file is empty; expected a BIF network"),
        ("empty.xdsl", b"", "empty.xdsl:line 1: the XML is broken"),
        ("picture.bif", bytes(range(256)) * 20, "picture.bif:line 1: expected 'network'"),
        ("program.exe", b"MZ\0\0", "program.exe: unknown suffix '.exe'; expected one of .bif"),
        ("none", b"x", "none: unknown suffix ''"),
        ("cut.bif", BIF[:75].encode(), "cut.bif:line 3: the file ends"),
    ],
)
def test_what_cannot_be_read_is_named(name, content, said):
    with pytest.raises(PgmError) as caught:
        NetworkFile(name, content).read()
    assert str(caught.value).startswith(said)


@needs_data
@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("bif/BIFReader_file4.bif", "line 58: the table of 'n6' has 10 numbers; expected 12"),
        ("net/test_oobn.oobn", "object-oriented networks are not supported"),
        ("net_ext/OilWildcatter.net", "influence diagrams are not supported"),
        ("unnormalised/asia3.net", "that sums to 15, not 1"),
        ("xmlbif/agrum_edex.bifxml", "line 13: the XML is broken"),
        ("xmlbif_unbbayes/asia.xml", "save the network in UnBBayes as a .net file"),
    ],
)
def test_what_is_odd_in_files_of_other_programs_is_explained(path, said):
    file = DATA / "quirky" / path
    with pytest.raises(PgmError) as caught:
        NetworkFile(file.name, file.read_bytes()).read()
    assert str(caught.value).startswith(f"{file.name}:line")
    assert said in str(caught.value)


def test_a_folder_or_nothing_at_a_path_is_told(tmp_path):
    (tmp_path / "folder.bif").mkdir()
    for path, said in (
        (tmp_path, "unknown suffix"),
        (tmp_path / "folder.bif", "folder.bif: cannot read the file: Is a directory"),
        (tmp_path / "nothing.bif", "nothing.bif: cannot read the file: No such file or directory"),
    ):
        with pytest.raises(PgmError, match=said):
            NetworkFile(str(path)).read()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("~no-such-user-here/a.bif", "no such user"),
        ("\0.bif", "is not a path"),
        ("", "is not a path"),
        (".", "not a path"),
    ],
)
def test_a_path_that_is_none_is_told(path, said):
    with pytest.raises(PgmError, match=said):
        NetworkFile(path).read()


def test_a_path_may_be_quoted_and_begin_at_home(tmp_path, monkeypatch):
    (tmp_path / "coin.bif").write_text(COIN, encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    for path in ("~/coin.bif", f'"{tmp_path}/coin.bif"', f" '{tmp_path}/coin.bif' "):
        assert NetworkFile(path).read().title == "coin"


def test_each_kind_is_offered_the_formats_that_hold_it():
    assert set(list_writable(MarkovNetwork((), (), ())).values()) == {".json", ".uai", ".erg"}
    assert {".bif", ".json", ".uai", ".xml", ".xdsl", ".net"} <= set(list_writable(coin().network).values())
    assert ".dsc" not in list_writable(coin().network).values()


@pytest.mark.parametrize("suffix", list_writable(coin().network).values())
def test_every_offered_format_is_written(tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    path.write_bytes(dump_network(rain(), path.name))
    network = read_network(path).network
    np.testing.assert_allclose(network.tables[0], [0.2, 0.8], atol=1e-9)
    np.testing.assert_allclose(network.tables[1], [[0.9, 0.1], [0.3, 0.7]], atol=1e-9)
    if suffix not in (".uai", ".erg"):
        assert [variable.name for variable in network.variables] == ["Rain", "Wet"]


def test_what_cannot_be_written_is_told():
    with pytest.raises(PgmError, match=r"^x\.bif: cannot write '\\ud800' as UTF-8"):
        dump_network(coin("\ud800"), "x.bif")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Chain of four", "Chain of four"),
        ("<img src=x onerror=alert(1)>", "img src=x onerror=alert(1)"),
        ("../../etc/passwd", "etcpasswd"),
        ("C:\\x\r\ny", "Cxy"),
        ("", "network"),
        ("...", "network"),
        ("né à Köln 数", "né à Köln 数"),
        ("x" * 300, "x" * 80),
    ],
)
def test_a_suggested_name_is_one_that_every_system_takes(title, name):
    assert suggest_name(title) == name


def test_a_target_is_a_folder_or_a_file_with_or_without_suffix(tmp_path):
    assert find_target(str(tmp_path), "../x", ".net") == tmp_path / "x.net"
    assert find_target(f"{tmp_path}/y", "x", ".net") == tmp_path / "y.net"
    assert find_target(f"{tmp_path}/y.v2", "x", ".net") == tmp_path / "y.v2.net"
    assert find_target(f"{tmp_path}/y.BIF", "x", ".net") == tmp_path / "y.BIF"
    assert find_target("y.bif", "x", ".net") == Path("y.bif")
    assert find_target("y.bif.gz", "x", ".net") == Path("y.bif.gz")
    assert find_target("y.gz", "x", ".net") == Path("y.gz.net")


def test_a_packed_upload_is_called_without_its_suffixes():
    scene = NetworkFile("My Coin.bif.gz", gzip.compress(COIN.encode())).read()
    assert (scene.title, scene.note) == ("My Coin", "My Coin.bif.gz")
    with pytest.raises(FormatError, match=r"^x\.bif\.gz: the file cannot be unpacked, it is cut off"):
        NetworkFile("x.bif.gz", gzip.compress(COIN.encode())[:-3]).read()


@pytest.mark.parametrize("from_path", [True, False])
def test_a_packed_session_is_opened(tmp_path, from_path):
    packed = gzip.compress(session_file.dump(Saved(Scene("Kept", "", coin()))).encode())
    path = tmp_path / "kept.json.gz"
    path.write_bytes(packed)
    file = NetworkFile(str(path)) if from_path else NetworkFile(path.name, packed)
    assert file.read().scene.title == "Kept"
