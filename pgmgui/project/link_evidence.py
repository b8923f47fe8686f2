"""What a link supposes: ``suppose=smoke:yes&suppose-likelihood=xray:0.8/0.1&suppose-target=dysp:0.7/0.3``.

Numbers stand in the order of the states, of several variables with the last one's changing fastest. Pure functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.model.errors import PgmError
from engine.model.messages import shorten
from engine.model.network import Network
from engine.model.variable import list_names
from pgmgui.project.numbers import parse_number
from pgmgui.project.supposing import Likelihood, find_state, simplify
from pgmgui.project.wanted import Supposed, Wanted, want

STATE, LIKELIHOOD, TARGET, NON_FIXED = "suppose", "suppose-likelihood", "suppose-target", "non-fixed"
KEYS = (STATE, LIKELIHOOD, TARGET, NON_FIXED)


def parse_supposed(query: Mapping[str, str], network: Network) -> Supposed:
    """What the parameters of a link suppose.

    Raises
    ------
    PgmError
        Naming the parameter that is wrong, and what it may be.
    """
    likelihoods: dict[str, Likelihood] = {}
    for name, text in _split(query, STATE):
        (variable,) = _find(network, STATE, [name])
        if text not in network.variables[variable].states:
            raise PgmError(
                f"the link's 'suppose' gives {name} the state {shorten(text)}; "
                f"it has {list_names(list(network.variables[variable].states))}"
            )
        likelihoods[name] = tuple(float(state == text) for state in network.variables[variable].states)
    for name, text in _split(query, LIKELIHOOD):
        (variable,) = _find(network, LIKELIHOOD, [name])
        likelihood = simplify(_read_numbers(text, LIKELIHOOD))
        size = network.variables[variable].cardinality
        if likelihood is None or len(likelihood) != size or name in likelihoods:
            raise PgmError(f"the link's {LIKELIHOOD!r} of {name} must be {size} different numbers, and given once")
        likelihoods[name] = likelihood
    return Supposed(likelihoods, _parse_wanted(query, network, likelihoods))


def _parse_wanted(query: Mapping[str, str], network: Network, likelihoods: Mapping[str, Likelihood]) -> Wanted:
    non_fixed = query.get(NON_FIXED) or "0"
    if non_fixed not in ("0", "1"):
        raise PgmError(f"the link's 'non-fixed' is {shorten(non_fixed)}; expected 1, or nothing")
    wanted = Wanted(fixed=non_fixed == "0")
    for text, numbers in _split(query, TARGET):
        names = text.split("+")
        _find(network, TARGET, names)
        if any(name in likelihoods for name in names):
            raise PgmError(
                f"the link's {TARGET!r} of {', '.join(names)} is on a variable with evidence of another kind"
            )
        try:
            wanted = want(wanted, network, names, _read_numbers(numbers, TARGET))
        except PgmError as error:
            raise PgmError(f"the link's {TARGET!r}: {error}") from None
    return wanted


def _split(query: Mapping[str, str], key: str) -> Iterator[tuple[str, str]]:
    """The names that a parameter has, and what it says of each."""
    for item in filter(None, query.get(key, "").split(",")):
        name, colon, text = item.rpartition(":")
        if not colon:
            raise PgmError(f"the link's {key!r} has {shorten(item)}; expected a name, a colon, and what is supposed")
        yield name, text


def _find(network: Network, key: str, names: Sequence[str]) -> list[int]:
    for name in names:
        if name not in network.index:
            hint = ". Between several stand commas, no semicolons" if ";" in name else ""
            raise PgmError(
                f"the link's {key!r} names {shorten(name)}; the example has {list_names(list(network.index))}{hint}"
            )
    return [network.index[name] for name in names]


def _read_numbers(text: str, key: str) -> list[float]:
    try:
        return [parse_number(item) for item in text.split("/")]
    except PgmError:
        raise PgmError(f"the link's {key!r} has {shorten(text)}; expected numbers of 0 or more, as 0.8/0.2") from None


def write_supposed(supposed: Supposed, network: Network) -> dict[str, str]:
    """What is supposed, as parameters of a link."""
    states, weighed = [], []
    for name, likelihood in supposed.likelihoods.items():
        state = find_state(likelihood)
        if state is None:
            weighed.append(f"{name}:{_write_numbers(likelihood)}")
        else:
            states.append(f"{name}:{network.variables[network.index[name]].states[state]}")
    targets = [f"{'+'.join(names)}:{_write_numbers(numbers)}" for names, numbers in supposed.wanted.tables.items()]
    non_fixed = ["1"] if targets and not supposed.wanted.fixed else []
    said = zip(KEYS, (states, weighed, targets, non_fixed), strict=True)
    return {key: ",".join(items) for key, items in said if items}


def _write_numbers(numbers: Sequence[float]) -> str:
    return "/".join(map(repr, numbers))
