"""Passwords with signs that mean something in URLs, against a server that asks for one (SCRAM)."""

from __future__ import annotations

from urllib.parse import quote

import ibis
import pytest

from engine.model.errors import PgmError
from engine.model.variable import Variable
from engine.sources.opening import Request, open_source
from engine.sources.places import add_password, drop_password, find_password

PASSWORD = "a/b#c%d@e:f?g&h=i j+ü"
VARIABLES = (Variable("rain", ("yes", "no")),)


@pytest.fixture
def guarded(postgresql):
    """The URL, without its password, of a table for a user who needs one."""
    server = ibis.connect(postgresql.url())
    with server.raw_sql(f"CREATE ROLE guarded LOGIN PASSWORD '{PASSWORD}'"):
        pass
    server.create_table("weather", {"rain": ["yes", "no", "no"]})
    with server.raw_sql("GRANT SELECT ON weather TO guarded"):
        pass
    server.con.commit()
    server.con.close()
    rules = postgresql.folder / "data" / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text(f"local all guarded scram-sha-256\n{before}")
    postgresql.stop()
    postgresql.start()
    yield postgresql.url("weather").replace("counter@", "guarded@")
    rules.write_text(before)
    postgresql.stop()
    postgresql.start()
    server = ibis.connect(postgresql.url())
    for command in ("DROP TABLE weather", "DROP ROLE guarded"):
        with server.raw_sql(command):
            pass
    server.con.commit()
    server.con.close()


def test_a_password_arrives_as_it_is_meant(guarded):
    """Typed into a field of its own, within the URL, and as a parameter of it; another is refused, and not told."""
    word = quote(PASSWORD, safe="")
    ways = [
        add_password(guarded, PASSWORD),
        guarded.replace("guarded@", f"guarded:{word}@"),
        f"{guarded}&password={word}",
    ]
    for where in ways:
        assert find_password(where) == PASSWORD
        assert drop_password(where) == guarded
        assert open_source(Request(where, variables=VARIABLES)).data.n_rows == 3
    for wrong in ("", f"{PASSWORD}!", PASSWORD.replace("%", "%25")):
        with pytest.raises(PgmError, match="cannot connect: the server takes no such user and password") as caught:
            open_source(Request(add_password(guarded, wrong), variables=VARIABLES))
        assert "a/b#c" not in str(caught.value)
