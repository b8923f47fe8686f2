"""A tornado in the browser."""

from __future__ import annotations

from playwright.sync_api import expect

from pgmgui.components.tornado.tornado import Range, Tornado

RANGES = [
    Range("B = yes: 0.5", "", "", 0.1, 0.9, "10 → 90%"),
    Range("C = yes: 0.2", "given A = no", "", 0.6, 0.4, "60 → 40%"),
    Range("A = yes: 0.3", "", "", 0.5, 0.95, "50 → 95%"),
]


def test_a_click_on_a_heading_sorts_the_bars(stage):
    tornado = Tornado(ranges=RANGES, middle=0.5, heads=["Entry", "Width", "From → to"], label="Entries")
    page = stage.show(lambda: ([], [tornado]))
    bars = page.get_by_role("list", name="Entries").locator(".text")
    as_they_came = [one.text for one in RANGES]
    expect(bars).to_have_text(as_they_came)
    by_name, by_width = sorted(as_they_came), ["C = yes: 0.2", "A = yes: 0.3", "B = yes: 0.5"]
    for heading, rising in (("Entry", by_name), ("Width", by_width)):
        page.get_by_role("button", name=heading, exact=True).click()
        expect(bars).to_have_text(rising)
        page.get_by_role("button", name=f"{heading}, rising").press("Enter")
        expect(bars).to_have_text(rising[::-1])
    # Other bars stay sorted so; a third press brings back the order that they came in.
    stage.do(lambda: tornado.param.update(ranges=RANGES[::-1]))
    expect(bars).to_have_text(by_width[::-1])
    page.get_by_role("button", name="Width, falling").click()
    expect(bars).to_have_text(as_they_came[::-1])
