"""Hidden states renamed before tables are compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.learning.learn import learn
from engine.model.network import as_markov
from pgmgui.project.examples import find_example
from pgmgui.state.session import Session
from pgmgui.tabs.variable.comparing import gather_marginals, gather_tables, list_sources
from pgmgui.tabs.variable.renaming import rename_hidden

HIDDEN = "Class"


def exchange(network):
    """The network with the states of the hidden class in the opposite order."""
    v = network.index[HIDDEN]
    flipped = [np.flip(t, s.index(v)) if v in s else t for s, t in zip(network.scopes, network.tables, strict=True)]
    return replace(network, tables=tuple(flipped))


@pytest.fixture
def session():
    """A latent class that was learned, and what is called true: the same with the states of the class exchanged."""
    session = Session()
    session.open_example(find_example("latent-class"))
    *_, last = learn(session.network, session.seen)
    session.report(last)
    session.scene = replace(session.scene, truth=exchange(last.network()))
    return session


@pytest.mark.parametrize("name", [HIDDEN, "child"])
def test_a_class_that_is_well_recovered_differs_by_nothing(session, name):
    network = session.network
    if name == "child":
        name = next(network.variables[scope[-1]].name for scope in network.scopes if len(scope) > 1)
    factor, tables = network.index[name], gather_tables(session, name, 2.0)
    assert np.abs(tables.found["true"] - tables.found["learned"]).max() > 0.05
    back, _ = rename_hidden(session.parts.task, factor, tables, "learned", "true")
    np.testing.assert_array_equal(back.found["true"], tables.found["learned"])
    np.testing.assert_array_equal(back.counts, tables.counts)
    renamed, said = rename_hidden(session.parts.task, factor, tables, "true", "learned")
    np.testing.assert_array_equal(renamed.found["learned"], renamed.found["true"])
    states = network.variables[network.index[HIDDEN]].states
    assert f"{HIDDEN} is renamed: {states[0]} is its {states[-1]}" in said[0]
    # The counts go with what was learned, and so does what a prior makes of them.
    totals = renamed.counts.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(renamed.counts / totals, renamed.found["true"], atol=0.02)
    shrunk, _ = rename_hidden(session.parts.task, factor, tables, "true", "MAP")
    counts = shrunk.counts + 1
    np.testing.assert_allclose(shrunk.found["MAP"], counts / counts.sum(axis=1, keepdims=True), atol=1e-12)


def test_observed_states_are_never_renamed(session):
    name = session.network.variables[-1].name
    tables = gather_tables(session, name, 2.0)
    renamed, said = rename_hidden(session.parts.task, session.network.index[name], tables, "current", "current")
    np.testing.assert_array_equal(renamed.found["current"], tables.found["current"])
    assert said == []


def test_parameters_without_rows_behind_them_do_not_decide():
    session = Session()
    session.open_example(find_example("asia"))
    *_, last = learn(session.network, session.seen)
    session.report(last)
    tables = gather_tables(session, "tub", 2.0)
    # Seven of 500 rows have been to Asia, where tub has changed most.
    assert abs(tables.found["learned"] - tables.found["current"])[0].max() > 0.9
    renamed, _ = rename_hidden(session.parts.task, session.network.index["tub"], tables, "current", "learned")
    np.testing.assert_array_equal(renamed.found["learned"], tables.found["learned"])


def test_marginals_of_a_markov_network_are_renamed_too():
    session = Session()
    session.open_example(find_example("latent-class"))
    markov = as_markov(session.network)
    scene = session.scene
    session.replace_scene("moralise", replace(scene, document=replace(scene.document, network=markov)))
    session.scene = replace(session.scene, truth=exchange(markov))
    factor = next(k for k, scope in enumerate(markov.scopes) if len(scope) > 1)
    tables = gather_marginals(list_sources(session), [markov.variables[v] for v in markov.scopes[factor]])
    assert np.abs(tables.found["true"] - tables.found["current"]).max() > 0.05
    renamed, said = rename_hidden(session.parts.task, factor, tables, "current", "true")
    np.testing.assert_allclose(renamed.found["true"], renamed.found["current"], atol=1e-12)
    assert said
