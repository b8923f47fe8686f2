"""What is known of arrows, against scores from dictionaries of counts and lists of all structures."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.model.dataset import make_dataset
from engine.model.network import BayesianNetwork, as_markov
from engine.simulation.sampling import simulate
from engine.structure.bootstrap import Confidence
from engine.structure.families import Families
from engine.structure.scores import make_score
from engine.structure.structural_em import make_network
from pgmgui.project.arrow_words import (
    describe_arrow,
    describe_class,
    describe_comparison,
    describe_confidence,
    describe_worths,
    list_lacking,
)
from pgmgui.project.arrows import NO_TRUTH, count_cells, find_facts
from tests.engine.structure.samples import make_variables
from tests.structure_oracles import family_score, find_class, list_compelled, list_structures

SIZES = (2, 3, 2)
COLLIDER = ((), (), (0, 1))
CHAIN = ((), (0,), (1,))


def make_random_network(parents, seed=3):
    rng = np.random.default_rng(seed)
    variables = make_variables(*SIZES)
    shapes = [(*(SIZES[p] for p in family), size) for family, size in zip(parents, SIZES, strict=True)]
    tables = tuple(rng.dirichlet(np.ones(shape[-1]), size=shape[:-1]) for shape in shapes)
    return BayesianNetwork(variables, parents, tables)


def judge(network, dataset, score="bic", truth=None, parents=None):
    counts = count_cells(dataset, network)
    families = Families(counts, make_score(score, counts))
    return find_facts(network.variables, parents or network.parents, score, families, truth)


def expected_rows(network, rows):
    """Each row completed in every way, with its probability, from the tables alone."""
    for row in rows:
        ways = list(
            itertools.product(*(range(size) if x is None else (x,) for x, size in zip(row, SIZES, strict=True)))
        )
        weights = [
            np.prod([table[(*(way[p] for p in family), way[v])] for v, (family, table) in enumerate(families)])
            for families in [list(zip(network.parents, network.tables, strict=True))]
            for way in ways
        ]
        yield from zip(ways, np.array(weights) / sum(weights), strict=True)


def check_worths(facts, rows, weights, score):
    def total(parents):
        return sum(family_score(score, rows, weights, SIZES, v, family) for v, family in enumerate(parents))

    assert facts.total == pytest.approx(total(facts.parents), abs=1e-9)
    assert list(facts.worths) == facts.arrows
    for parent, child in facts.arrows:
        without = [tuple(p for p in f if (p, v) != (parent, child)) for v, f in enumerate(facts.parents)]
        assert facts.worths[parent, child] == pytest.approx(facts.total - total(without), abs=1e-8)


@pytest.mark.parametrize("score", ["bic", "bdeu", "aic"])
@pytest.mark.parametrize("parents", [COLLIDER, CHAIN, ((), (0,), (0, 1))])
def test_an_arrow_is_worth_what_the_score_loses_without_it(parents, score):
    dataset = simulate(make_random_network(((), (0,), (0, 1))), 60, random_state=1)
    rows = [tuple(row) for row in dataset.codes.T.tolist()]
    facts = judge(make_random_network(parents), dataset, score)
    check_worths(facts, rows, dataset.weights.tolist(), score)


def test_missing_cells_count_as_the_network_expects_them():
    network = make_random_network(((), (0,), (0, 1)))
    rows = [(0, None, 1), (None, None, 0), (1, 2, 1), (0, 0, None), (None, 1, 1), (1, 1, 0)] * 3
    states = [[None if x is None else network.variables[v].states[x] for v, x in enumerate(row)] for row in rows]
    facts = judge(network, make_dataset(network.variables, states))
    completed, weights = zip(*expected_rows(network, rows), strict=True)
    check_worths(facts, completed, weights, "bic")


def test_classes_are_those_of_all_equivalent_structures():
    compelled = list_compelled(3)
    for parents in list_structures(3):
        facts = find_facts(make_variables(*SIZES), parents, "bic", None, None)
        assert {arrow for arrow in facts.arrows if not facts.is_reversible(arrow)} == compelled[find_class(parents)]


def test_arrows_are_compared_by_name_and_what_cannot_be_is_told():
    network, (a, b, c) = make_random_network(CHAIN), make_variables(*SIZES)
    truth = make_network((c, b, a), ((2,), (0,), ()))  # V0 → V2 → V1
    facts = find_facts(network.variables, CHAIN, "bic", None, truth)
    assert facts.judged == {(0, 1): "extra", (1, 2): "turned", (0, 2): "missing"}
    assert describe_comparison(facts).startswith(
        "Beside the true network: 0 right, 1 turned, 1 missing, 1 extra; SHD 3, "
    )
    assert describe_arrow(facts, None, (1, 2)).endswith("In the true network it points the other way.")
    own = find_facts(network.variables, CHAIN, "bic", None, network)
    assert describe_comparison(own) == "Beside the true network: all 2 arrows right, none missing or extra; SHD 0."
    for other, why in [
        (None, NO_TRUTH),
        (as_markov(network), "Markov network"),
        (make_network((a, b), ((), ())), "lacks 'V2'"),
    ]:
        facts = find_facts(network.variables, CHAIN, "bic", None, other)
        assert facts.judged == {}
        assert why in describe_comparison(facts)


def test_classes_are_told_in_words():
    variables = make_variables(*SIZES)
    told = {parents: describe_class(find_facts(variables, parents, "bic", None, None)) for parents in [COLLIDER, CHAIN]}
    assert told[COLLIDER] == "None of the 2 arrows could point the other way: no other network is equivalent."
    assert told[CHAIN].startswith("Each of the 2 arrows could point the other way in an equivalent network: V0 → V1,")
    assert describe_class(find_facts(variables, ((), (), ()), "bic", None, None)) == "There are no arrows."
    mixed = find_facts(make_variables(2, 2, 2, 2), ((), (), (0, 1), (2,)), "bic", None, None)
    assert describe_class(mixed).startswith("None of the 3")
    fork = find_facts(make_variables(2, 2, 2, 2), ((), (0,), (), (1, 2)), "bic", None, None)
    assert describe_class(fork).startswith("2 of 3 arrows could not point the other way")
    assert describe_class(fork).endswith("No data tells how the other points: V0 → V1.")


def test_arrows_that_are_worth_nothing_are_named():
    network = make_random_network(((), (), ()))
    dataset = simulate(network, 200, random_state=2)
    facts = judge(network, dataset, parents=COLLIDER)
    assert max(facts.worths.values()) < 0
    assert "no lower without 2 arrows: V0 → V2, V1 → V2." in describe_worths(facts)
    assert "Without it the BIC is" in describe_arrow(facts, None, (0, 2))
    assert "nats higher" in describe_arrow(facts, None, (0, 2))
    strong = judge(network, dataset, parents=((), (), ()))
    assert describe_worths(strong) == f"BIC: {strong.total:,.2f}."


def test_edges_that_are_often_found_and_not_here_are_told():
    found = np.array([[0.0, 0.3, 0.9], [0.2, 0.0, 0.1], [0.0, 0.3, 0.0]])
    confidence = Confidence(20, found)
    facts = find_facts(make_variables(*SIZES), ((), (), (1,)), "bic", None, None)
    assert list_lacking(facts, confidence) == [(0, 2), (0, 1)]
    assert describe_confidence(facts, confidence) == (
        "Found in half of 20 resamples or more, either way round: 0 of 1 arrow. As often found, but not here: "
        "V0 → V2, V0 → V1."
    )
    assert "Found in 40% of 20 resamples, 10% this way." in describe_arrow(facts, confidence, (1, 2))
