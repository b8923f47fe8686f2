"""The options of a run: the prior of each kind of network."""

import pytest

from engine.learning.hold_out import HoldOut
from engine.model.prior import Gaussian, Laplace
from engine.model.table_prior import InstalledPrior, LogisticNormal
from pgmgui.project.examples import find_example
from pgmgui.state.race import offered
from pgmgui.state.session import Session
from pgmgui.strip.learner_choice import LearnerChoice
from pgmgui.strip.run_options import RunOptions


def open_options(example):
    """A session, what its network's prior is chosen with, and the fields of an exponent and of a width."""
    session = Session()
    session.open_example(find_example(example))
    options = RunOptions(session)
    kind, _ = options._choices["kind"]
    return session, kind, options._fields["prior"], options._fields["width"]


def test_a_markov_network_has_a_prior_of_a_kind_and_a_width():
    session, kind, exponent, width = open_options("thesis-grid")
    assert (kind.visible, exponent.visible, width.visible, width.disabled) == (True, False, True, True)
    kind.value = "Gaussian (L2)"
    assert session.scene.factor_prior == Gaussian(1.0)
    assert not width.disabled
    width.value = "0.5"
    assert session.scene.factor_prior == Gaussian(0.5)
    kind.value = "Laplace (L1)"
    assert session.scene.factor_prior == Laplace(0.5)
    session.undo()
    assert (kind.value, width.value) == ("Gaussian (L2)", "0.5")
    kind.value = "none"
    assert session.scene.factor_prior is None
    assert session.parts.task.geometry.prior is None


def test_a_width_that_is_none_is_refused():
    session, kind, _, width = open_options("thesis-grid")
    kind.value = "Gaussian (L2)"
    for text, why in (("0", "out of range; type a number from 1e-15"), ("wide", "'wide'"), ("-1", "is negative")):
        width.value = text
        assert session.message.startswith("Prior's width: ")
        assert why in session.message
        assert width.value == "1"
    assert session.scene.factor_prior == Gaussian(1.0)


def test_a_bayesian_network_has_exponents():
    session, kind, exponent, width = open_options("asia")
    assert (kind.visible, exponent.visible, width.visible) == (False, True, False)
    exponent.value = "2"
    assert session.scene.common_prior == 2.0


@pytest.mark.usefixtures("installed_priors")
def test_a_bayesian_network_has_a_prior_without_a_formula():
    """Or one of an installed package; of a width that a session remembers, and undo brings back."""
    session = Session()
    session.open_example(find_example("asia"))
    options = RunOptions(session)
    kind, exponent, width = options._table, options._fields["prior"], options._fields["width"]
    assert [kind.visible, *list(kind.options)[:2]] == [True, "Dirichlet", "logistic-normal"]
    assert "near" in kind.options
    kind.value = "logistic-normal"
    assert session.scene.table_prior == LogisticNormal(1.0)
    assert "choose it among the learners" in session.message
    assert (exponent.visible, width.visible, width.disabled, width.value) == (False, True, False, "1")
    width.value = "0.5"
    assert session.parts.task.geometry.prior == LogisticNormal(0.5)
    width.value = "1e9"
    assert "must be between 0.001 and 1000" in session.message
    assert width.value == "0.5"
    kind.value = "near"
    assert session.scene.table_prior == InstalledPrior("near", 1.0)
    kind.value = "absent"
    assert "cannot be loaded" in session.message
    assert (kind.value, session.scene.table_prior) == ("near", InstalledPrior("near", 1.0))
    session.undo()
    assert (kind.value, width.value) == ("logistic-normal", "0.5")
    session.set_prior("smoke", 3.0)
    assert "Kept, but not used" in session.message
    kind.value = ""
    assert session.scene.whole_prior["smoke"] == 3.0
    assert session.scene.table_prior is None


def test_only_numerical_em_is_offered_with_a_prior_without_a_formula():
    session, *_ = open_options("asia")
    choice = LearnerChoice(session)
    assert 'aria-label="numerical EM"' not in choice._others.object
    session.set_table_prior(LogisticNormal(1.0))
    assert offered(session.parts) == ["d-numerical-em", "numerical-em"]
    assert "has no formula for the prior &#x27;logistic-normal&#x27; on tables; use numerical EM" in (
        choice._others.object
    )
    session.open_example(find_example("thesis-grid"))
    assert "the partition function couples factors; use EM, whose M-step is numerical there" in choice._others.object


def test_learners_without_a_place_for_a_prior_are_listed_as_such():
    session, kind, _, _ = open_options("thesis-grid")
    choice = LearnerChoice(session)
    assert "has no place for a prior" not in choice._others.object
    kind.value = "Gaussian (L2)"
    for name in ("EDML", "decomposed EDML", "hybrid", "EDML in turn"):
        assert f'aria-label="{name}"' in choice._others.object
    assert "has no place for a prior on the factors; use EM or L-BFGS" in choice._others.object


def test_the_field_of_restarts_says_how_many_automatic_makes_in_any_case():
    session, *_ = open_options("asia")
    field = RunOptions(session)._fields["restarts"]
    assert field.label == "Restarts"
    session.configure(methods=("auto",))
    assert field.label == "Restarts (automatic: 8+)"


def test_rows_are_held_out_in_percent_and_can_be_undone():
    session = Session()
    session.open_example(find_example("asia"))
    options = RunOptions(session)
    share, seed = options._fields["hold_out"], options._fields["hold_out_seed"]
    assert (share.value, seed.disabled) == ("0", True)
    share.value = "29"
    assert session.held_out_rows == 145
    assert not seed.disabled
    before = session.parts.split.test_rows.tolist()
    seed.value = "3"
    assert session.scene.hold_out == HoldOut(0.29, 3)
    assert session.parts.split.test_rows.tolist() != before
    session.undo()
    session.undo()
    assert (share.value, session.held_out_rows) == ("0", 0)
    share.value = "95"
    assert session.message == "Hold out (%): '95' is out of range; type a number from 0 to 90."
    assert share.value == "0"
