"""Separation and Markov blankets in words."""

from __future__ import annotations

import pytest

from engine.inference.query import Evidence
from engine.model.errors import PgmError
from engine.model.network import as_markov
from pgmgui.project.examples import find_example
from pgmgui.project.trails import ShownTrail, explain_trail, show_trail, write_trail
from pgmgui.tabs.query.independence_view import describe_reading, list_groups, read_graph, split_names


@pytest.fixture
def asia():
    return find_example("asia").read()[0].network


def read(network, *names, given=(), likelihoods=None):
    sides = [name if isinstance(name, tuple) else (name,) for name in names]
    return read_graph(network, Evidence({}, likelihoods or {}, {}), ((*sides, ())[:2], given))


def explain(network, reading, k=0):
    return explain_trail(network, reading.trails[k], reading.knowledge.likely)


def test_a_blocked_collider_opens_with_what_is_known_below_it(asia):
    reading = read(asia, "tub", "lung")
    assert describe_reading(asia, reading) == [
        "tub and lung are independent, whatever the numbers are (d-separated): every trail between them is blocked."
    ]
    assert write_trail(asia, reading.trails[0]) == "tub → either ← lung"
    assert explain(asia, reading) == [
        "✗ blocked at either: arrows meet there (a collider), and neither it nor a descendant is known."
    ]
    assert show_trail(asia, reading.trails[0]) == ShownTrail(("tub", "either", "lung"), ("either",))
    reading = read(asia, "tub", "lung", given=("xray",))
    assert describe_reading(asia, reading) == [
        "tub and lung may depend on each other given xray: an active trail leads from one to the other.",
        "Nothing else that could be known would separate them.",
    ]
    assert explain(asia, reading) == [
        "✓ passes either: arrows meet there (a collider), and its descendant xray is known."
    ]
    active, blocked = list_groups(asia, reading, 0)
    assert [item.text for item in active.items] == ["tub → either ← lung"]
    assert [item.text for item in blocked.items] == ["tub → either → dysp ← bronc ← smoke → lung  ✗ at dysp"]
    assert [item.pressed for item in (*active.items, *blocked.items)] == [True, False]


def test_a_likelihood_opens_a_collider_and_blocks_nothing(asia):
    reading = read(asia, "tub", "lung", likelihoods={"either": (0.9, 0.2)})
    assert describe_reading(asia, reading)[0].startswith(
        "tub and lung may depend on each other given a likelihood of either"
    )
    assert describe_reading(asia, reading)[-1] == (
        "A likelihood is an observed child of its variable: it opens colliders, and blocks nothing."
    )
    assert explain(asia, reading) == ["✓ passes either: arrows meet there (a collider), and it has a likelihood."]
    reading = read(asia, "tub", "xray", likelihoods={"either": (0.9, 0.2)})
    assert explain(asia, reading) == ["✓ passes either: it has a likelihood, which does not block."]
    # But one that leaves a single state is a state.
    reading = read(asia, "tub", "xray", likelihoods={"either": (0.9, 0.0)})
    assert explain(asia, reading) == ["✗ blocked at either: it is known."]


def test_what_decides_comes_before_what_is_just_passed(asia):
    assert explain(asia, read(asia, "asia", "smoke", given=("lung",))) == [
        "✗ blocked at either: arrows meet there (a collider), and neither it nor a descendant is known.",
        "✗ blocked at lung: it is known.",
        "✓ passes tub: not known.",
    ]


def test_what_would_separate_is_said(asia):
    assert describe_reading(asia, read(asia, "lung", "bronc"))[1] == "To know smoke too would separate them."
    told = describe_reading(asia, read(asia, "asia", "xray"))[1]
    assert told == "To know any one of tub, either too would separate them."
    told = describe_reading(asia, read(asia, "smoke", "dysp"))[1]
    smallest = ("lung, bronc", "bronc, either")
    assert told in [f"To know {names} too would separate them; no smaller set would." for names in smallest]
    assert explain(asia, read(asia, "smoke", "lung")) == ["They are neighbours: nothing between them could block."]


def test_what_is_known_and_what_is_not_joined(asia):
    told = describe_reading(asia, read(asia, "smoke", "lung", given=("smoke",)))
    assert told == ["smoke is known: nothing else can tell anything about it."]
    markov = as_markov(asia)
    told = describe_reading(markov, read(markov, "asia", "xray", given=("either",), likelihoods={"tub": (1, 0.5)}))
    assert told == [
        "asia and xray are independent given either, a likelihood of tub, whatever the numbers are (separated): "
        "every trail between them is blocked.",
        "A likelihood blocks nothing in a Markov network, and there is nothing to open.",
    ]


def test_a_markov_blanket_says_why_each_is_in_it(asia):
    told = describe_reading(asia, read(asia, "either"))
    assert told[0] == "The Markov blanket of either: 5 variables. Given these, it is independent of others."
    assert set(told[1:-1]) == {
        *("tub: a parent", "lung: a parent", "xray: a child", "dysp: a child", "bronc: another parent of dysp"),
    }
    markov = as_markov(asia)
    assert "lung: 1 factor in common" in describe_reading(markov, read(markov, "tub"))


def test_names_with_commas_between():
    assert split_names(" a, b ,,c ") == ["a", "b", "c"]


def test_sets_are_told_and_drawn_as_pairs_are(asia):
    reading = read(asia, ("tub", "asia"), ("lung", "smoke"))
    assert describe_reading(asia, reading) == [
        "{tub, asia} and {lung, smoke} are independent, whatever the numbers are (d-separated): "
        "every trail between them is blocked."
    ]
    reading = read(asia, ("tub", "asia"), "dysp", given=("tub",))
    assert describe_reading(asia, reading) == [
        "asia and dysp are independent given tub, whatever the numbers are (d-separated): "
        "every trail between them is blocked."
    ]
    reading = read(asia, ("bronc", "xray"), "smoke")
    assert describe_reading(asia, reading) == [
        "{bronc, xray} and smoke may depend on each other: active trails lead from one to the other.",
        "Nothing else that could be known would separate them.",
    ]
    assert {write_trail(asia, trail) for trail in reading.separation.active} == {
        "bronc ← smoke",
        "xray ← either ← lung ← smoke",
    }
    with pytest.raises(PgmError, match="9 and 8 variables are too many"):
        read(asia, ("tub",) * 9, ("lung",) * 8)
