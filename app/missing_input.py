"""What goes missing as the command line has it: ``0.2``, ``nmar:0.2``, ``X<-Y=yes:0.6,no:0.1`` and the like."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.evidence_input import find_names, parse_numbers, split_names
from engine.model.arrays import Floats
from engine.model.dataset import Dataset
from engine.model.errors import PgmError
from engine.model.mechanism import Mechanism, classify
from engine.model.network import Network
from engine.model.variable import Variable, list_names
from engine.simulation.missingness import check_rate, remove_mar, remove_mcar, remove_nmar
from engine.simulation.removal import draw_mechanism, remove_by

KINDS = ("mcar", "mar", "nmar")
USAGE = "--missing 0.2, --missing nmar:0.2, --missing X=0.2, --missing X<-Y=0.2 or --missing X<-Y=a:0.6,b:0.1"
STRENGTH = 2.0


@dataclass(frozen=True, eq=False)
class Loss:
    """What one option says.

    Attributes
    ----------
    text : str
    kind : str
        One of KINDS; empty if it is not said.
    targets : tuple of str
        Whose values go missing; empty for those of all variables.
    causes : tuple of str
    rate : float, optional
    chances : array, optional
        One of both is given.
    """

    text: str
    kind: str
    targets: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    rate: float | None = None
    chances: Floats | None = None

    @property
    def is_drawn(self) -> bool:
        """Whether what the causes do is drawn at random, at a strength."""
        return self.rate is not None and bool(self.causes or self.kind in ("mar", "nmar"))


def parse_losses(network: Network, texts: Sequence[str], mechanism: str | None) -> list[Loss]:
    """What all options say; ``mechanism`` is the kind of a plain fraction."""
    losses = [_parse(network, text) for text in texts]
    plain = [loss for loss in losses if not loss.targets]
    if plain and len(losses) > 1:
        raise PgmError(f"--missing {plain[0].text} is for all cells, and there is another; name the variables of each")
    if mechanism is not None and (not plain or plain[0].kind):
        raise PgmError("--mechanism goes with --missing FRACTION alone; say it in --missing, as in nmar:X=0.2")
    taken: set[str] = set()
    for loss in losses:
        for name in loss.targets:
            if name in taken:
                raise PgmError(f"{name!r} goes missing by two --missing; give one")
            taken.add(name)
    return [replace(loss, kind=mechanism) for loss in losses] if mechanism else losses


def _parse(network: Network, text: str) -> Loss:
    kind, rest = "", text
    head, colon, tail = text.partition(":")
    if colon and head.strip().lower() in KINDS:
        kind, rest = head.strip().lower(), tail
    number = _read_number(rest)
    if number is not None:
        _check(number, text)
        return Loss(text, kind, rate=number)
    for targets, causes, value in _split(network, rest):
        number = _read_number(value)
        if number is not None:
            _check(number, text)
            return _checked(Loss(text, kind, targets, causes, rate=number))
        if not causes:
            raise PgmError(f"--missing {text}: {value!r} is not a fraction from 0 to 1; expected {USAGE}")
        variables = [network.variables[network.index[name]] for name in causes]
        return _checked(Loss(text, kind, targets, causes, chances=_parse_chances(text, variables, value)))
    raise PgmError(f"--missing {text}: expected {USAGE}")


def _parse_chances(text: str, variables: Sequence[Variable], value: str) -> Floats:
    try:
        numbers = parse_numbers(variables, value, USAGE)
    except PgmError as error:
        raise PgmError(f"--missing {text}: {error}") from None
    for number in numbers:
        _check(number, text)
    return np.array(numbers).reshape([variable.cardinality for variable in variables])


def _checked(loss: Loss) -> Loss:
    if loss.kind == "mcar" and loss.causes:
        raise PgmError(f"--missing {loss.text}: completely at random (mcar) has no causes; leave out what follows <-")
    return loss


def _split(network: Network, text: str) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], str]]:
    """``X,Y<-Z=…`` as targets, causes and the rest; names may hold the signs between them."""
    ends = [k for k, character in enumerate(text) if character == "="]
    for end in ends:
        left = text[:end]
        arrows = [k for k in range(len(left)) if left.startswith("<-", k)]
        for targets, causes in ((left[:k], left[k + 2 :]) for k in arrows):
            found = find_names(network, targets.strip()), find_names(network, causes.strip())
            if found[0] and found[1]:
                yield _name(found[0]), _name(found[1]), text[end + 1 :].strip()
        known = find_names(network, left.strip())
        if known:
            yield _name(known), (), text[end + 1 :].strip()
    if ends:  # say which name is not known
        targets, _, causes = text[: ends[0]].partition("<-")
        for names in (targets.strip(), causes.strip()):
            split_names(network, names)


def _name(variables: Sequence[Variable]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(variable.name for variable in variables))


def _read_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _check(number: float, text: str) -> None:
    try:
        check_rate(number)
    except PgmError as error:
        raise PgmError(f"--missing {text}: {error}") from None


def remove(
    rows: Dataset, losses: Sequence[Loss], strength: float | None, hidden: Collection[str], random: np.random.Generator
) -> Dataset:
    """The rows without what goes missing. All causes decide by the rows as they were drawn.

    Parameters
    ----------
    hidden : names
        Of variables whose state the rows will not tell otherwise: hidden ones, and those that a sensor sees.
    """
    if strength is not None and not any(loss.is_drawn for loss in losses):
        raise PgmError("--strength is how much causes matter that are drawn; no --missing draws any: leave it out")
    power = STRENGTH if strength is None else strength
    unseen = {name for loss in losses for name in loss.targets} | set(hidden)
    observed = [variable.name for variable in rows.variables if variable.name not in unseen]
    dataset = rows
    for loss in losses:
        rate, names = loss.rate or 0.0, loss.targets or None
        if loss.causes:
            for target in loss.targets:
                dataset = remove_by(dataset, _make(rows, loss, target, observed, power, random), random, rows)
        elif loss.kind == "mar":
            dataset = remove_mar(dataset, rate, random, names, observed if names else None, power)
        elif loss.kind == "nmar":
            dataset = remove_nmar(dataset, rate, random, names, power)
        else:
            dataset = remove_mcar(dataset, rate, random, names)
    return dataset


def _make(
    rows: Dataset, loss: Loss, target: str, observed: Sequence[str], strength: float, random: np.random.Generator
) -> Mechanism:
    """The mechanism of one target, if it is of the kind that it is said to be."""
    kind = classify(target, loss.causes, observed)
    if loss.kind and kind != loss.kind:
        raise PgmError(f"--missing {loss.text}: {_explain(target, loss, kind, observed)}")
    lost = [name for name in loss.causes if name != target and name not in observed]
    if lost and not loss.kind:
        raise PgmError(
            f"--missing {loss.text}: {list_names(lost)} can itself be missing, so that {target!r} is not missing at "
            "random; say so with nmar: before it, or choose a cause that every row tells"
        )
    if loss.chances is not None:
        return Mechanism(target, loss.causes, loss.chances)
    return draw_mechanism(rows, target, loss.causes, loss.rate or 0.0, strength, random)


def _explain(target: str, loss: Loss, kind: str, observed: Sequence[str]) -> str:
    if kind == "mar":
        return f"{list_names(list(loss.causes))} is seen in every row, which is at random: write mar, or nothing"
    if target in loss.causes:
        return f"{target!r} decides itself whether it is there, which is not at random: write nmar, or nothing"
    lost = [name for name in loss.causes if name not in observed]
    return (
        f"{list_names(lost)} can itself be missing, so that {target!r} is not missing at random: "
        "write nmar, or choose a cause that every row tells"
    )
