"""Where the networks and the data of the studies are looked for.

With the program, in the user's folder, in the field's data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from engine.formats import NETWORK_FORMATS, PACKED
from engine.model.errors import PgmError
from pgmgui.project.folders import assets_folder, default_folder

SHARED = Path("..") / "shared" / "data" / "networks"
"""The field's own files, beside a checkout."""
FILES = {
    "alarm": "bif/alarm.bif",
    "andes": "bif/andes.bif",
    "asia": "bif/asia.bif",
    "54.wcsp": "../uai/54.wcsp/54.wcsp.uai",
    "Family2Recessive": "../uai/Family2Recessive.15.5loci/Family2Recessive.15.5loci.uai",
    "diagnose": "uai/converted_diagnose_a.uai",
    "emdec6g": "uai/ucla_emdec6g.uai",
    "pigs": "bif/pigs.bif",
    "smokers": "../uai/smokers_20/smokers_20.uai",
    "spect": "uai/ucla_spect.uai",
    "tcc4e": "uai/ucla_tcc4e.uai",
    "water": "bif/water.bif",
    "win95pts": "bif/win95pts.bif",
    "Family2Dominant": "../uai/Family2Dominant.1.5loci/Family2Dominant.1.5loci.uai",
    "Seg2-17": "../uai/2_17_s.binary/2_17_s.binary.uai",
    "Seg7-11": "../uai/7_11_s.binary/7_11_s.binary.uai",
    "grid10x10.f10.wrap": "../uai/grid10x10.f10.wrap/grid10x10.f10.wrap.uai",
    "grid10x10.f5.wrap": "../uai/grid10x10.f5.wrap/grid10x10.f5.wrap.uai",
    "or-chain-147": "../uai/or_chain_147.fg/or_chain_147.fg.uai",
    "or-chain-148": "../uai/or_chain_148.fg/or_chain_148.fg.uai",
    "or-chain-225": "../uai/or_chain_225.fg/or_chain_225.fg.uai",
    "or-chain-42": "../uai/or_chain_42.fg/or_chain_42.fg.uai",
    "or-chain-45": "../uai/or_chain_45.fg/or_chain_45.fg.uai",
    "rbm20": "../uai/rbm_20/rbm_20.uai",
}
"""Where the networks of the papers are in the folder of networks, unless they are in it by their name."""

DATA = Path("..") / "datasets"
"""Where data is from the folder of networks, unless it is in it."""


def users_folder() -> Path:
    """Where a user may put networks, for all studies to find them."""
    return default_folder() / "networks"


def list_folders(named: Path | None = None) -> list[Path]:
    """Where networks are looked for, in this order: a folder that somebody named is first, and with it no other
    but the program's own."""
    shipped = assets_folder() / "examples"
    if named is not None:
        return [named, shipped]
    with suppress(PgmError):  # a user without a home directory
        return [shipped, users_folder(), SHARED]
    return [shipped, SHARED]


def find_files(wanted: Iterable[str], folders: Sequence[Path]) -> dict[str, Path]:
    """The files of those networks that are in one of some folders, by name."""
    return {name: path for name in wanted if (path := _find(folders, name))}


def find_data(name: str, folders: Sequence[Path]) -> Path | None:
    """A file of data that is in one of some folders, or in the folder of data beside it."""
    candidates = [place / name for folder in folders for place in (folder, folder / DATA)]
    return next((path for path in candidates if path.is_file()), None)


def _find(folders: Sequence[Path], name: str) -> Path | None:
    names = [FILES[name], *(f"{name}{suffix}" for suffix in NETWORK_FORMATS)]
    candidates = [folder / f"{found}{packed}" for folder in folders for found in names for packed in ("", PACKED)]
    return next((path for path in candidates if path.is_file()), None)
