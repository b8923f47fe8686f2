"""What is known of a structure's arrows: what each is worth, whether it could point the other way, which are right."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.model.dataset import Dataset
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork, Network
from engine.model.variable import Variable
from engine.structure.comparison import Comparison, align_structure, compare
from engine.structure.completion import complete_rows
from engine.structure.constraints import Arrow
from engine.structure.counts import Counts, count_rows
from engine.structure.equivalence import Pattern, find_pattern
from engine.structure.families import Families, Parents
from pgmgui.project.structure_problem import is_complete

COLOURINGS = ("", "worth", "class", "confidence", "comparison")
"""What the arrows on the canvas can be coloured by; the first is nothing."""
NO_DATA = "Without data, nothing is known of what arrows are worth: open some in Data, or simulate it."
NO_TRUTH = "There is no true network to compare with: simulate data, or choose the file of one."
NO_ARROWS = (
    "A Markov network has no arrows to be known anything of. Add arrows, in Open, makes a Bayesian network of it, "
    "where that can be done."
)


@dataclass(frozen=True, eq=False)
class Facts:
    """What is known of a structure's arrows.

    Attributes
    ----------
    names : tuple of str
    parents : structure
    score : str
        By which arrows are worth something.
    total : float, optional
        The score of the whole; None where it is not known.
    worths : mapping from (parent, child) to float
        How much lower the score is without the arrow; empty where that is not known.
    trouble : str
        Why it is not.
    expected : str
        Of incomplete data, whose parameters its missing cells are expected by, in words; else empty.
    pattern : Pattern
        The class of I-equivalent structures, of those that meet the constraints.
    fixed : frozenset of (parent, child)
        Arrows that constraints hold as they are.
    comparison : Comparison, optional
        The structure beside the true one.
    untold : str
        Why there is none.
    """

    names: tuple[str, ...]
    parents: Parents
    score: str
    total: float | None
    worths: Mapping[Arrow, float]
    trouble: str
    expected: str
    pattern: Pattern
    fixed: frozenset[Arrow]
    comparison: Comparison | None
    untold: str

    @property
    def arrows(self) -> list[Arrow]:
        """All arrows, by child and parent."""
        return [(p, child) for child, family in enumerate(self.parents) for p in family]

    def is_reversible(self, arrow: Arrow) -> bool:
        """Whether an I-equivalent structure has the arrow the other way round."""
        return (min(arrow), max(arrow)) in self.pattern.reversible

    @cached_property
    def judged(self) -> Mapping[Arrow, str]:
        """What the true network says of each arrow: "right", "turned" or "extra"; of its own alone, "missing"."""
        found = self.comparison
        if found is None:
            return {}
        kinds = {"right": found.right, "turned": found.turned, "extra": found.extra, "missing": found.missing}
        return {arrow: kind for kind, arrows in kinds.items() for arrow in arrows}


def find_parents(network: Network) -> Parents | None:
    """The structure of a Bayesian network; None of a Markov network."""
    if not isinstance(network, BayesianNetwork):
        return None
    return tuple(tuple(sorted(family)) for family in network.parents)


def count_cells(dataset: Dataset, network: Network | None) -> Counts:
    """The rows of a dataset, ready to be counted; where cells are missing, as a Bayesian network expects them."""
    if is_complete(dataset) or not isinstance(network, BayesianNetwork):
        return count_rows(dataset)
    return complete_rows(dataset).expect(network)[0]


def compare_with(
    parents: Parents, variables: Sequence[Variable], truth: Network | None
) -> tuple[Comparison | None, str]:
    """A structure beside that of the true network, or why they cannot be compared."""
    if truth is None:
        return None, NO_TRUTH
    if not isinstance(truth, BayesianNetwork):
        return None, "The true network has no arrows to compare with: it is a Markov network."
    try:
        return compare(parents, align_structure(truth, variables)), ""
    except PgmError as error:
        return None, f"The arrows cannot be compared: {error}."


def find_facts(
    variables: Sequence[Variable],
    parents: Parents,
    score: str,
    families: Families | None,
    truth: Network | None,
    trouble: str = "",
    expected: str = "",
    fixed: Collection[Arrow] = (),
) -> Facts:
    """What is known of a structure's arrows.

    Parameters
    ----------
    families : Families, optional
        The scores of families; None where there are none, and ``trouble`` says why.
    fixed : collection of (parent, child)
        Arrows of the structure that constraints hold as they are.
    """
    worths, total = {}, None
    if families is not None:
        try:
            worths = {arrow: float(worth) for arrow, worth in families.find_worths(parents).items()}
            total = families.total(parents)
        except PgmError as error:
            trouble = f"What arrows are worth is not known: {error}."
    comparison, untold = compare_with(parents, variables, truth)
    names = tuple(variable.name for variable in variables)
    pattern = find_pattern(parents, fixed)
    return Facts(names, parents, score, total, worths, trouble, expected, pattern, frozenset(fixed), comparison, untold)
