"""Data files as the page reads them: a table first, and then data that fits the network, or a network of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engine.formats import DATA_FORMATS, NETWORK_FORMATS, Document, parse_table, read_table, split_name
from engine.formats.files import naming
from engine.formats.tables.columns import build_dataset, match_columns
from engine.formats.tables.table import Table
from engine.model.errors import FormatError
from engine.model.network import BayesianNetwork, Network
from engine.model.variable import Variable
from pgmgui.project.counted_data import AnyData
from pgmgui.project.data_matching import Matching, begin_matching
from pgmgui.project.layout import arrange
from pgmgui.project.network_files import UserFile, find_path
from pgmgui.project.scene import Scene


@dataclass(frozen=True, eq=False)
class DataFile(UserFile):
    """A file of data of the user's."""

    def read(self, variables: Sequence[Variable]) -> Table:
        """The file's table. What is wrong is told with the user's name of the file.

        Variables tell whether the first line is a header. If it has none of their names, it is looked at again
        without them: the columns are then matched by hand, and a row of values would make bad names.
        """
        table = self._read(variables or None)
        if variables and not match_columns(table, variables):
            try:
                return self._read(None)
            except FormatError:
                return table
        return table

    def _read(self, variables: Sequence[Variable] | None) -> Table:
        if self.content is None:
            return read_table(find_path(self.name), variables)
        return parse_table(self.content, self.name, variables)


def read_data(file: DataFile, network: Network | None) -> tuple[Table, Matching | None]:
    """The table of a file, and how it fits a network, if there is one."""
    table = file.read(() if network is None else network.variables)
    return table, None if network is None else begin_matching(table, network)


def is_table(name: str | Path) -> bool:
    """Whether a file of that name holds data, and no network."""
    suffix = split_name(name)[1]
    return suffix in DATA_FORMATS and suffix not in NETWORK_FORMATS


def read_scene(file: DataFile) -> Scene:
    """A new network with a variable for each column of a file of data."""
    return build_scene(file.read(()), file.name)


def build_scene(table: Table, name: str) -> Scene:
    """A new network with a variable for each column, uniform and without arrows, and the data."""
    with naming(name):
        data = build_dataset(table, None)
    return make_scene(replace(data, notes=(f"read from {Path(name).name}", *data.notes)), split_name(name)[0], name)


def make_scene(data: AnyData, title: str, name: str) -> Scene:
    """A new network over the variables of data that is called so, uniform and without arrows, and the data."""
    variables = data.dataset.variables
    tables = tuple(np.full(variable.cardinality, 1 / variable.cardinality) for variable in variables)
    network = BayesianNetwork(variables, ((),) * len(variables), tables)
    note = f"Variables of the columns of {Path(name).name}; learn their arrows (Structure), or draw them"
    return Scene(title or "Untitled", note, arrange(Document(network)), data)
