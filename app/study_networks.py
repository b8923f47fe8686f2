"""The networks of studies, looked for in a folder."""

from __future__ import annotations

from pathlib import Path

from engine.formats import NETWORK_FORMATS, PACKED, read_network
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork, Network
from engine.studies.study import AnyStudy, Settings

FOLDER = Path("..") / "shared" / "data" / "networks"
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
SMALLEST = 2
"""How many networks a quick look takes."""


def gather_networks(
    folder: Path | None, study: AnyStudy, settings: Settings, quick: bool
) -> tuple[dict[str, Network], list[str]]:
    """The networks of a study: those it draws, and those that are in the folder; and notes on them."""
    found, notes = _find_files(folder or FOLDER, study, quick)
    chosen = [name for name in study.drawn if not quick or name in study.quick_networks]
    networks = {name: study.drawn[name](random_state=settings.random_state) for name in chosen}
    for name, path in found.items():
        document = read_network(path)
        if not study.takes_markov and not isinstance(document.network, BayesianNetwork):
            raise PgmError(f"{path}: a Markov network; this study needs Bayesian networks")
        networks[name] = document.network
        notes += [f"{name}: {note}" for note in document.notes]
    if quick:
        notes.append(f"quick: only {' and '.join(networks)}")
    return networks, notes


def _find_files(folder: Path, study: AnyStudy, quick: bool) -> tuple[dict[str, Path], list[str]]:
    """Where the networks are that are read; an error if there is none, and none is drawn."""
    wanted = study.networks
    found = {name: path for name in wanted if (path := _find(folder, name))}
    absent = [name for name in wanted if name not in found]
    if wanted and not found and not study.drawn:
        raise PgmError(
            f"{folder}: found none of the networks {', '.join(absent)}; give a folder that has them with --networks"
        )
    notes = [f"not found in {folder}, and left out: {', '.join(absent)}"] if absent else []
    if quick and study.quick_networks:
        found = {name: path for name, path in found.items() if name in study.quick_networks}
    elif quick:
        found = dict(sorted(found.items(), key=lambda item: item[1].stat().st_size)[:SMALLEST])
    return found, notes


def _find(folder: Path, name: str) -> Path | None:
    names = [FILES[name], *(f"{name}{suffix}" for suffix in NETWORK_FORMATS)]
    candidates = [folder / f"{found}{packed}" for found in names for packed in ("", PACKED)]
    return next((path for path in candidates if path.is_file()), None)
