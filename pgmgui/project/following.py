"""How the rest of a scene follows when its network is edited: the drawing, the data, the marks, the prior."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from engine.formats import Document
from engine.model import editing
from engine.model.arrays import Floats, frozen
from engine.model.dataset import MISSING
from engine.model.network import BayesianNetwork, Network
from engine.model.noisy_max import NoisyMax, makes_table
from engine.model.source import Source
from engine.sources.places import Place
from pgmgui.project.counted_data import AnyData, CountedData, recode_table
from pgmgui.project.marks import MOST_CHANCES, Absent, Mark, Sensor
from pgmgui.project.scene import Scene
from pgmgui.project.tying import follow_ties
from pgmgui.project.words import count, cut

T = TypeVar("T")


@dataclass(frozen=True)
class Changes:
    """What an edit did to the variables.

    Attributes
    ----------
    positions : where new variables are drawn
    renamed : from old names to new ones
    states : by new name, the variables with other states: per new state the old code, None for a new one
    """

    positions: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    states: Mapping[str, list[int | None]] = field(default_factory=dict)


def follow(scene: Scene, network: Network, changes: Changes) -> tuple[Scene, str]:
    """The scene with an edited network, and what the user should know that was lost on the way."""
    before = {new: old for old, new in changes.renamed.items()}
    origin = {variable.name: before.get(variable.name, variable.name) for variable in network.variables}

    def carry(values: Mapping[str, T]) -> dict[str, T]:
        return {name: values[old] for name, old in origin.items() if old in values}

    old = scene.document
    noisy = _follow_noisy(old, network, origin)
    document = replace(
        old,
        network=network,
        noisy=noisy,
        positions={**carry(old.positions), **changes.positions},
        variable_properties=carry(old.variable_properties),
    )
    marks = _follow_marks(carry(scene.marks), network, changes)
    prior = _follow_prior(carry(scene.prior), old.network, network, origin, changes)
    data, note = scene.data, ""
    if scene.data is not None and network.variables != old.network.variables:
        data = _follow_data(scene.data, network, origin, changes)
        note = _count_losses(scene.data, data, changes)
    for name, mark in carry(scene.marks).items():
        if name not in marks:
            what = "sensor table" if isinstance(mark, Sensor) else "mechanism of missing values"
            note += f" The {what} of {name!r} no longer fits: its mark is gone. Undo brings it back."
    note += tell_plain([name for name in carry(old.noisy) if name not in noisy])
    ties, untied = follow_ties(scene.ties, network, changes.renamed, changes.states)
    note += untied
    lost = [name for name in carry(scene.prior) if name not in prior]
    if lost:
        note += (
            f" The exponents of the cells of {cut(lost)} no longer fit its table: they are gone. Undo brings them back."
        )
    return (
        replace(
            scene,
            document=document,
            data=data,
            place=_follow_place(scene.place, changes),
            # The same object where nothing has changed tells that nothing has.
            marks=scene.marks if marks == dict(scene.marks) else marks,
            prior=prior if scene.prior else scene.prior,
            ties=ties,
        ),
        note.strip(),
    )


def tell_plain(names: Collection[str]) -> str:
    """That the tables of variables are noisy-MAX no longer, in a sentence; nothing without any."""
    if not names:
        return ""
    if len(names) == 1:
        return f" {cut(list(names))} is no longer noisy-MAX: it has a plain table. Undo brings it back."
    return f" {cut(list(names))} are no longer noisy-MAX: they have plain tables. Undo brings them back."


def _follow_noisy(old: Document, network: Network, origin: Mapping[str, str]) -> dict[str, NoisyMax]:
    """The noisy-MAX that still make the tables of their variables; a new parent causes nothing."""
    kept = {}
    for name, before in origin.items():
        noisy = old.noisy.get(before)
        if noisy is None or not isinstance(network, BayesianNetwork):
            continue
        for states in network.tables[network.index[name]].shape[len(noisy.causes) : -1]:
            noisy = noisy.with_parent(states)
        if makes_table(noisy, network, name):
            kept[name] = noisy
    return kept


def _follow_marks(marks: Mapping[str, Mark], network: Network, changes: Changes) -> dict[str, Mark]:
    """Tables of sensors and mechanisms are reordered with the states; if there are others, they no longer fit."""
    kept: dict[str, Mark] = {}
    for name, mark in marks.items():
        states = changes.states.get(name)
        followed: Mark | None = mark
        if isinstance(mark, Sensor) and states is not None:
            order = _find_order(states, len(mark.confusion))
            table = None if order is None else tuple(tuple(mark.confusion[x][v] for v in order) for x in order)
            followed = None if table is None else Sensor(table)
        elif isinstance(mark, Absent):
            followed = _follow_absent(mark, network, changes)
        if followed is not None:
            kept[name] = followed
    return kept


def _follow_absent(mark: Absent, network: Network, changes: Changes) -> Absent | None:
    """A mechanism whose causes and indicator may have other names, or states in another order."""
    causes = tuple(changes.renamed.get(cause, cause) for cause in mark.causes)
    if not set(causes) <= network.index.keys():
        return None
    sizes = [network.variables[network.index[cause]].cardinality for cause in causes]
    if math.prod(sizes) > MOST_CHANCES:
        return None
    chances = mark.chances
    if chances and any(cause in changes.states for cause in causes):
        orders = [
            _find_order(changes.states.get(cause, range(size)), size) for cause, size in zip(causes, sizes, strict=True)
        ]
        if None in orders or math.prod(sizes) != len(chances):
            return None
        chances = tuple(np.array(chances).reshape(sizes)[np.ix_(*orders)].reshape(-1).tolist())
    indicator = changes.renamed.get(mark.indicator, mark.indicator)
    if indicator not in network.index or changes.states.get(indicator, [0, 1]) != [0, 1]:
        indicator = ""  # values go as its chances have it
    return (
        mark
        if (causes, chances, indicator) == (mark.causes, mark.chances, mark.indicator)
        else Absent(causes, chances, indicator)
    )


def _find_order(states: Sequence[int | None], size: int) -> list[int] | None:
    """Per new state the old one; None if they are not the same states."""
    order = [old for old in states if old is not None]
    return order if sorted(order) == list(range(size)) and len(order) == len(states) else None


def _follow_prior(
    prior: Mapping[str, float | Floats], old: Network, new: Network, origin: Mapping[str, str], changes: Changes
) -> dict[str, float | Floats]:
    """Exponents of one number stay; tables of them follow the parents and the states, where these can be told."""
    if not isinstance(old, BayesianNetwork) or not isinstance(new, BayesianNetwork):
        return {name: exponents for name, exponents in prior.items() if np.ndim(exponents) == 0}
    new_name = {name: changes.renamed.get(name, name) for name in old.index}
    followed: dict[str, float | Floats] = {}
    for name, exponents in prior.items():
        if isinstance(exponents, np.ndarray) and exponents.ndim:
            before = [new_name[old.variables[v].name] for v in old.scopes[old.index[origin[name]]]]
            after = {new.variables[v].name: new.variables[v].cardinality for v in new.scopes[new.index[name]]}
            exponents = frozen(editing.follow_table(exponents, before, after, changes.states))
        followed[name] = exponents
    return followed


def _follow_data(data: AnyData, network: Network, origin: Mapping[str, str], changes: Changes) -> AnyData:
    column = {variable.name: i for i, variable in enumerate(data.dataset.variables)}
    columns = [column.get(origin[variable.name]) for variable in network.variables]
    states = {network.index[name]: given for name, given in changes.states.items()}
    if isinstance(data, CountedData):
        return recode_table(data, network.variables, columns, states)
    return replace(data, dataset=editing.recode(data.dataset, network.variables, columns, states))


def _follow_place(place: Place | None, changes: Changes) -> Place | None:
    """Where data is yet to be counted, with the columns of variables that are renamed."""
    if place is None or not changes.renamed:
        return place
    columns = dict(place.columns)
    for old, new in changes.renamed.items():
        columns[new] = columns.pop(old, old)
    return replace(place, columns=tuple((new, old) for new, old in columns.items() if new != old))


def _count_losses(before: AnyData, after: AnyData, changes: Changes) -> str:
    """How many cells have lost their state, in a sentence."""
    places = {variable.name: i for i, variable in enumerate(after.dataset.variables)}
    old_places = {variable.name: i for i, variable in enumerate(before.dataset.variables)}
    note = ""
    for name in changes.states:
        lost = _count_missing(after.dataset, places[name]) - _count_missing(before.dataset, old_places[name])
        if lost:
            are = "is missing now: its" if lost == 1 else "are missing now: their"
            note += f" {count(lost, 'cell')} of {name!r} {are} state is gone. Undo brings it back."
    return note


def _count_missing(data: Source, variable: int) -> int:
    codes, cells = data.count_codes(variable)
    return int(cells[codes == MISSING].sum())
