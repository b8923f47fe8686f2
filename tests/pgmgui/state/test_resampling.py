"""Searches in resampled data, beside the page: what is found is kept as it comes, and they can be stopped."""

from __future__ import annotations

import numpy as np
import pytest

from engine.model.randomness import make_generator
from engine.structure.families import Families
from engine.structure.hill_climbing import climb
from engine.structure.scores import make_score
from pgmgui.project.marks import Hidden
from pgmgui.state import resampling as module
from pgmgui.state.resampling import INCOMPLETE, MOST, Resampling
from pgmgui.state.structuring import pose_problem
from tests.pgmgui.state.test_arrow_facts import open_asia
from tests.structure_oracles import find_class


class Later:
    """Work beside the page, that is done a burst at a time."""

    def __init__(self):
        self.waiting = []

    def __call__(self, do):
        self.waiting.append(do)

    def do_one(self):
        self.waiting.pop(0)()()

    def do_all(self):
        while self.waiting:
            self.do_one()


@pytest.fixture
def burst(monkeypatch):
    """One resample a burst."""
    monkeypatch.setattr(module, "BURST", 0.0)


def start(rows=300, resamples=20, **marks):
    session, _ = open_asia(rows, **marks)
    later = Later()
    resampling = Resampling(session, later, lambda: pose_problem(session))
    resampling.start(resamples)
    return session, later, resampling


def test_confidence_is_the_share_of_searches_in_drawn_rows():
    session, later, resampling = start()
    later.do_all()
    assert not resampling.running
    assert resampling.confidence.resamples == 20
    assert resampling.title == "hill climbing by BIC"
    # Once more by hand: rows drawn one by one from the same generator, and every arrow of each class counted.
    problem = pose_problem(session)
    counts, generator, edges = problem.counts, make_generator(0), np.zeros((8, 8))
    for _ in range(20):
        drawn = generator.multinomial(300, counts.weights / counts.total)
        some = counts.take(np.flatnonzero(drawn), drawn[drawn > 0].astype(float))
        *_, last = climb(Families(some, make_score("bic", some)), problem.constraints)
        for pair in find_class(last.best)[0]:
            a, b = sorted(pair)
            edges[a, b] += 1 / 20
    np.testing.assert_allclose(np.triu(resampling.confidence.edges), edges, atol=1e-12)


def test_what_is_found_is_shown_as_it_comes_and_stays_when_stopped(burst):
    _, later, resampling = start()
    assert (resampling.running, resampling.confidence) == (True, None)
    later.do_one()
    later.do_one()
    known = resampling.confidence
    assert known.resamples == 2
    resampling.stop()
    assert not resampling.running
    later.do_all()
    assert resampling.confidence.resamples <= 3
    assert not later.waiting


def test_a_new_start_takes_the_place_of_the_last(burst):
    _, later, resampling = start()
    later.do_one()
    resampling.start(30)
    assert (resampling.wanted, resampling.confidence) == (30, None)
    later.do_all()
    assert resampling.confidence.resamples == 30


def test_other_data_forgets_it_and_other_arrows_do_not(burst):
    session, later, resampling = start()
    later.do_one()
    session.connect("asia", "smoke")
    session.move({"asia": (9.0, 9.0)})
    assert resampling.confidence is not None
    session.mark(["smoke"], Hidden())
    assert (resampling.confidence, resampling.running) == (None, False)
    later.do_all()
    assert resampling.confidence is None


def test_incomplete_data_markov_networks_and_no_data_are_refused_in_words():
    _, later, resampling = start(smoke=Hidden())
    assert (resampling.trouble, later.waiting) == (INCOMPLETE, [])
    assert resampling.find_obstacle() == INCOMPLETE
    session, later, resampling = start(rows=0)
    assert resampling.trouble.startswith("The data cannot be resampled: there is no data")
    session, later, resampling = start()
    later.do_all()
    session.moralise()
    resampling.start(20)
    assert "no arrows" in resampling.trouble
    assert resampling.confidence is None


def test_numbers_beyond_the_limits_are_cut():
    _, _, resampling = start(rows=20, resamples=10**9)
    assert resampling.wanted == MOST
    resampling.stop()


def test_a_search_that_breaks_is_told(monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(module, "make_score", fail)
    _, later, resampling = start()
    later.do_all()
    assert "oops" in resampling.trouble
    assert not resampling.running
