"""Text fields."""

from __future__ import annotations

import pytest

from pgmgui.components.fields import TextField, make_field


def test_what_is_typed_after_a_text_was_entered_stays():
    field = TextField(value="one")
    assert field.value_input == "one"
    field._process_events({"value": "two", "value_input": "two, and mo"})  # both came while the server was busy
    assert (field.value, field.value_input) == ("two", "two, and mo")
    field._process_events({"value": "two, and more", "value_input": "two, and more"})
    assert (field.value, field.value_input) == ("two, and more", "two, and more")
    field.value = "three"
    assert field.value_input == "three"


@pytest.mark.parametrize("shown", ["0.5", ""])
def test_what_is_set_when_a_text_is_entered_is_shown(shown):
    field = make_field("Share", "of the cells", lambda _text: field.param.update(value=shown))
    field._process_events({"value": ".50", "value_input": ".50"})
    assert (field.value, field.value_input) == (shown, shown)
