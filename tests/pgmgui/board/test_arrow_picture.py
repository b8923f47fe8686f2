"""How arrows look by what is known of them: never by colour alone, and in words."""

from __future__ import annotations

import numpy as np
import pytest

from engine.structure.bootstrap import Confidence
from engine.structure.structural_em import make_network
from pgmgui.board.arrow_picture import NO_RESAMPLES, draw_arrows
from pgmgui.project.arrows import COLOURINGS, NO_DATA, NO_TRUTH, find_facts
from tests.engine.structure.samples import make_variables
from tests.pgmgui.project.test_arrows import CHAIN, COLLIDER, judge, make_random_network, simulate

VARIABLES = make_variables(2, 3, 2)


def label(arrows):
    return {look.ends: (look.kind, look.label) for look in arrows}


def test_nothing_is_drawn_unless_it_is_asked_for():
    facts = find_facts(VARIABLES, CHAIN, "bic", None, None)
    assert draw_arrows(facts, "", None, "") is None
    assert draw_arrows(None, "", None, "worth") is None
    assert draw_arrows(None, "no arrows", None, "worth").legend == (("", "no arrows"),)


@pytest.mark.parametrize(
    ("colouring", "why"), [("worth", NO_DATA), ("confidence", NO_RESAMPLES), ("comparison", NO_TRUTH)]
)
def test_the_legend_says_why_nothing_is_known(colouring, why):
    facts = find_facts(VARIABLES, CHAIN, "bic", None, None, NO_DATA)
    drawn = draw_arrows(facts, "", None, colouring)
    assert (drawn.edges, drawn.added) == ((), ())
    assert drawn.legend == (("", why),)


def test_worths_are_written_with_their_sign_and_drawn_by_powers_of_ten():
    network = make_random_network(((), (0,), (0, 1)))
    facts = judge(network, simulate(network, 500, random_state=1))
    for look in draw_arrows(facts, "", None, "worth").edges:
        worth = facts.worths[look.ends]
        limits = [0, 10, 100, 1000]
        assert look.kind == f"worth-{len([limit for limit in limits if worth > limit])}"
        assert look.label[0] == "−+"[worth > 0]
        assert float(look.label[1:].replace(",", "")) == pytest.approx(abs(worth), rel=0.06)


def test_classes_are_dashed_and_signed():
    facts = find_facts(make_variables(2, 2, 2, 2), ((), (0,), (), (1, 2)), "bic", None, None)
    drawn = draw_arrows(facts, "", None, "class")
    assert label(drawn.edges) == {
        (0, 1): ("reversible", "⇄"),
        (1, 3): ("compelled", ""),
        (2, 3): ("compelled", ""),
    }
    assert drawn.edges[0].ends == (0, 1)  # what is signed has the first choice of room


def test_confidence_is_written_as_a_share_and_frequent_edges_that_lack_are_ghosts():
    found = np.zeros((3, 3))
    found[0, 2], found[2, 0], found[1, 2], found[0, 1] = 0.5, 0.46, 0.49, 0.8
    drawn = draw_arrows(find_facts(VARIABLES, COLLIDER, "bic", None, None), "", Confidence(50, found), "confidence")
    assert label(drawn.edges) == {(0, 2): ("sure-3", "96%"), (1, 2): ("sure-0", "49%")}
    assert label(drawn.added) == {(0, 1): ("missing", "80%")}
    assert "Found in 80% of 50 resamples, 80% this way." in drawn.added[0].about


def test_what_was_found_of_other_variables_is_not_drawn():
    facts = find_facts(VARIABLES, COLLIDER, "bic", None, None)
    assert draw_arrows(facts, "", Confidence(50, np.zeros((4, 4))), "confidence").edges == ()


def test_comparison_has_words_on_what_is_wrong_and_ghosts_of_what_is_missing():
    truth = make_network(VARIABLES, ((), (), (0,)))
    facts = find_facts(VARIABLES, ((), (0,), ()), "bic", None, truth)
    drawn = draw_arrows(facts, "", None, "comparison")
    assert label(drawn.edges) == {(0, 1): ("extra", "extra")}
    assert label(drawn.added) == {(0, 2): ("missing", "missing")}
    assert [kind for kind, _ in drawn.legend] == ["extra", "missing"]


def test_every_colouring_has_a_picture():
    facts = find_facts(VARIABLES, COLLIDER, "bic", None, None)
    assert all(draw_arrows(facts, "", None, colouring).legend for colouring in COLOURINGS[1:])
