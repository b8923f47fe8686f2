"""What the Query tab does when the user supposes something, or no longer does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pgmgui.board.board import suppose
from pgmgui.components.choices.choices import Choice, Group
from pgmgui.project.wanted import KINDS, list_supposed
from pgmgui.state.answers import Answers
from pgmgui.state.session import Session


def suppose_from(session: Session, answers: Answers, message: Mapping[str, Any]) -> None:
    """Do what the browser asks for on the bars of a variable: suppose a state, a weight, or another kind."""
    if "kind" in message:
        _suppose_kind(session, answers, message)
    else:
        suppose(session, message)


def _suppose_kind(session: Session, answers: Answers, message: Mapping[str, Any]) -> None:
    name, kind, found = message.get("name"), message.get("kind"), answers.answer
    if kind not in KINDS or not isinstance(name, str) or name not in session.network.index:
        session.say("The page asked for something that makes no sense. Reload it and try again.")
        return
    marginals = None if found is None or not answers.fits else found.after or found.before
    if marginals is None:
        session.say("There is no posterior to begin with. Remove some of what is supposed first.")
        return
    session.suppose_kind(name, str(kind), marginals[session.network.index[name]].tolist())


def list_groups(session: Session) -> list[Group]:
    """A button for each thing that is supposed, which removes it."""
    words = list_supposed(session.supposed, session.network)
    items = [Choice(str(k), f"✕ {told}", f"Remove: {told}") for k, told in enumerate(words)]
    return [Group("Supposed:", tuple(items))] if items else []


def drop_supposed(session: Session, key: str) -> None:
    """Suppose one thing less, by its place in the list."""
    likelihoods, targets = list(session.evidence), list(session.wanted.tables)
    if int(key) < len(likelihoods):
        session.suppose(likelihoods[int(key)], None)
    else:
        session.want(targets[int(key) - len(likelihoods)], None)
