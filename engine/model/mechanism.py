"""Mechanisms of missing data that are said, not drawn: whose absence is caused by whose values, and how probably.

A mechanism is Pr(O_X = absent | causes) [uncertain §3]. With X among its causes values are missing not at random
(NMAR), without any completely at random (MCAR), with others that every row tells at random (MAR).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.model.arrays import Floats, frozen
from engine.model.dataset import MISSING, Dataset, code_dtype
from engine.model.editing import MOST_CELLS, add_variable
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork, MarkovNetwork, Network, find_variable, table_shape
from engine.model.variable import Variable

PRESENT, ABSENT = 0, 1
INDICATOR_STATES = ("present", "absent")
"""Of the variable O_X that tells in every row whether the value of X is there."""


@dataclass(frozen=True, eq=False)
class Mechanism:
    """How values of a variable go missing.

    Attributes
    ----------
    target : str
        The variable whose values go missing.
    causes : tuple of str
        The variables whose states decide how probably; perhaps the target itself.
    chances : array of the shape of the causes' states
        Pr(absent | causes).
    """

    target: str
    causes: tuple[str, ...]
    chances: Floats

    def __post_init__(self) -> None:
        twice = [name for name in self.causes if self.causes.count(name) > 1]
        if twice:
            raise ModelError(f"{twice[0]!r} is named twice among the causes of the absence of {self.target!r}")
        wrong = [value for value in np.ravel(self.chances).tolist() if not 0 <= value <= 1]
        if wrong:
            raise ModelError(
                f"{self.target!r} is missing with a probability of {wrong[0]:g}; expected a number from 0 to 1"
            )
        frozen(self.chances)

    def check(self, variables: Sequence[Variable]) -> None:
        """Refuse chances that are not one for each combination of the causes' states."""
        sizes = {variable.name: variable.cardinality for variable in variables}
        shape = tuple(sizes[name] for name in self.causes)
        if self.chances.shape != shape:
            raise ModelError(
                f"the absence of {self.target!r} has {self.chances.size:,} probabilities of shape "
                f"{self.chances.shape}; expected one for each of the states of its causes, {shape}"
            )


def classify(target: str, causes: Sequence[str], observed: Sequence[str]) -> str:
    """Whether values are missing completely at random ("mcar"), at random ("mar") or not at random ("nmar").

    A cause that some rows do not tell makes it not at random: what is absent then depends on what is not seen.
    """
    if not causes:
        return "mcar"
    return "mar" if target not in causes and set(causes) <= set(observed) else "nmar"


# --- the indicator


def name_indicator(network: Network, target: str) -> str:
    """A name for the indicator of a variable that no other has."""
    name, number = f"O_{target}", 2
    while name in network.index:
        name, number = f"O_{target} {number}", number + 1
    return name


def expand(
    network: Network, target: str, causes: Sequence[str], chances: Floats | None = None, name: str = ""
) -> Network:
    """The network with an indicator O_X, the last of its variables, whose parents are the causes [uncertain §3].

    Its joint distribution is Pr(x)·Pr(o | causes): that of the other variables stays. In a Markov network the table is
    a factor over the causes and O_X, which sums to 1 over the latter and therefore changes nothing else.

    Parameters
    ----------
    chances : array, optional
        Pr(absent | causes); ½ if not given, to be learned.
    """
    find_variable(network, target)
    parents = tuple(find_variable(network, cause) for cause in causes)
    shape = table_shape(network.variables, parents)
    if 2 * math.prod(shape) > MOST_CELLS:
        raise ModelError(f"the causes of the absence of {target!r} have too many combinations of states; choose fewer")
    absent = np.full(shape, 0.5) if chances is None else np.asarray(chances, dtype=np.float64)
    Mechanism(target, tuple(causes), absent).check(network.variables)
    table = np.stack([1 - absent, absent], axis=-1)
    grown = add_variable(network, Variable(name or name_indicator(network, target), INDICATOR_STATES))
    tables = (*grown.tables[:-1], table)
    if isinstance(grown, BayesianNetwork):
        return BayesianNetwork(grown.variables, (*grown.parents[:-1], parents), tables)
    scopes = (*grown.scopes[:-1], (*parents, len(grown.variables) - 1))
    return MarkovNetwork(grown.variables, scopes, tables)


def indicate(dataset: Dataset, target: str, indicator: Variable, seen: Dataset | None = None) -> Dataset:
    """The data with a column more, the last: in each row, whether the target has a value there.

    Parameters
    ----------
    seen : Dataset, optional
        The same rows as they are seen, which tell where the values are; the data itself if not given.
    """
    column = [variable.name for variable in dataset.variables].index(target)
    variables = (*dataset.variables, indicator)
    most = max((len(vectors) for vectors in dataset.likelihoods.values()), default=0)
    codes = np.empty((len(variables), dataset.n_rows), dtype=code_dtype(variables, most))
    codes[:-1] = dataset.codes
    codes[-1] = np.where((seen or dataset).codes[column] == MISSING, ABSENT, PRESENT)
    return replace(dataset, variables=variables, codes=codes)
