"""Sessions that are quick to make and to keep, each with data of its own."""

from __future__ import annotations

import numpy as np

from engine.formats import DataDocument, Document
from engine.model.dataset import Dataset
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from pgmgui.project.scene import Scene
from pgmgui.project.session_file import Saved


def small(number: int) -> Saved:
    """A session whose data no other number has."""
    network = BayesianNetwork((Variable("A", ("no", "yes")),), ((),), (np.array([0.5, 0.5]),))
    codes = np.array([[int(bit) for bit in f"{number:010b}"]], dtype=np.int32)
    data = DataDocument(Dataset(network.variables, codes, np.ones(codes.shape[1])))
    return Saved(Scene(f"Number {number}", "", Document(network, positions={"A": (0.0, 0.0)}), data))
