"""Tied tables of a scene: variables that share one table are tied, kept alike while they are edited, and untied.

A table is shared place by place: the first state of one is the first of the other, whatever their names.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from engine.learning.task import LearningTask
from engine.model.arrays import Floats
from engine.model.network import BayesianNetwork, Network
from engine.model.ties import find_ties
from pgmgui.project.scene import Scene
from pgmgui.project.words import cut

Names = tuple[str, ...]
MOST_NAMED = 8
"""Variables, or components, that a sentence names."""


def find_tied(scene: Scene, name: str) -> Names:
    """The variables that share the table of one, itself among them; none if it is its own."""
    return next((group for group in scene.ties if name in group), ())


def tie(scene: Scene, names: Sequence[str]) -> Scene:
    """The scene with one table for some variables, and for all that share theirs already: that of the first.

    Raises
    ------
    ModelError
        If they cannot share one.
    """
    touched = [group for group in scene.ties if not set(group).isdisjoint(names)]
    group = tuple(dict.fromkeys([name for known in touched for name in known] + list(names)))
    ties = (*(known for known in scene.ties if known not in touched), group)
    find_ties(scene.document.network, ties)
    return replace(scene, ties=ties)


def untie(scene: Scene, names: Collection[str]) -> Scene:
    """The scene where each of some variables has a table of its own again, as it is."""
    return replace(scene, ties=drop_ties(scene.ties, names))


def share_tables(old: Scene, new: Scene) -> tuple[Scene, str]:
    """A scene that was made of another, with one table and one prior for all that are tied; and what to say of it.

    What was changed of one is changed of all. Where nothing was, or all, the first counts.
    """
    if not new.ties:
        return new, ""
    before, network, replaced = old.document.network, new.document.network, []
    misfits = find_misfits(new.ties, network)
    if misfits:
        new = replace(new, ties=drop_ties(new.ties, misfits))
    tables, noisy, prior = list(network.tables), dict(new.document.noisy), dict(new.prior)
    for group in new.ties:
        source = _find_source(group, [not _same(_table(before, n), _table(network, n)) for n in group])
        for name in group:
            if not _same(_table(network, name), _table(network, source)):
                tables[network.index[name]] = network.tables[network.index[source]]
                replaced.append(name)
                noisy.pop(name, None)
                if source in noisy:
                    noisy[name] = noisy[source]
        source = _find_source(group, [not _same(old.prior.get(n), new.prior.get(n)) for n in group])
        for name in group:
            prior.pop(name, None)
            if source in new.prior:
                prior[name] = new.prior[source]
    if replaced:
        new = replace(new, document=replace(new.document, network=network.with_tables(tables), noisy=noisy))
    if any(not _same(prior.get(name), new.prior.get(name)) for name in {*prior, *new.prior}):
        new = replace(new, prior=prior)
    if not replaced or old.ties == new.ties:
        return new, ""
    leads = dict.fromkeys(find_tied(new, name)[0] for name in replaced)
    verb = "has" if len(replaced) == 1 else "have"
    return new, f"{cut(replaced)} {verb} the table of {cut(list(leads))} now. Undo brings the former one back."


def follow_ties(
    ties: tuple[Names, ...],
    network: Network,
    renamed: Mapping[str, str],
    states: Mapping[str, Sequence[int | None]],
) -> tuple[tuple[Names, ...], str]:
    """The ties of a network that was edited, and what was lost of them, in a sentence.

    Those that are gone, whose tables have another shape than most of the others', or whose states, or their parents',
    were changed otherwise, are no longer tied.

    Parameters
    ----------
    states : by new name, the variables with other states: per new state the old code, None for a new one
    """
    ties = tuple(tuple(renamed.get(name, name) for name in group) for group in ties)
    ties = drop_ties(ties, [name for group in ties for name in group if name not in network.index])
    if not isinstance(network, BayesianNetwork):
        note = " A Markov network has no tied tables: nothing is tied any more. Undo brings that back."
        return (), note if ties else ""
    moved = {name: tuple(codes) for name, codes in states.items() if list(codes) != list(range(len(codes)))}
    kept = drop_ties(ties, find_misfits(ties, network, moved))
    still = {name for group in kept for name in group}
    lost = [name for group in ties for name in group if name not in still]
    if not lost:
        return kept, ""
    verb, its = ("is", "its table") if len(lost) == 1 else ("are", "their tables")
    return kept, f" {cut(lost)} {verb} no longer tied: {its} can no longer be shared. Undo brings that back."


def describe_ties(task: LearningTask) -> list[str]:
    """Which variables share a table, and which components stop together for that, in sentences."""
    number, said = task.decomposition.component_of, []
    for group in task.ties:
        parts = [str(k + 1) for k in sorted({number[v] for v in group} - {-1})]
        together = f"; components {cut(parts, MOST_NAMED)} stop together" if len(parts) > 1 else ""
        names = [task.network.variables[v].name for v in group]
        said.append(f"Tied: {cut(names, MOST_NAMED)} share one table{together}.")
    return said


def describe_tie(group: Names, name: str) -> str:
    """With whom a variable shares its table, in a sentence; nothing if with nobody."""
    others = [other for other in group if other != name]
    return f"Tied: {name} shares one table with {cut(others)}. To edit or learn it changes all." if others else ""


def find_misfits(
    ties: tuple[Names, ...], network: Network, moved: Mapping[str, tuple[int | None, ...]] | None = None
) -> list[str]:
    """The tied variables that are gone, or whose tables are of another make than most of the others'.

    Parameters
    ----------
    moved : by name, the variables whose states are other ones, or in another order: per state its code before
    """
    misfits = []
    for group in ties:
        makes: dict[object, list[str]] = {}
        for name in group:
            table = _table(network, name)
            if table is None:
                misfits.append(name)
            else:
                family = [network.variables[v].name for v in network.scopes[network.index[name]]]
                make = table.shape, tuple((moved or {}).get(member) for member in family)
                makes.setdefault(make, []).append(name)
        kept = max(makes.values(), key=len, default=[])
        misfits += [name for alike in makes.values() if alike is not kept for name in alike]
    return misfits


def drop_ties(ties: tuple[Names, ...], names: Collection[str]) -> tuple[Names, ...]:
    """The groups without some variables; one alone is no group."""
    left = (tuple(name for name in group if name not in names) for group in ties)
    return tuple(group for group in left if len(group) > 1)


def _table(network: Network, name: str) -> Floats | None:
    """The table of a variable of a Bayesian network; None where there is none."""
    if not isinstance(network, BayesianNetwork) or name not in network.index:
        return None
    return network.tables[network.index[name]]


def _find_source(group: Names, changed: Sequence[bool]) -> str:
    """The variable that all others of a group follow."""
    return group[0] if all(changed) else next((n for n, c in zip(group, changed, strict=True) if c), group[0])


def _same(one: float | Floats | None, other: float | Floats | None) -> bool:
    if one is None or other is None:
        return one is other
    return one is other or np.array_equal(one, other)
