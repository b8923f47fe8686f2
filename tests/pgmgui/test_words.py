"""What the page says about a network and its data."""

import pytest

from pgmgui.examples import load_gallery
from pgmgui.words import summarise

GALLERY = {example.id: example for example in load_gallery()}


@pytest.mark.parametrize(
    ("identifier", "facts"),
    [
        ("asia", ["8 variables", "8 arrows", "18 parameters", "500 rows", "2 hidden: tub, lung"]),
        ("burglary", ["5 variables", "4 arrows", "10 parameters", "100,000 rows", "12 counted", "1 hidden: Alarm"]),
        ("earthquake", ["5 variables", "4 arrows", "10 parameters", "no data"]),
        ("thesis-grid", ["9 variables", "12 edges", "48 parameters", "4 rows", "3 partly missing: 1, 6, 8"]),
    ],
)
def test_summary(identifier, facts):
    document, data = GALLERY[identifier].read()
    assert summarise(document.network, data and data.dataset) == facts
