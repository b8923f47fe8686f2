"""The bar of marks, and what is known of a variable; with a real pointer and keyboard."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.ui.inspector import inspect

HOSTILE = "<img src=x onerror=alert(1)>"
ICON = ":material/home: <b>x</b>"


# --- marks


def test_the_bar_marks_one_or_several_at_once_and_tells_role_and_mark(open_panel):
    board = inspect(open_panel("variable"), "smoke")
    expect(board.mark("As in the data")).to_have_attribute("aria-pressed", "true")
    expect(board.says("In the data observed; no mark.")).to_be_visible()
    for name, role, words in (
        ("Hide", "hidden", "marked: hidden."),
        ("Partial", "partial", "marked: 50% missing, completely at random."),
        ("Soft", "soft", "marked: a sensor that is right 80% of the time."),
    ):
        board.mark(name).click()
        expect(board.node("smoke")).to_have_attribute("data-role", role)
        expect(board.mark(name)).to_have_attribute("aria-pressed", "true")
        expect(board.mark("As in the data")).to_have_attribute("aria-pressed", "false")
        expect(board.says(f"In the data observed; {words}")).to_be_visible()
    board.mark("Soft").click()
    expect(board.node("smoke")).to_have_attribute("data-role", "observed")
    expect(board.mark("As in the data")).to_have_attribute("aria-pressed", "true")
    for role in ("soft", "partial", "hidden", "observed"):
        board.undo()
        expect(board.node("smoke")).to_have_attribute("data-role", role)
    # By keyboard, it keeps the focus.
    board.mark("Hide").focus()
    board.page.keyboard.press("Enter")
    expect(board.node("smoke")).to_have_attribute("data-role", "hidden")
    expect(board.mark("Hide")).to_be_focused()
    board.page.keyboard.press("Tab")
    board.page.keyboard.press("Space")
    expect(board.node("smoke")).to_have_attribute("data-role", "partial")
    expect(board.mark("Partial")).to_be_focused()
    board.undo(2)
    # Several are marked together.
    board.select("smoke", "bronc", "xray")
    expect(board.page.get_by_text("smoke, bronc, xray: a mark is given to all of them.")).to_be_visible()
    expect(board.name).to_be_hidden()
    board.known("Partial").click()
    for name in ("smoke", "bronc", "xray"):
        expect(board.node(name)).to_have_attribute("data-role", "partial")
    board.enter("Fraction missing", "0.25")
    expect(board.says("In the data observed; marked: 25% missing, completely at random.")).to_be_visible()
    board.select("smoke")
    board.mark("Hide").click()
    expect(board.node("smoke")).to_have_attribute("data-role", "hidden")
    board.select("smoke", "bronc")
    expect(board.says("In the data observed; marked differently.")).to_be_visible()
    for name in ("As in the data", "Hide", "Partial", "Soft"):
        expect(board.mark(name)).to_have_attribute("aria-pressed", "false")


def test_a_confusion_table_of_its_own_then_fraction_mechanism_and_reliability(open_panel):
    board = inspect(open_panel("variable"), "smoke", section="Known")
    board.known("Sensor table").click()
    table = "Sensor of smoke: Pr(reported | true)"
    expect(board.cell(table, 0, 1)).to_have_text("0.8")
    assert board.texts(table) == [["yes", "0.8", "0.2", "1"], ["no", "0.2", "0.8", "1"]]
    board.type_into(table, 1, 1, "0.4")
    expect(board.cell(table, 1, 2)).to_have_text("0.6")
    expect(board.mark("Soft")).to_have_attribute("aria-pressed", "true")
    expect(board.says("In the data observed; marked: a sensor with its own table.")).to_be_visible()
    board.type_into(table, 0, 2, "0,5")
    expect(board.message).to_contain_text("write a probability with a point, as 0.5")
    expect(board.cell(table, 0, 2)).to_have_text("0.2")
    board.undo()
    expect(board.cell(table, 1, 1)).to_have_text("0.2")
    board.undo()
    expect(board.node("smoke")).to_have_attribute("data-role", "observed")
    expect(board.grid(table)).to_be_hidden()
    expect(board.says("In the data it is observed: a state in every one of 500 rows.")).to_be_visible()
    board.known("Partial").click()
    board.enter("Fraction missing", "1.5")  # what else cannot be is in tests/pgmgui/tabs/test_drafts.py
    expect(board.message).to_contain_text("'1.5' is above 1")
    expect(board.field("Fraction missing")).to_have_value("0.5")
    expect(board.says("Marked: 50% missing, completely at random.")).to_be_visible()
    board.enter("Fraction missing", "0")
    expect(board.says("So it is observed: a state in every one of 500 rows.")).to_be_visible()
    board.enter("Fraction missing", "1")
    expect(board.says("So it is hidden: no value in any of 500 rows.")).to_be_visible()
    board.undo()
    expect(board.field("Fraction missing")).to_have_value("0")
    board.enter("Fraction missing", ".3")
    board.choose_option("Missing", "not at random: by the value itself")
    expect(board.says("Marked: 30% missing, not at random: by the value itself.")).to_be_visible()
    board.known("Soft").click()
    board.enter("Reliability", "0.95")
    expect(board.says("Marked: a sensor that is right 95% of the time.")).to_be_visible()
    board.undo()
    expect(board.says("Marked: a sensor that is right 80% of the time.")).to_be_visible()
    board.select("bronc")
    board.mark("Partial").click()
    expect(board.says("In the data observed; marked: 30% missing, not at random: by the value itself.")).to_be_visible()


def test_missing_at_random_needs_another_observed_variable(open_panel):
    board = inspect(open_panel("variable", scene="thesis-chain"), "V", "X", "Y", "Z")
    board.known("Partial").click()
    board.choose_option("Missing", "at random, given other variables")
    expect(board.message).to_contain_text("no other variable stays observed")
    expect(board.select_field("Missing")).to_have_text("completely at random")


def test_a_row_of_three_reports_is_kept_until_it_sums_to_one(open_panel):
    board = inspect(open_panel("variable", scene="student"), "Grade", section="Known")
    board.known("Sensor table").click()
    table = "Sensor of Grade: Pr(reported | true)"
    board.type_into(table, 0, 1, "0.6")
    expect(board.page.get_by_text("⚠ Row 1 sums to 0.8, not 1")).to_be_visible()
    expect(board.cell(table, 0, 4)).to_have_attribute("data-kind", "warn")
    board.type_into(table, 0, 2, "0.3")
    expect(board.cell(table, 0, 4)).to_have_attribute("data-kind", "")
    assert board.texts(table)[0] == ["A", "0.6", "0.3", "0.1", "1"]
    board.type_into(table, 1, 1, "2.8")
    board.button("Normalise sensor").click()
    expect(board.cell(table, 1, 1)).to_have_text("0.756757")
    expect(board.button("Normalise sensor")).to_be_disabled()


def test_marks_need_data(open_panel):
    board = inspect(open_panel("variable", scene="earthquake"), "Alarm", section="Known")
    expect(board.says("There is no data to mark. Open or simulate some in the Data tab.")).to_be_visible()
    expect(board.mark("Hide")).to_be_disabled()
    expect(board.known("Sensor table")).to_be_disabled()


def test_the_bar_fits_a_small_window(stage, open_panel):
    page = stage.page
    page.set_viewport_size({"width": 1024, "height": 768})
    board = inspect(open_panel("variable"), "smoke")
    board.mark("Partial").click()
    expect(board.mark("Partial")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("In the data observed; marked")).to_be_visible()
    frame = board.canvas.bounding_box()
    boxes = [board.mark(name).bounding_box() for name in ("As in the data", "Hide", "Partial", "Soft")]
    for box in boxes:
        assert box["y"] == boxes[0]["y"]
        assert box["x"] + box["width"] < frame["x"] + frame["width"]
        assert box["y"] + box["height"] <= frame["y"]
    words = page.get_by_text("In the data observed; marked").bounding_box()
    assert words["x"] + words["width"] <= frame["x"] + frame["width"]
    assert words["y"] + words["height"] <= frame["y"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
