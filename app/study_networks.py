"""The networks of studies, looked for in a folder."""

from __future__ import annotations

from pathlib import Path

from engine.formats import NETWORK_FORMATS, PACKED, read_network
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork, Network
from engine.studies.study import AnyStudy

FOLDER = Path("..") / "shared" / "data" / "networks"
FILES = {
    "alarm": "bif/alarm.bif",
    "andes": "bif/andes.bif",
    "asia": "bif/asia.bif",
    "diagnose": "uai/converted_diagnose_a.uai",
    "pigs": "bif/pigs.bif",
    "spect": "uai/ucla_spect.uai",
    "water": "bif/water.bif",
    "win95pts": "bif/win95pts.bif",
}
"""Where the networks of the papers are in the folder of networks, unless they are in it by their name."""
SMALLEST = 2
"""How many networks a quick look takes."""


def read_networks(folder: Path | None, study: AnyStudy, quick: bool) -> tuple[dict[str, Network], list[str]]:
    """The networks that are in the folder, and notes on them; an error if none of them is there."""
    folder, wanted = folder or FOLDER, study.networks
    found = {name: path for name in wanted if (path := _find(folder, name))}
    absent = [name for name in wanted if name not in found]
    if wanted and not found:
        raise PgmError(
            f"{folder}: found none of the networks {', '.join(absent)}; give a folder that has them with --networks"
        )
    notes = [f"not found in {folder}, and left out: {', '.join(absent)}"] if absent else []
    if quick and wanted:
        found = dict(sorted(found.items(), key=lambda item: item[1].stat().st_size)[:SMALLEST])
        notes.append(f"quick: only the smallest networks, {' and '.join(found)}")
    networks = {}
    for name, path in found.items():
        document = read_network(path)
        if not study.takes_markov and not isinstance(document.network, BayesianNetwork):
            raise PgmError(f"{path}: a Markov network; this study needs Bayesian networks")
        networks[name] = document.network
        notes += [f"{name}: {note}" for note in document.notes]
    return networks, notes


def _find(folder: Path, name: str) -> Path | None:
    names = [FILES[name], *(f"{name}{suffix}" for suffix in NETWORK_FORMATS)]
    candidates = [folder / f"{found}{packed}" for found in names for packed in ("", PACKED)]
    return next((path for path in candidates if path.is_file()), None)
