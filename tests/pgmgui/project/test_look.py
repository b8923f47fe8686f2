"""How a page looks, in its address: what is said comes back, and what is wrong is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.errors import PgmError
from pgmgui.project.arrows import COLOURINGS
from pgmgui.project.lessons import list_steps
from pgmgui.project.look import Look, take_look, write_look
from pgmgui.state.keeper import read_query
from pgmgui.state.session import Session

TABS = ("Open", "Data", "Runs")


PLACES = st.sampled_from(("", *list_steps()))


ARROWS = st.sampled_from(COLOURINGS)


@given(
    st.builds(Look, st.booleans(), st.booleans(), st.booleans(), st.sampled_from(("", *TABS)), PLACES, arrows=ARROWS)
)
def test_a_look_comes_back(look):
    said = dict(part.split("=") for part in write_look(look).split("&") if part)
    query = read_query({"example": [b"asia"], **{key: [value.encode()] for key, value in said.items()}})
    assert take_look(query, TABS) == look
    assert query == {"example": "asia"}
    session = Session()
    session.wear(look)
    assert session.look == look


def test_what_looks_as_at_first_is_not_said():
    assert write_look(Look()) == ""
    assert take_look({}, TABS) == Look()


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"theme": "black"}, "'theme' is 'black'; use one of default, dark"),
        ({"type": "130"}, "'type' is '130'; use one of usual, large"),
        ({"arrows": "age"}, "'arrows' is 'age'; use one of worth, class, confidence, comparison"),
        ({"bars": "yes"}, "'bars' is 'yes'; use one of 0, 1"),
        ({"scene": "nowhere.1"}, "'scene' is 'nowhere.1'; use one of "),
        ({"open": "Runs"}, "'open' is 'Runs'; use one of open, data, runs"),
    ],
)
def test_what_is_wrong_is_named(query, message):
    with pytest.raises(PgmError, match=message):
        take_look(query, TABS)
