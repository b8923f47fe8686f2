"""Data that is not in memory, but counted where it lies: as a page has it, keeps it and sees it through marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.formats import DataDocument
from engine.model import editing
from engine.model.dataset import Dataset
from engine.model.errors import ModelError, PgmError, UnknownNameError
from engine.model.variable import Variable
from engine.simulation.missingness import hide
from engine.sources.engine import UncountedError, asking_nothing
from engine.sources.ibis_table import IbisTable
from engine.sources.places import Place
from pgmgui.project.marks import Absent, Given, Hidden, Mark, ReadAs, apply_marks, describe_mark

Rows = Dataset | IbisTable
"""What can be learned from: rows in memory, or a table that is counted."""
WHY = "these rows are not in memory, but counted where they lie"


@dataclass(frozen=True, eq=False)
class CountedData:
    """A table that is counted where it lies, and what its reader had to say.

    Attributes
    ----------
    origin : Place
        Where it was opened, without a password.
    """

    dataset: IbisTable
    origin: Place
    notes: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    @property
    def place(self) -> Place:
        """Where it is found again, whatever its variables are called by now."""
        pairs = zip(self.dataset.variables, self.dataset.columns, strict=True)
        known = dict(self.origin.columns)
        columns = [(variable.name, known.get(name, name)) for variable, name in pairs if name is not None]
        columns += [(name, column) for name, column in self.origin.columns if not column]
        return replace(self.origin, columns=tuple((new, old) for new, old in columns if new != old))


AnyData = DataDocument | CountedData


def need_rows(data: Rows, what: str) -> Dataset:
    """The rows themselves; a PgmError with this beginning where they are not at hand."""
    if isinstance(data, Dataset):
        return data
    raise PgmError(f"{what}: {WHY} ({data.name})")


def known_rows(data: Rows, what: str) -> Dataset:
    """The same, or the distinct rows of a table, if they have been counted already."""
    if isinstance(data, Dataset):
        return data
    try:
        with asking_nothing():
            return data.rows()
    except UncountedError:
        return need_rows(data, what)


def see(data: Rows, marks: Mapping[str, Mark]) -> Rows:
    """The data as the marks let it be seen."""
    return apply_marks(data, marks) if isinstance(data, Dataset) else _mark_table(data, marks)


def _mark_table(table: IbisTable, marks: Mapping[str, Mark]) -> IbisTable:
    """A table as the marks let it be seen: of columns that are hidden, nothing is asked."""
    index = {variable.name: v for v, variable in enumerate(table.variables)}
    for name, mark in marks.items():
        if name not in index:
            raise UnknownNameError(f"a mark on {name!r}, of which the data has no column")
        if not (isinstance(mark, Hidden | Given) or (isinstance(mark, Absent) and not mark.chances)):
            drawn = "needs whole rows" if isinstance(mark, ReadAs) else "is drawn row by row"
            raise ModelError(
                f"{name!r} cannot be marked ({describe_mark(mark)}): that {drawn}, and {WHY}; hide it, or leave it as "
                "in the data"
            )
    hidden = [name for name, mark in marks.items() if isinstance(mark, Hidden)]
    if not hidden:
        return table
    gone = {index[name] for name in hidden}
    columns = [None if v in gone else column for v, column in enumerate(table.columns)]
    return table.reread(hide(table.meanings, hidden), columns)


def recode_table(
    data: CountedData,
    variables: Sequence[Variable],
    columns: Sequence[int | None],
    states: Mapping[int, Sequence[int | None]],
) -> CountedData:
    """The data over other variables: see :func:`engine.model.editing.recode`.

    The names of states are what cells of the table hold: they stay, and so does each that some cell has.
    """
    table = data.dataset
    for new, origin in states.items():
        old = columns[new]
        if old is None:
            continue
        before, after = table.variables[old].states, variables[new].states
        kept = {code: after[k] for k, code in enumerate(origin) if code is not None}
        wrong = [name for code, name in enumerate(before) if kept.get(code) != name]
        if wrong and table.columns[old] is not None:
            raise ModelError(
                f"the state {wrong[0]!r} of {variables[new].name!r} stays: it is what cells of the data hold, which is "
                f"counted where it lies ({table.name}); remove the data first, or change the table itself"
            )
    meanings = editing.recode(table.meanings, variables, columns, states)
    names = [None if column is None else table.columns[column] for column in columns]
    return replace(data, dataset=table.reread(meanings, names))
