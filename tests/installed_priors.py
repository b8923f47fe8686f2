"""A package with priors of its own, put where installed packages are looked for."""

from __future__ import annotations

from pathlib import Path

MODULE = '''
import numpy as np


def near(theta, width):
    """Near (2/3, 1/3, ...): it tells states apart, and has two peaks where it is written in log θ."""
    aim = np.arange(theta.shape[1], 0, -1) / np.arange(1, theta.shape[1] + 1).sum()
    return -((theta - aim) ** 2).sum(axis=1) / width


def tall(theta, width):
    return theta.max(axis=1)


def odd(theta, width):
    return np.zeros((2, 2))


def broken(theta, width):
    raise ValueError("no such thing")


number = 3
'''
NAMES = ("near", "tall", "odd", "broken", "number")


def install_priors(folder: Path) -> Path:
    """Write the package into a folder, which is to be put on the path."""
    (folder / "their_priors.py").write_text(MODULE, encoding="utf-8")
    about = folder / "their_priors-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: their-priors\nVersion: 1.0\n", encoding="utf-8")
    lines = [f"{name} = their_priors:{name}" for name in NAMES]
    lines += ["absent = their_priors:absent", "logistic-normal = their_priors:near", "<b> = their_priors:near"]
    (about / "entry_points.txt").write_text("\n".join(["[pgmgui.priors]", *lines, ""]), encoding="utf-8")
    return folder
