"""Choosing learners: what is shown is not taken for what somebody chose."""

from pgmgui.state.session import Session
from pgmgui.strip.learner_choice import LearnerChoice


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
