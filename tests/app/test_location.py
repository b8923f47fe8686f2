"""The address of a page, taken apart."""

import pytest

from app.location import take_apart


@pytest.mark.parametrize(
    ("host", "name", "port"),
    [
        ("127.0.0.1:5006", "127.0.0.1", "5006"),
        ("[::1]:5006", "[::1]", "5006"),
        ("[::1]", "[::1]", None),
        ("localhost", "localhost", None),
    ],
)
def test_the_host_may_be_an_address_of_version_6(host, name, port):
    parts = take_apart("http", host, "/?tab=a")
    assert (parts["hostname"], parts.get("port"), parts["href"]) == (name, port, f"http://{host}/?tab=a")


def test_only_the_first_question_mark_begins_the_parameters():
    parts = take_apart("http", "localhost", "/?a=b?c")
    assert (parts["pathname"], parts["search"]) == ("/", "?a=b?c")
    assert "search" not in take_apart("http", "localhost", "/?")
