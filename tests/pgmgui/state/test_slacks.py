"""The gap of the component that is looked at, by variable: found beside the page, and only for what is shown."""

from __future__ import annotations

import pytest

from engine.insight.slack import share_gap
from engine.learning.bounds import CERTIFIED
from engine.learning.learn import learn
from engine.model.dataset import Role
from engine.model.errors import ModelError
from pgmgui.board.beside import work_beside
from pgmgui.board.picture import look_at
from pgmgui.project.examples import load_gallery
from pgmgui.project.marks import Hidden
from pgmgui.project.words import describe_bound, describe_shares
from pgmgui.state import slacks as module
from pgmgui.state.frames import Frame
from pgmgui.state.session import Session
from pgmgui.state.slacks import Slacks

GALLERY = {example.id: example for example in load_gallery()}


@pytest.fixture
def session():
    session = Session()
    session.open_example(GALLERY["asia"])
    return session


@pytest.fixture
def asked(monkeypatch):
    """The components whose gaps were shared out."""
    numbers = []

    def listen(task, bounds, network, number):
        numbers.append(number)
        return share_gap(task, bounds, network, number)

    monkeypatch.setattr(module, "share_gap", listen)
    return numbers


def open_component(session):
    """The first component with something to iterate."""
    components = session.parts.task.decomposition.components
    return next(k for k, component in enumerate(components) if not component.is_complete)


def test_the_gap_is_shared_out_where_one_looks(session, asked):
    Slacks(session, work_beside)
    number = open_component(session)
    first, *_, last = learn(session.network, session.seen, task=session.parts.task)
    session.report(last)
    assert asked == []  # no component is looked at
    session.look_at(number)
    assert asked == [number]
    shares = session.gap_shares
    observed = {v for v, role in enumerate(session.seen.roles) if role is Role.OBSERVED}
    assert set(shares) == set(session.parts.task.decomposition.components[number].variables) & observed
    assert sum(share.gap for share in shares.values()) == pytest.approx(session.parts.gaps(last)[number], abs=1e-9)
    session.select(["smoke"])
    assert asked == [number]
    session.travel_to(Frame(0, first))
    assert asked == [number] * 2
    assert sum(s.gap for s in session.gap_shares.values()) == pytest.approx(session.parts.gaps(first)[number])
    session.look_at(None)
    assert session.gap_shares == {}
    session.look_at(number)
    assert len(session.gap_shares) == len(shares)
    session.mark(["smoke"], Hidden())
    assert (session.slack, session.gap_shares) == (None, {})


def test_nodes_wear_their_gaps_while_colours_show_gaps(session):
    Slacks(session, work_beside)
    number = open_component(session)
    first, *_ = learn(session.network, session.seen, task=session.parts.task)
    session.report(first)
    session.look_at(number)
    assert {node["shade"] for node in look_at(session).nodes} == {""}
    session.colour_by("gap")
    nodes = look_at(session).nodes
    for v, share in session.gap_shares.items():
        assert nodes[v]["shade"].startswith("gap-") == (share.gap > CERTIFIED)
        assert (nodes[v]["shade"] == "certified") == (nodes[v]["badge"] == "✓") == (share.gap <= CERTIFIED)
        assert "ap " in nodes[v]["about"] or "ertified" in nodes[v]["about"]
    (hull,) = (hull for hull in look_at(session).hulls if hull["number"] == number + 1)
    assert (hull["colour"], hull["label"][:7]) == ("gap-none", f"{number + 1}: gap ")
    others = set(range(len(nodes))) - set(session.gap_shares)
    assert {nodes[v]["shade"] for v in others} == {""}


@pytest.mark.parametrize("obstacle", ["many", "wide"])
def test_what_cannot_be_shared_out_says_why(session, monkeypatch, obstacle):
    if obstacle == "many":
        monkeypatch.setattr(module, "MOST", 2)
    else:

        def refuse(*_):
            raise ModelError("too wide")

        monkeypatch.setattr(module, "share_gap", refuse)
    Slacks(session, work_beside)
    first, *_ = learn(session.network, session.seen, task=session.parts.task)
    session.report(first)
    session.look_at(open_component(session))
    assert session.gap_shares == {}
    assert {"many": "at most 2 variables", "wide": "too wide"}[obstacle] in session.slack.trouble


def test_a_markov_network_has_no_gaps_by_component(asked):
    session = Session()
    session.open_example(GALLERY["thesis-grid"])
    Slacks(session, work_beside)
    first, *_ = learn(session.network, session.seen, task=session.parts.task)
    session.report(first)
    session.look_at(0)
    assert (asked, session.slack) == ([], None)


def test_why_the_bound_is_where_it_is(session):
    session.mark(["smoke"], Hidden())
    number, parts = open_component(session), session.parts
    first, second = describe_bound(parts.task, parts.bounds, number)
    assert f"{parts.bounds.imap[number]:,.2f}" in first
    assert f"{parts.bounds.decomposition[number]:,.2f}" in second
    complete = next(k for k, c in enumerate(parts.task.decomposition.components) if c.is_complete)
    assert describe_bound(parts.task, parts.bounds, complete)[0].endswith("counting reaches it.")
    start, *_ = learn(session.network, session.seen, task=parts.task)
    shares = share_gap(parts.task, parts.bounds, start.network(), number)
    names = [variable.name for variable in session.network.variables]
    worst = max(shares, key=lambda share: share.gap)
    assert f"is mostly at {names[worst.variable]} (" in describe_shares(names, shares)[0]
    assert describe_shares(names, []) == []
