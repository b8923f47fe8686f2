"""Data that is counted where it lies and does not fit: what is chosen becomes part of where it lies."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.formats.tables.columns import match_columns
from engine.formats.tables.table import Table
from engine.model.network import Network
from engine.sources.places import Place
from pgmgui.project.counting import count_into, recount
from pgmgui.project.data_matching import Item, Matching, Special, begin_matching
from pgmgui.project.scene import Scene


@dataclass(frozen=True, eq=False)
class CountedMatching(Matching):
    """A table at a place beside a network: its texts with how many rows have each, but not the rows.

    Attributes
    ----------
    place : Place
        Where it was found, with what was chosen before.
    """

    place: Place

    def again(self, network: Network) -> CountedMatching:
        """The same table beside another network, with what is most likely chosen."""
        return begin_counted(self.table, network, self.place)

    def count_into(self, scene: Scene, password: str = "") -> Scene:
        """A scene with the data counted as chosen, and with the variables and states that are new."""
        extended = self.extend(scene)
        place = self.settle(extended.document.network)
        if scene.data is None and scene.place == self.place:
            return recount(replace(extended, place=place), password)
        return count_into(extended, place, password)

    def settle(self, network: Network) -> Place:
        """The place with what is chosen, over the network with the variables and states that are new."""
        names = [self.name_at_place(j) for j in range(len(self.table.columns))]
        taken = self.columns(network)
        columns = {name: "" for name, column in self.place.columns if not column}
        columns |= {network.variables[i].name: names[j] for i, j in taken.items()}
        # Columns that are left out, though they are called like a variable.
        for j in match_columns(self.table, network.variables).values():
            if j not in taken.values():
                columns.setdefault(self.table.columns[j].name, "")
        values = [(names[j], text, state) for j, texts in self.values.items() for text, state in texts.items()]
        return replace(
            self.place,
            columns=tuple((new, old) for new, old in columns.items() if new != old),
            values=tuple(values),
        )

    def name_at_place(self, column: int) -> str:
        """What a column is called where it lies."""
        name = self.table.columns[column].name
        return dict(self.place.columns).get(name, name)


def begin_counted(table: Table, network: Network, place: Place) -> CountedMatching:
    """A table at a place beside a network, with what was chosen before, or else what is most likely."""
    found = begin_matching(table, network)
    matching = CountedMatching(table, network, found.fitting, found.choices, place)
    columns = {matching.name_at_place(j): j for j in range(len(table.columns))}
    for column, text, state in place.values:
        item = Item(columns.get(column, -1), text)
        if item in matching.choices:
            matching = matching.choose(item, Special.NOTHING if state is None else state)
    return matching
