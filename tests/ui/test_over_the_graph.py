"""What is drawn over the graph beside a trail: what is also given, and the edges of a fill-in."""

from __future__ import annotations

from playwright.sync_api import expect

from pgmgui.project.trails import ShownTrail


def test_what_is_also_given_has_a_frame_and_a_word_and_a_fill_in_is_dashed(open_scene, stage):
    board = open_scene("asia")
    sign, added = board.canvas.locator(".trail-given"), board.canvas.locator(".trail-added")
    stage.do(lambda: board.session.show_trail(ShownTrail((), (), ("smoke",))))
    expect(sign).to_have_text("also given")
    frame, node = sign.locator("path").bounding_box(), board.node("smoke").locator(".shape").bounding_box()
    assert frame["x"] < node["x"]
    assert frame["x"] + frame["width"] > node["x"] + node["width"]
    stage.do(lambda: board.session.show_fill_in([("tub", "bronc"), ("smoke", "asia")]))
    expect(added).to_have_count(2)
    expect(added.first).not_to_have_css("stroke-dasharray", "none")
    expect(sign).to_have_count(1)
    stage.do(lambda: (board.session.show_trail(None), board.session.show_fill_in([])))
    expect(sign).to_have_count(0)
    expect(added).to_have_count(0)
