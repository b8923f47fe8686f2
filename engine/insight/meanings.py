"""One list of numbers for a variable, read in three ways: as a likelihood, and as a target that is fixed or not.

"0.8 / 0.2" as a likelihood is weighed with what the model says; as a target it is what the variable shall have, after
all that is known (fixed) or before it (non-fixed). Where nothing else is known, the latter two are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.inference.plan import MEMORY_LIMIT
from engine.inference.query import Evidence, names_of, query
from engine.model.arrays import Floats
from engine.model.errors import PgmError
from engine.model.network import Network

MEANINGS = ("likelihood", "fixed", "non-fixed")


@dataclass(frozen=True, eq=False)
class Reading:
    """The marginal of each variable if numbers are meant so; None where that cannot be, and why."""

    marginals: tuple[Floats, ...] | None
    trouble: str = ""


def forget(evidence: Evidence, name: str) -> Evidence:
    """The evidence without what it says of a variable, alone or with others."""
    return replace(
        evidence,
        states={other: state for other, state in evidence.states.items() if other != name},
        likelihoods={other: vector for other, vector in evidence.likelihoods.items() if other != name},
        marginals={key: table for key, table in evidence.marginals.items() if name not in names_of(key)},
    )


def read_in_three_ways(
    network: Network, evidence: Evidence, name: str, numbers: Sequence[float], memory_limit: int = MEMORY_LIMIT
) -> dict[str, Reading]:
    """What follows of numbers for a variable's states, for each of :data:`MEANINGS`.

    What the evidence says of the variable itself is left out; other targets are fixed, or not, with this one.
    """
    rest = forget(evidence, name)
    target = {**rest.marginals, name: numbers}
    meant = {
        "likelihood": replace(rest, likelihoods={**rest.likelihoods, name: numbers}),
        "fixed": replace(rest, marginals=target, fixed=True),
        "non-fixed": replace(rest, marginals=target, fixed=False),
    }
    return {meaning: _read(network, meant[meaning], memory_limit) for meaning in MEANINGS}


def _read(network: Network, evidence: Evidence, memory_limit: int) -> Reading:
    try:
        posterior = query(network, evidence, memory_limit)
    except PgmError as error:
        return Reading(None, str(error))
    return Reading(tuple(posterior.marginal(v)[0] for v in range(len(network.variables))))
