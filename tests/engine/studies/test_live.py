"""What is watched of a study is a problem of its own, and its own learners."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.learning.learn import learn
from engine.learning.methods import find_method
from engine.learning.workspace import NEVER
from engine.model.errors import ModelError
from engine.simulation.generators import grid_markov
from engine.studies import gradients, problems
from engine.studies.catalogue import STUDIES
from tests.engine.studies.quick import ASIA, gather


def describe(method):
    """What a learner does, whatever it is called."""
    found = find_method(method)
    return found.learner, found.decomposed, found.conditioned


@pytest.mark.parametrize("name", STUDIES)
def test_the_learners_that_are_watched_are_those_of_the_study(name, monkeypatch):
    study, ran = STUDIES[name], []

    def spy(network, dataset, method, **options):
        ran.append(method)
        return learn(network, dataset, method, **options)

    monkeypatch.setattr(problems, "learn", spy)
    monkeypatch.setattr(gradients, "learn", spy)
    first = (*study.quick_networks, *study.networks)[0]
    network = grid_markov(2, 2) if study.takes_markov or "grid" in first else ASIA
    settings = replace(study.quick, rows=8, datasets=1, max_iter=1)
    for cell in study.list_cells({first: network}, settings):
        cell.solve(cell.pose(), NEVER)
    assert {describe(method) for method in study.live.methods} <= {describe(method) for method in ran}
    assert study.live.look.rstrip(".?") != study.live.look


@pytest.mark.parametrize("name", STUDIES)
def test_the_problem_that_is_watched_is_the_last_of_the_quick_form(name):
    study = STUDIES[name]
    networks = gather(study, study.quick)
    chosen, network = next(iter(networks.items()))
    problem = study.pose_live(chosen, network)
    assert (problem.name, problem.complete.n_rows) == (chosen, study.quick.rows)
    cell = study.list_cells({chosen: network}, replace(study.quick, datasets=1))[-1]
    assert f"{problem.hidden:.0%}" in cell.name or "hidden" not in cell.name
    hidden = [v for v, codes in enumerate(problem.dataset.codes) if (codes < 0).all()]
    assert len(hidden) == round(problem.hidden * len(network.variables))
    seen = [v for v in range(len(network.variables)) if v not in hidden]
    assert np.array_equal(problem.dataset.codes[seen], problem.complete.codes[seen])
    assert (problem.complete.codes >= 0).all()


def test_the_network_that_is_watched():
    assert STUDIES["table-4.1"].choose_live(["water", "asia"]) == "water", "the first that is known"
    assert STUDIES["table-4.1"].choose_live(["chain"]) == "", "none of its own"
    assert STUDIES["table-5.1"].choose_live([]) == "grid-4x4", "what is drawn needs no file"
    assert STUDIES["compression-figure-2"].choose_live(["alarm"]) == "chain-50", "that of the quick form"


def test_a_network_of_the_other_kind_is_refused():
    with pytest.raises(ModelError, match=r"asia is a Markov network; Table 4\.1 \[thesis\] needs a Bayesian network"):
        STUDIES["table-4.1"].pose_live("asia", grid_markov(2, 2))
