"""Columns that are no variable and values that are no state: what each is to mean, as the user chooses."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from engine.formats.tables.cells import MISSING_CODES, split_vector
from engine.formats.tables.columns import build_dataset, make_variable, match_columns
from engine.formats.tables.matching import list_strangers, list_unknown, suggest_states, suggest_variables
from engine.formats.tables.table import Table
from engine.model import editing
from engine.model.errors import FormatError, ModelError
from engine.model.network import Network
from engine.model.variable import Variable
from pgmgui.project.following import Changes, follow
from pgmgui.project.layers import GAP, LAYER_HEIGHT
from pgmgui.project.layout import label_width
from pgmgui.project.scene import Scene, with_data

ROW_WIDTH = 1200.0
"""How far new variables go to the right before the next line of them."""


class Special(enum.Enum):
    """What a column or a value can mean besides a variable or a state."""

    NOTHING = "nothing"
    """The column is left out, the value is missing."""
    NEW = "new"
    """The column becomes a variable, the value a state of its variable."""


Meaning = str | Special
"""The name of a variable or of a state; or neither."""


@dataclass(frozen=True)
class Item:
    """A column that is in question; or, with a text, a value of it."""

    column: int
    text: str | None = None


@dataclass(frozen=True, eq=False)
class Matching:
    """A table beside a network, and what is chosen where they do not fit.

    Attributes
    ----------
    fitting : mapping from variable index to column index
        The columns that are variables by their name, and have none but their states.
    choices : mapping from Item to Meaning
        For every other column; and for each value of a column that is taken for a variable, but no state of it.
    """

    table: Table
    network: Network
    fitting: Mapping[int, int]
    choices: Mapping[Item, Meaning]

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """What is in question: each column with its values below it."""
        order = {item: k for k, item in enumerate(self.choices)}
        return tuple(sorted(self.choices, key=lambda item: (item.column, item.text is not None, order[item])))

    @cached_property
    def taken(self) -> dict[int, int]:
        """The column of each variable that has one."""
        chosen = {
            self.network.index[choice]: item.column
            for item, choice in self.choices.items()
            if item.text is None and isinstance(choice, str)
        }
        return {**self.fitting, **chosen}

    def variable_of(self, column: int) -> Variable | None:
        """The variable that a column in question is taken for."""
        choice = self.choices[Item(column)]
        return self.network.variables[self.network.index[choice]] if isinstance(choice, str) else None

    def options(self, item: Item) -> list[Meaning]:
        """What an item can mean."""
        if item.text is not None:
            variable = self.variable_of(item.column)
            states = list(variable.states) if variable else []
            return [*states, Special.NOTHING, *([] if _is_vector(item.text) else [Special.NEW])]
        free = [variable.name for i, variable in enumerate(self.network.variables) if i not in self.fitting]
        column = self.table.columns[item.column]
        new = column.name not in self.network.index and self.new_variable(item.column) is not None
        return [*free, Special.NOTHING, *([Special.NEW] if new else [])]

    def new_variable(self, column: int) -> Variable | None:
        """The variable that a column would become, if it can become one."""
        try:
            return make_variable(self.table, self.table.columns[column], frozenset(MISSING_CODES))[0]
        except FormatError:  # likelihoods or targets, whose states cannot be known
            return None

    def count_rows(self, item: Item) -> int:
        """How many rows have this value; of a column, all."""
        if item.text is None:
            return self.table.rows
        column = self.table.columns[item.column]
        k = column.texts.index(item.text)
        return int(np.count_nonzero(column.codes == k) if column.rows is None else column.rows[k])

    def choose(self, item: Item, choice: Meaning) -> Self:
        """The same with another choice. A column's values are then looked at anew, and a variable has one column."""
        if choice not in self.options(item):
            return self
        if item.text is not None:
            return replace(self, choices={**self.choices, item: choice})
        robbed = self.taken.get(self.network.index[choice]) if isinstance(choice, str) else None
        choices = {known: kept for known, kept in self.choices.items() if known.column not in (item.column, robbed)}
        if robbed is not None:
            choices |= _question(self.table, self.network, robbed, Special.NOTHING)
        return replace(self, choices={**choices, **_question(self.table, self.network, item.column, choice)})

    def choose_alike(self, item: Item, choice: Special) -> Self:
        """The same choice for all values of the column; or for all columns, where it can be made."""
        if item.text is not None:
            alike = {
                other: choice
                for other in self.choices
                if other.column == item.column and other.text is not None and not _is_vector(other.text)
            }
            return replace(self, choices={**self.choices, **alike})
        matching = self
        for other in self.items:
            if other.text is None:
                matching = matching.choose(other, choice)
        return matching

    def follow(self, network: Network) -> Self:
        """The same beside a network that may have other tables or arrows, but not other variables."""
        if network.variables != self.network.variables:
            raise ModelError("the variables of the network have changed meanwhile; match the data again")
        return replace(self, network=network)

    def apply(self, scene: Scene, note: str) -> Scene:
        """The scene with the data as chosen, and with the variables and states that are new.

        The note goes before what there is to say about the data.
        """
        extended = self.extend(scene)
        network = extended.document.network
        data = build_dataset(self.table, network.variables, (), self.columns(network), self.values)
        return with_data(extended, replace(data, notes=(note, *data.notes)))

    def again(self, network: Network) -> Matching:
        """The same table beside another network, with what is most likely chosen."""
        return begin_matching(self.table, network)

    def extend(self, scene: Scene) -> Scene:
        """The scene with the variables and states that are new; without its data, if there are some."""
        network = self.network
        states: dict[str, list[int | None]] = {}
        for name, texts in self._new_states().items():
            old = network.variables[network.index[name]].states
            network = editing.set_states(network, name, [*enumerate(old), *((None, text) for text in texts)])
            states[name] = [*range(len(old)), *([None] * len(texts))]
        added = [self.new_variable(item.column) for item in self._new_columns()]
        for variable in added:
            assert variable is not None
            network = editing.add_variable(network, variable)
        places = place_below(scene.document.positions, [variable.name for variable in added if variable])
        if network is self.network:
            return scene
        return follow(replace(scene, data=None), network, Changes(positions=places, states=states))[0]

    def columns(self, network: Network) -> dict[int, int]:
        """The column of each variable of the network with new ones that has one."""
        columns = dict(self.taken)
        for item in self._new_columns():
            columns[network.index[self.table.columns[item.column].name]] = item.column
        return columns

    @property
    def values(self) -> dict[int, dict[str, str | None]]:
        """By column, what its texts mean that are no states; new states mean themselves."""
        values: dict[int, dict[str, str | None]] = {}
        for item, choice in self.choices.items():
            if item.text is not None and choice is not Special.NEW:
                values.setdefault(item.column, {})[item.text] = choice if isinstance(choice, str) else None
        return values

    def _new_columns(self) -> Iterator[Item]:
        return (item for item in self.items if item.text is None and self.choices[item] is Special.NEW)

    def _new_states(self) -> dict[str, list[str]]:
        """By variable, the states that are new, each once."""
        found: dict[str, dict[str, None]] = {}
        for item in self.items:
            variable = self.variable_of(item.column)
            if item.text is not None and variable is not None and self.choices[item] is Special.NEW:
                found.setdefault(variable.name, {})[item.text.strip()] = None
        return {name: list(texts) for name, texts in found.items()}


def begin_matching(table: Table, network: Network) -> Matching:
    """A table beside a network, with what is most likely chosen."""
    variables = network.variables
    fitting = match_columns(table, variables)
    choices: dict[Item, Meaning] = {}
    for i, j in list(fitting.items()):
        if list_unknown(table, j, variables[i]):
            del fitting[i]
            choices |= _question(table, network, j, variables[i].name)
    strangers = list_strangers(table, variables)
    taken = set(match_columns(table, variables))
    free = [variable for i, variable in enumerate(variables) if i not in taken]
    found = suggest_variables(table, strangers, free)
    for j in strangers:
        choices |= _question(table, network, j, free[found[j]].name if j in found else Special.NOTHING)
    return Matching(table, network, fitting, choices)


def _question(table: Table, network: Network, column: int, choice: Meaning) -> dict[Item, Meaning]:
    """What is in question of a column with this choice: the column, and the values that are no states."""
    questions: dict[Item, Meaning] = {Item(column): choice}
    if isinstance(choice, str):
        variable = network.variables[network.index[choice]]
        unknown = list_unknown(table, column, variable)
        likely = suggest_states(unknown, variable)
        questions |= {Item(column, text): likely.get(text, Special.NOTHING) for text in unknown}
    return questions


def _is_vector(text: str) -> bool:
    return split_vector(text.strip()) is not None


def place_below(positions: Mapping[str, tuple[float, float]], names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Positions for new variables: in lines below the drawing, so that it stays as it is."""
    left = min((x for x, _ in positions.values()), default=0.0)
    y = max((y for _, y in positions.values()), default=-LAYER_HEIGHT) + LAYER_HEIGHT
    places, x = {}, left
    for name in names:
        if x > left + ROW_WIDTH:
            x, y = left, y + LAYER_HEIGHT
        places[name] = (x, y)
        x += label_width(name) + GAP
    return places
