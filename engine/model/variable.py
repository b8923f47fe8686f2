"""A discrete variable: a name and its named states."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from engine.model.errors import ModelError, UnknownNameError
from engine.model.messages import shorten


@dataclass(frozen=True)
class Variable:
    """A discrete variable.

    Parameters
    ----------
    name : str
        Any non-empty Unicode text.
    states : tuple of str
        Distinct names, in the order that codes 0, 1, ... stand for. One state is allowed:
        genetic-linkage files have such variables.

    Examples
    --------
    >>> Variable("Rain", ("yes", "no")).code("no")
    1
    """

    name: str
    states: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.name:
            raise ModelError("a variable needs a name; got an empty one")
        if not self.states:
            raise ModelError(f"variable {shorten(self.name)} has no states; give it at least one")
        if len(set(self.states)) < len(self.states):
            twice = next(state for state, times in Counter(self.states).items() if times > 1)
            raise ModelError(f"variable {shorten(self.name)} has the state {shorten(twice)} twice; states must differ")

    @property
    def cardinality(self) -> int:
        return len(self.states)

    def code(self, state: str) -> int:
        """The position of a state."""
        try:
            return self.states.index(state)
        except ValueError:
            known = list_names(self.states)
            raise UnknownNameError(
                f"variable {shorten(self.name)} has no state {shorten(state)}; it has {known}"
            ) from None


def list_names(names: tuple[str, ...] | list[str], most: int = 12) -> str:
    """Names for a message, quoted and cut to a readable number.

    >>> list_names(["a", "b", "c"], most=2)
    "'a', 'b', … (3 in all)"
    """
    shown = ", ".join(shorten(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown}, … ({len(names)} in all)"
