"""The missingness studio without its widgets: mechanisms on a scene, what they take, and what they do to learning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.formats import DataDocument, Document
from engine.insight.absence import (
    Bias,
    Identification,
    Shares,
    count_by_cause,
    count_shares,
    expect_shares,
    identify,
    learn_both,
)
from engine.learning.hold_out import split_rows
from engine.model.arrays import Floats, weighted_counts
from engine.model.dataset import MISSING, Dataset, Role
from engine.model.errors import ModelError, PgmError
from engine.model.mechanism import classify, expand, indicate, name_indicator
from engine.model.network import BayesianNetwork, Network
from engine.model.prior import Prior
from pgmgui.project.counted_data import need_rows
from pgmgui.project.following import Changes, follow
from pgmgui.project.layout import NODE_HEIGHT, label_width
from pgmgui.project.marks import MOST_CHANCES, Absent, Given, apply_marks, make_mechanism
from pgmgui.project.scene import Scene

BESIDE = (2, 0), (-2, 0), (1, -1), (-1, -1), (1, 1), (-1, 1), (0, -1), (0, 1), (2, -1), (-2, -1), (3, 0), (-3, 0)
"""Where the indicator may be drawn, from its variable, in widths and heights; the last if there is no room."""
GAP = 26.0
"""Pixels between it and other nodes."""
FIRST, LAST = 0.6, 0.1
"""How probably values are missing at first: where the causes have their first states, and their last."""


def find_mark(scene: Scene, target: str) -> Absent | None:
    """The mechanism of a variable, if it has one."""
    mark = scene.marks.get(target)
    return mark if isinstance(mark, Absent) else None


def has_holes(scene: Scene, target: str) -> bool:
    """Whether values of a variable are missing in the data itself, so that what they were is not known."""
    if scene.data is None:
        return False
    dataset, column = scene.data.dataset, scene.document.network.index[target]
    return dataset.ranges[column][0] <= MISSING and MISSING in dataset.count_codes(column)[0]


def make_mark(scene: Scene, target: str, causes: Sequence[str]) -> Absent:
    """A mechanism with these causes: why values are missing, or first chances where none are."""
    network = scene.document.network
    size = 1
    for cause in causes:
        size *= network.variables[network.index[cause]].cardinality
    if size > MOST_CHANCES:
        raise ModelError(
            f"the states of {' and '.join(causes)} have {size:,} combinations; a mechanism is set by hand for at most "
            f"{MOST_CHANCES}: choose other causes"
        )
    if has_holes(scene, target):
        return Absent(tuple(causes))
    chances = np.linspace(FIRST, LAST, size) if causes else np.array([0.3])
    return Absent(tuple(causes), tuple(np.round(chances, 3).tolist()))


def add_indicator(scene: Scene, target: str) -> Scene:
    """The scene with a variable that tells in every row whether the target is there, its causes being its parents."""
    mark = find_mark(scene, target)
    if mark is None or scene.data is None:
        raise ModelError(f"say first what decides which values of {target!r} are missing")
    if mark.indicator:
        raise ModelError(f"{mark.indicator!r} tells already which values of {target!r} are there")
    network = scene.document.network
    chances = make_mechanism(network.variables, target, mark).chances if mark.chances else None
    grown = expand(network, target, mark.causes, chances)
    indicator = grown.variables[-1]
    complete = need_rows(scene.data.dataset, f"no variable can tell in which rows {target!r} is there")
    assert isinstance(scene.data, DataDocument)
    seen = apply_marks(complete, scene.marks)
    place = _find_place(scene.document, target, indicator.name)
    followed, _ = follow(scene, grown, Changes(positions={indicator.name: place}))
    dataset = indicate(complete, target, indicator, seen)
    return replace(
        followed,
        data=replace(scene.data, dataset=dataset),
        marks={**followed.marks, target: replace(mark, indicator=indicator.name)},
    )


def _find_place(document: Document, target: str, name: str) -> tuple[float, float]:
    """Where an indicator is drawn: near its variable, and where no node is."""
    places = np.array(list(document.positions.values()) or [(0.0, 0.0)])
    widths = np.array([label_width(other) for other in document.positions] or [0.0])
    x, y = document.positions.get(target, (0.0, 0.0))
    own = label_width(name)
    across, down = (own + label_width(target)) / 4 + GAP, NODE_HEIGHT + GAP
    for step in BESIDE:
        place = (x + step[0] * across, y + step[1] * down)
        apart = abs(places - place)
        if not ((apart[:, 0] < (widths + own) / 2 + GAP / 2) & (apart[:, 1] < NODE_HEIGHT + GAP / 2)).any():
            break
    return place


# --- what a mechanism takes


@dataclass(frozen=True, eq=False)
class Facts:
    """What is known of the missing values of a variable.

    Attributes
    ----------
    target : str
    mark : Absent, optional
        None while nothing is said of it.
    causes : tuple of str
        Those of the mark; or what the indicator is connected with by now, if there is one.
    kind : {"mcar", "mar", "nmar"}
    expected : Shares, optional
        By the mechanism; None where its chances are not known, or inference is out of reach.
    by_truth : bool
        Whether they are by the network that the data was drawn from.
    counted : Shares
        In the data; by state only where what is missing is known.
    knows_values : bool
        Whether what is missing is known.
    by_cause : array, optional
        The share missing in the data by the states of the causes; None where these are not known.
    identification : Identification
    trouble : str
        Why something is not known.
    """

    target: str
    mark: Absent | None
    causes: tuple[str, ...]
    kind: str
    expected: Shares | None
    by_truth: bool
    counted: Shares
    knows_values: bool
    by_cause: Floats | None
    identification: Identification
    trouble: str = ""


def find_facts(scene: Scene, seen: Dataset, target: str) -> Facts:
    """What is known of the missing values of a variable. This takes a while: call it beside the page, not on it."""
    assert scene.data is not None
    network, complete = scene.document.network, need_rows(scene.data.dataset, "what is missing is not known by row")
    column, mark = network.index[target], find_mark(scene, target)
    causes = _find_causes(network, mark)
    places = [network.index[cause] for cause in (() if mark is None else mark.causes)]
    names = [variable.name for variable in network.variables]
    observed = [name for name, role in zip(names, seen.roles, strict=True) if role is Role.OBSERVED]
    expected, by_truth, trouble = None, False, ""
    if mark is not None and mark.chances:
        truth = _find_truth(scene, target, mark)
        by_truth = truth is not None
        try:
            expected = expect_shares(truth or network, make_mechanism(network.variables, target, mark))
        except PgmError as error:
            trouble = f"What the mechanism takes of each state cannot be computed: {error}."
    knows_values = not has_holes(scene, target)
    is_gone = (seen.codes[column] == MISSING).astype(np.float64)
    by_cause = None
    if mark is not None and (knows_values or column not in places):
        by_cause = count_by_cause(complete, is_gone, places)
    # The indicator tells nothing but what it is asked about.
    roles = [
        Role.HIDDEN if mark is not None and name == mark.indicator else role
        for name, role in zip(names, seen.roles, strict=True)
    ]
    return Facts(
        target,
        mark,
        causes,
        classify(target, causes, observed),
        expected,
        by_truth,
        count_shares(complete, seen, column),
        knows_values,
        by_cause,
        identify(network, column, [network.index[cause] for cause in causes], roles),
        trouble,
    )


def _find_causes(network: Network, mark: Absent | None) -> tuple[str, ...]:
    """The causes of a mark; where arrows or edges were drawn to its indicator, all that it is connected with."""
    if mark is None or mark.indicator not in network.index:
        return () if mark is None else mark.causes
    indicator = network.index[mark.indicator]
    ends = [a if b == indicator else b for a, b in network.edges if indicator in (a, b)]
    if isinstance(network, BayesianNetwork):
        ends = list(network.parents[indicator])
    return tuple(network.variables[v].name for v in ends)


def _find_truth(scene: Scene, target: str, mark: Absent) -> Network | None:
    """The network that the data was drawn from, if it is known and has the target and its causes."""
    network, truth = scene.document.network, scene.truth

    def is_same(name: str) -> bool:
        place = -1 if truth is None else truth.index.get(name, -1)
        return truth is not None and place >= 0 and truth.variables[place] == network.variables[network.index[name]]

    return truth if all(map(is_same, {target, *mark.causes})) else None


# --- what it does to learning


@dataclass(frozen=True, eq=False)
class Compared:
    """What is learned of a variable in both ways, beside what it is.

    Attributes
    ----------
    reference : array (states,), optional
        Its true distribution; or that in the data before values went missing; None if neither is known.
    by_truth : bool
        Whether it is the true one.
    """

    target: str
    bias: Bias
    reference: Floats | None
    by_truth: bool


def compare(
    scene: Scene,
    seen: Dataset,
    target: str,
    seed: int,
    tell: Callable[[str, int], object],
    cancelled: Callable[[], bool],
) -> Compared:
    """What is learned of a variable with and without its mechanism; ``tell`` hears which of both, and its iteration."""
    mark = find_mark(scene, target)
    if mark is None or scene.data is None:
        raise ModelError(f"say first what decides which values of {target!r} are missing")
    rows = seen if scene.hold_out is None else split_rows(seen, scene.hold_out).train
    steps = learn_both(
        scene.document.network,
        rows,
        target,
        mark.causes,
        mark.indicator,
        truth=_find_truth(scene, target, mark),
        prior=_find_prior(scene, target),
        given=[name for name, known in scene.marks.items() if isinstance(known, Given)],
        ties=scene.ties,
        random_state=seed,
        cancelled=cancelled,
    )
    for step in steps:
        if isinstance(step, Bias):
            break
        tell(*step)
    assert isinstance(step, Bias)
    if step.true is not None or has_holes(scene, target):
        return Compared(target, step, step.true, step.true is not None)
    dataset = need_rows(scene.data.dataset, "what is missing is not known by row")
    column = scene.document.network.index[target]
    states = dataset.variables[column].cardinality
    hard = dataset.codes[column] >= 0
    counts = weighted_counts(dataset.codes[column, hard].astype(np.int64), dataset.weights[hard], states)
    return Compared(target, step, counts / (counts.sum() or 1.0), False)


def _find_prior(scene: Scene, target: str) -> Prior:
    """The prior of the scene, with the common one for an indicator that is added."""
    prior = scene.whole_prior
    if not isinstance(prior, dict):
        return prior
    return {**prior, name_indicator(scene.document.network, target): scene.common_prior}
