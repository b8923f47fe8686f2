"""Choosing learners: what is shown is not taken for what somebody chose."""

from pgmgui.project.examples import find_example
from pgmgui.state.session import Session
from pgmgui.strip.learner_choice import LearnerChoice, make_learner_button


def test_showing_the_chosen_learners_changes_nothing():
    session = Session()
    session.configure(methods=("d-em", "em"))
    settings = session.settings
    choice = LearnerChoice(session)
    assert session.settings is settings
    seen = []
    session.param.watch(lambda event: seen.append(event.new.methods), "settings")
    session.configure(methods=("em", "d-edml"))
    assert seen == [("em", "d-edml")]
    assert sorted(title for group in choice._groups.values() for title in group.value) == ["EM", "decomposed EDML"]


def test_what_is_chosen_is_what_is_learned_with():
    session = Session()
    choice = LearnerChoice(session)
    next(group for group in choice._groups.values() if "EM" in group.options).value = ["EM", "EDML"]
    assert session.settings.methods == ("d-em", "em", "edml")


def open_choice(example):
    session = Session()
    session.open_example(find_example(example))
    return session, LearnerChoice(session)


def test_what_does_not_apply_is_listed_with_the_reason():
    _, choice = open_choice("thesis-grid")
    told = choice._others.object
    assert 'aria-label="IPF"' in told
    assert "needs complete data, but values of &#x27;1&#x27;, &#x27;6&#x27;, &#x27;8&#x27; are missing (8 of 36" in told
    assert "is for Bayesian networks" in told
    assert "EDML in turn" in [title for group in choice._groups.values() for title in group.options]
    _, choice = open_choice("asia")
    assert 'aria-label="IPF"' in choice._others.object
    assert "is for Markov networks" in choice._others.object


def test_what_was_chosen_and_does_not_apply_is_kept():
    session, choice = open_choice("asia")
    button = make_learner_button(session)
    session.configure(methods=("d-em", "ipf"))
    assert 'disabled checked aria-label="IPF"' in choice._others.object
    assert session.settings.methods == ("d-em", "ipf")
    assert button.label == "Learners: decomposed EM"
