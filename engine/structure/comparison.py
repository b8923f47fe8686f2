"""A structure beside another: what is right, turned, missing and too much."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable, list_names
from engine.structure.constraints import Arrow
from engine.structure.equivalence import Pattern, find_pattern
from engine.structure.families import Parents


@dataclass(frozen=True)
class Comparison:
    """A structure beside a true one.

    Attributes
    ----------
    right, turned, missing, extra : tuple of (parent, child)
        Arrows of both; those of the first that point the other way in the true one; those of the true one alone; those
        of the first alone.
    distance : int
        The structural Hamming distance (SHD): how many pairs are turned, missing or extra.
    class_distance : int
        The same between the classes of I-equivalent structures, where an edge is also wrong if it is compelled in one
        and reversible in the other. What data can tell apart is only this.
    """

    right: tuple[Arrow, ...]
    turned: tuple[Arrow, ...]
    missing: tuple[Arrow, ...]
    extra: tuple[Arrow, ...]
    distance: int
    class_distance: int


def compare(parents: Parents, true: Parents) -> Comparison:
    """A structure beside a true one over the same variables."""
    ours, theirs = _list_arrows(parents), _list_arrows(true)
    turned = {(p, c) for p, c in ours if (c, p) in theirs}
    missing = {(p, c) for p, c in theirs if (p, c) not in ours and (c, p) not in ours}
    extra = ours - theirs - turned
    return Comparison(
        tuple(sorted(ours & theirs)),
        tuple(sorted(turned)),
        tuple(sorted(missing)),
        tuple(sorted(extra)),
        len(turned) + len(missing) + len(extra),
        _count_differences(find_pattern(parents), find_pattern(true)),
    )


def align_structure(network: BayesianNetwork, variables: Iterable[Variable]) -> Parents:
    """The structure of a network, by the names of variables in another order.

    Raises
    ------
    ModelError
        If they do not have the same names.
    """
    names = [variable.name for variable in variables]
    index = {name: k for k, name in enumerate(names)}
    strange = [v.name for v in network.variables if v.name not in index]
    absent = [name for name in names if name not in network.index]
    if strange or absent:
        what = f"it has {list_names(strange)} besides" if strange else f"it lacks {list_names(absent)}"
        raise ModelError(f"the true network has other variables than the data: {what}")
    return tuple(
        tuple(sorted(index[network.variables[p].name] for p in network.parents[network.index[name]])) for name in names
    )


def _list_arrows(parents: Parents) -> set[Arrow]:
    return {(p, child) for child, family in enumerate(parents) for p in family}


def _count_differences(ours: Pattern, theirs: Pattern) -> int:
    """How many pairs have another edge in one pattern than in the other."""
    marks = [_mark(ours), _mark(theirs)]
    return sum(marks[0].get(pair) != marks[1].get(pair) for pair in {*marks[0], *marks[1]})


def _mark(pattern: Pattern) -> dict[Arrow, int]:
    """Per pair, the smaller first: where its arrow points to, −1 if either way."""
    found = {(min(arrow), max(arrow)): arrow[1] for arrow in pattern.compelled}
    return found | dict.fromkeys(pattern.reversible, -1)
