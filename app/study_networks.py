"""The networks of studies: those that are drawn, and those that are read from files; and data that is read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.formats import read_network
from engine.model.dataset import Dataset
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork, Network
from engine.studies.study import AnyStudy, Settings
from pgmgui.project.study_files import find_data, find_files

SMALLEST = 2
"""How many networks a quick look takes."""


def gather_networks(
    folders: Sequence[Path], study: AnyStudy, settings: Settings, quick: bool
) -> tuple[dict[str, Network], list[str]]:
    """The networks of a study: those it draws, and those that are in one of some folders; and notes on them."""
    found, notes = _find_files(folders, study, quick)
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


def gather_datasets(folders: Sequence[Path], study: AnyStudy) -> tuple[dict[str, Dataset], list[str]]:
    """The data that a study does not simulate, by name, and notes on what is not there."""
    wanted = study.measured
    if wanted is None:
        return {}, []
    path = find_data(wanted.file, folders)
    if path is None:
        told = f"{', '.join(wanted.names)}: {wanted.file} is not there"
        return {}, [f"not found in {tell_folders(folders)}, and left out: {told}"]
    found = wanted.read(path)
    absent = [name for name in wanted.names if name not in found]
    notes = [f"not found in {path}, and left out: {', '.join(absent)}"] if absent else []
    return {name: found[name] for name in wanted.names if name in found}, notes


def _find_files(folders: Sequence[Path], study: AnyStudy, quick: bool) -> tuple[dict[str, Path], list[str]]:
    """Where the networks are that are read; an error if there is none, and none is drawn."""
    wanted = study.networks
    found = find_files(wanted, folders)
    absent = [name for name in wanted if name not in found]
    if wanted and not found and not study.drawn:
        raise PgmError(
            f"found none of the networks {', '.join(absent)} in {tell_folders(folders)}; "
            "give a folder that has them with --networks"
        )
    notes = [f"not found in {tell_folders(folders)}, and left out: {', '.join(absent)}"] if absent else []
    if quick and study.quick_networks:
        found = {name: path for name, path in found.items() if name in study.quick_networks}
    elif quick:
        found = dict(sorted(found.items(), key=lambda item: item[1].stat().st_size)[:SMALLEST])
    return found, notes


def tell_folders(folders: Sequence[Path]) -> str:
    """Where networks were looked for, in words: whole paths, for a path may be from where the command runs."""
    return " or ".join(str(folder.resolve()) for folder in folders)
