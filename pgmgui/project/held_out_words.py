"""What was learned, on rows that were held out, in words: pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.insight.prediction import Prediction
from engine.learning.hold_out import Split
from engine.model.variable import Variable
from pgmgui.project.results import Standing
from pgmgui.project.words import count

WORSE = 0.01
"""Nats per row that the held-out rows must have lost for it to be called overfitting."""


def describe_split(split: Split | None) -> list[str]:
    """How many rows are held out, in a line; none where all are learned from."""
    if split is None:
        return []
    train, test = split.train.total_weight, split.test.total_weight
    return [f"Held out: {test:,.6g} of {count(train + test, 'row')}. Learning sees the other {train:,.6g}."]


def describe_tested(title: str, tested: Sequence[Standing]) -> str:
    """How a learner stands on the rows it has not seen, and whether it stood better before, in a sentence."""
    if not tested:
        return ""
    last, best = tested[-1], max(tested, key=lambda one: one.test)
    line = f"Log-loss per row, {title}: learned from {show_loss(-last.train)}, held out {show_loss(-last.test)}"
    if math.isinf(last.test):
        return f"{line}: a held-out row is impossible."
    if best.test > last.test + WORSE:
        return f"{line}; at iteration {best.iteration:,} it was {show_loss(-best.test)}: overfitted since."
    return f"{line}."


def show_loss(loss: float) -> str:
    """A log-loss, in nats.

    >>> show_loss(1.23456), show_loss(float("inf"))
    ('1.2346', '∞')
    """
    return "∞" if math.isinf(loss) else f"{loss:,.4f}"


def describe_impossible(impossible: float) -> str:
    """Why a log-loss is infinite, and what to do, in a sentence; nothing if it is not."""
    if not impossible:
        return ""
    verb = "has" if impossible == 1 else "have"
    return (
        f"{count(impossible, 'held-out row')} {verb} probability 0 by what was learned, so that the loss is infinite: "
        "a prior above 1 keeps every state possible."
    )


def describe_prediction(found: Prediction, variable: Variable) -> list[str]:
    """How well a variable is foretold, beside what one would get without looking, in lines."""
    common = variable.states[int(found.shares.argmax())]
    lines = [
        f"Accuracy {show_share(found.accuracy)}; always saying {common} is right in {show_share(found.majority)}.",
        f"Log-loss {show_loss(found.log_loss)} nats; the best constant guess has {show_loss(found.constant_log_loss)}. "
        f"Brier score {found.brier:.4f}.",
    ]
    if found.refuted:
        verb = "has" if found.refuted == 1 else "have"
        lines.append(f"{count(found.refuted, 'row')} {verb} a state that was held impossible.")
    left_out = {
        "do not tell it": found.missing,
        "only have a likelihood or target of it": found.uncertain,
        "are impossible without it": found.impossible,
    }
    told = [f"{number:,.6g} {why}" for why, number in left_out.items() if number]
    of = f"Foretold in {count(found.total, 'held-out row')} from the other cells of each."
    return [of + (f" Left out: {', '.join(told)}." if told else ""), *lines]


def show_share(share: float) -> str:
    """A share in percent, to a tenth.

    >>> show_share(0.8125), show_share(1.0)
    ('81.2%', '100.0%')
    """
    return f"{100 * share:.1f}%"
