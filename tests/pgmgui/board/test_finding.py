"""Finding variables by name, role, component and state, and by what they are to others."""

from __future__ import annotations

import pytest

from pgmgui.board.finding import find, find_related
from pgmgui.board.picture import look_at
from pgmgui.project.examples import find_example
from pgmgui.project.marks import Hidden
from pgmgui.state.session import Session


@pytest.fixture
def asia():
    session = Session()
    session.open_example(find_example("asia"))
    return session


def found(session, text):
    names = [variable.name for variable in session.network.variables]
    return [(names[v], why) for v, why in find(session.network, look_at(session), text)]


def test_names_come_before_all_else_and_the_whole_name_first(asia):
    asia.rename("bronc", "tu")
    asia.rename("smoke", "statue")
    assert found(asia, "  TU ") == [("tu", ""), ("tub", ""), ("statue", "")]
    assert found(asia, "nobody") == found(asia, "  ") == found(asia, "") == []


def test_roles_and_components_and_what_is_left_out(asia):
    assert found(asia, "hidden") == [("tub", "hidden"), ("lung", "hidden")]
    assert found(asia, "hi") == []
    members = [name for name, _ in found(asia, "component 2")]
    component = asia.parts.task.decomposition.components[1]
    assert members == [asia.network.variables[v].name for v in sorted(component.variables)]
    assert found(asia, "#2") == found(asia, "Component 2")
    assert found(asia, "component 0") == found(asia, "component 99") == []
    asia.mark(["dysp"], Hidden())
    assert found(asia, "left out") == [("dysp", "left out")]


def test_states(asia):
    assert {why for _, why in found(asia, "yes")} == {"state yes"}
    assert len(found(asia, "yes")) == 8


def test_what_variables_are_to_others(asia):
    def related(relation, *names):
        return find_related(asia.network, look_at(asia), names, relation)

    assert related("blanket", "tub") == ["asia", "lung", "either"]
    assert related("ancestors", "either") == ["asia", "tub", "smoke", "lung"]
    assert related("descendants", "tub") == ["either", "xray", "dysp"]
    assert related("role", "tub") == ["tub", "lung"]
    assert related("component", "tub") == [name for name, _ in found(asia, "#2")]
    assert related("component", "asia", "nobody") == ["asia"]
    assert related("role") == related("ancestors", "asia") == []
    with pytest.raises(ValueError, match="relation"):
        related("cousins", "asia")


def test_without_data_there_are_no_roles_and_components():
    session = Session()
    session.open_example(find_example("earthquake"))
    names = [variable.name for variable in session.network.variables]
    assert find_related(session.network, look_at(session), names, "role") == []
    assert find_related(session.network, look_at(session), names, "component") == []
