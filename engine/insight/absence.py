"""What missing values do to what is learned of a variable: how much of each state is missing, and the bias.

Learned as if missing at random, a variable whose absence depends on its own value is biased. With the mechanism in the
network, as an indicator O_X that every row tells [uncertain §3], it is not, where other variables tell enough of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.inference.query import Evidence, query, query_by_state
from engine.learning.learn import learn
from engine.learning.snapshot import Snapshot
from engine.learning.stopping import Stopping
from engine.learning.workspace import NEVER
from engine.model.arrays import Floats, weighted_counts
from engine.model.dataset import MISSING, Dataset, Role
from engine.model.editing import recode, remove_variables
from engine.model.errors import Cancelled, ModelError
from engine.model.mechanism import ABSENT, Mechanism, expand, indicate
from engine.model.network import BayesianNetwork, Network
from engine.model.prior import Prior
from engine.model.ties import find_ties

RESTARTS = 3
"""Of each of the two runs; the best counts."""
STOPPING = Stopping(until=1e-4, max_iter=20_000)
NOTHING = Evidence({}, {}, {})


# --- shares


@dataclass(frozen=True, eq=False)
class Shares:
    """How much of a variable is missing.

    Attributes
    ----------
    whole : float
    states : array (states,)
        Pr(absent | state), NaN for a state that does not occur.
    """

    whole: float
    states: Floats


def expect_shares(network: Network, mechanism: Mechanism) -> Shares:
    """What a mechanism takes of each state on average: Pr(absent | x) = Σ Pr(causes | x) Pr(absent | causes)."""
    grown = expand(network, mechanism.target, mechanism.causes, mechanism.chances)
    return find_shares(grown, mechanism.target, grown.variables[-1].name)


def find_shares(network: Network, target: str, indicator: str) -> Shares:
    """Pr(indicator = absent), and given each state of the target."""
    found = query_by_state(network, NOTHING, target).marginal(network.index[indicator])[:, ABSENT]
    possible = query(network, NOTHING).marginal(network.index[target])[0] > 0
    return Shares(float(found[0]), np.where(possible, found[1:], math.nan))


def count_shares(complete: Dataset, seen: Dataset, target: int) -> Shares:
    """The share of the rows, by weight, in which data that was complete is not seen: of all, and of each state."""
    is_gone = (seen.codes[target] == MISSING).astype(np.float64)
    whole = float(is_gone @ seen.weights) / (seen.total_weight or 1.0)
    return Shares(whole, count_by_cause(complete, is_gone, [target]).reshape(-1))


def count_by_cause(complete: Dataset, is_gone: Floats, causes: Sequence[int]) -> Floats:
    """The share of the rows that are gone for each combination of the states of causes; NaN where there is no row.

    Rows that do not tell the state of a cause count for none.
    """
    shape = tuple(complete.variables[i].cardinality for i in causes)
    known = (complete.codes[list(causes)] >= 0).all(axis=0)
    combination = np.zeros(complete.n_rows, dtype=np.int64)
    for i, states in zip(causes, shape, strict=True):
        combination = combination * states + np.maximum(complete.codes[i], 0)
    weights, size = complete.weights[known], math.prod(shape)
    there = weighted_counts(combination[known], weights, size)
    gone = weighted_counts(combination[known], weights * is_gone[known], size)
    found: Floats = np.divide(gone, there, out=np.full(size, math.nan), where=there > 0)
    return found.reshape(shape)


# --- what can be told of a value that is not there


@dataclass(frozen=True)
class Identification:
    """What the rows without a value tell of it.

    Attributes
    ----------
    kind : {"ignorable", "none", "few", "enough"}
        The mechanism need not be known; nothing tells of the value; what tells of it has fewer combinations of
        states than it; or as many.
    informants : tuple of int
        The variables that tell of the value and do not themselves decide whether it is there.
    """

    kind: str
    informants: tuple[int, ...]


def identify(network: Network, target: int, causes: Collection[int], roles: Sequence[Role]) -> Identification:
    """Whether Pr(x | absent) can be learned: it is a mixture of the Pr(y | x) that the rows with a value show.

    For that, some y must depend on x given the other causes, and not decide itself whether x is there; and y needs as
    many combinations of states as x has states. By the graph alone: dependences may be too weak for the data.
    """
    if target not in causes and all(roles[i] is Role.OBSERVED for i in causes):
        return Identification("ignorable", ())
    reached = find_connected(network, target, [i for i in causes if i != target])
    informants = tuple(i for i in sorted(reached) if i not in causes and i != target and roles[i] is not Role.HIDDEN)
    if not informants:
        return Identification("none", ())
    states = math.prod(network.variables[i].cardinality for i in informants)
    return Identification("enough" if states >= network.variables[target].cardinality else "few", informants)


def find_connected(network: Network, start: int, known: Collection[int]) -> set[int]:
    """The variables that are not separated from one given others, by the graph (Alg. 3.1 of Koller and Friedman)."""
    if not isinstance(network, BayesianNetwork):
        return _find_component(network, start, set(known))
    children: list[list[int]] = [[] for _ in network.variables]
    for child, parents in enumerate(network.parents):
        for parent in parents:
            children[parent].append(child)
    above, waiting = set(known), list(known)
    while waiting:
        new = set(network.parents[waiting.pop()]) - above
        above |= new
        waiting += new
    found, visited, trails = set[int](), set[tuple[int, bool]](), [(start, True)]
    while trails:
        here = variable, upwards = trails.pop()
        if here in visited:
            continue
        visited.add(here)
        if variable not in known:
            found.add(variable)
            trails += [(child, False) for child in children[variable]]
        if variable not in known if upwards else variable in above:
            trails += [(parent, True) for parent in network.parents[variable]]
    return found - {start}


def _find_component(network: Network, start: int, known: set[int]) -> set[int]:
    around: list[set[int]] = [set() for _ in network.variables]
    for scope in network.scopes:
        for variable in scope:
            around[variable].update(scope)
    found, waiting = {start}, [start]
    while waiting:
        new = around[waiting.pop()] - found - known
        found |= new
        waiting += new
    return found - {start}


# --- the bias


@dataclass(frozen=True, eq=False)
class Learned:
    """What a run says of a variable.

    Attributes
    ----------
    marginal : array (states,)
    shares : Shares, optional
        What of it is missing, by the mechanism that was learned with it.
    converged : bool
    iterations : int
    """

    marginal: Floats
    shares: Shares | None
    converged: bool
    iterations: int


@dataclass(frozen=True, eq=False)
class Bias:
    """A variable learned in two ways.

    Attributes
    ----------
    true : array (states,), optional
        Its distribution in the network that the data was drawn from; None where that is not known.
    ignoring, modelling : Learned
        As if values were missing at random, and with the indicator.
    """

    true: Floats | None
    ignoring: Learned
    modelling: Learned


def learn_both(
    network: Network,
    seen: Dataset,
    target: str,
    causes: Sequence[str],
    indicator: str = "",
    truth: Network | None = None,
    prior: Prior = 1.0,
    given: Sequence[str] = (),
    ties: Sequence[Sequence[str]] = (),
    random_state: int = 0,
    cancelled: Callable[[], bool] = NEVER,
) -> Iterator[tuple[str, int] | Bias]:
    """Learn with and without the mechanism: on the way, which of both ("ignoring", "modelling") and its iteration.

    Parameters
    ----------
    indicator : str
        The variable of the network that tells whether the target is there; if empty, one is added for this.
    truth : Network, optional
        What the data was drawn from.

    Raises
    ------
    Cancelled
        When it is.
    """
    plain, bare = network, seen
    if indicator:
        plain = remove_variables(network, [indicator])
        bare = recode(seen, plain.variables, [network.index[variable.name] for variable in plain.variables])
    else:
        network = expand(plain, target, causes)
        indicator = network.variables[-1].name
        seen = indicate(seen, target, network.variables[-1])
    column = bare.codes[plain.index[target]]
    if (column == MISSING).all() or not (column == MISSING).any():
        lack = "no value of it is seen" if column.size and column[0] == MISSING else "none of its values is missing"
        raise ModelError(f"there is nothing to compare for {target!r}: {lack}")
    found = {}
    for kind, model, data in (("ignoring", plain, bare), ("modelling", network, seen)):
        last: Snapshot | None = None
        for last in _run(model, data, prior, given, ties, random_state, cancelled):
            yield kind, last.iteration
        if last is None or last.stop == "cancelled":
            raise Cancelled
        found[kind] = _read(last, target, indicator if kind == "modelling" else "")
    true = None if truth is None or target not in truth.index else _find_marginal(truth, target)
    yield Bias(true, found["ignoring"], found["modelling"])


def _run(
    network: Network,
    data: Dataset,
    prior: Prior,
    given: Sequence[str],
    ties: Sequence[Sequence[str]],
    random_state: int,
    cancelled: Callable[[], bool],
) -> Iterator[Snapshot]:
    if isinstance(prior, dict):  # an indicator that was added for this has none of its own
        prior = {variable.name: prior.get(variable.name, 1.0) for variable in network.variables}
    is_bayesian = isinstance(network, BayesianNetwork)
    groups = [[name for name in group if name in network.index] for group in ties]
    return learn(
        network,
        data,
        "d-lbfgs" if is_bayesian else "lbfgs",
        n_init=RESTARTS,
        prior=prior,
        given=tuple(network.index[name] for name in given),
        ties=find_ties(network, [group for group in groups if len(group) > 1]),
        random_state=random_state,
        stopping=STOPPING,
        cancelled=cancelled,
    )


def _read(snapshot: Snapshot, target: str, indicator: str) -> Learned:
    network = snapshot.network()
    shares = find_shares(network, target, indicator) if indicator else None
    iterations = int(snapshot.iterations[snapshot.best].max(initial=0))
    return Learned(_find_marginal(network, target), shares, snapshot.stop == "converged", iterations)


def _find_marginal(network: Network, name: str) -> Floats:
    found: Floats = query(network, NOTHING).marginal(network.index[name])[0]
    return found
