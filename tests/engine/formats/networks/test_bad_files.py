"""Files of other tools that are wrong: what is wrong with them is said, and where."""

import pytest

from engine.formats import read_network
from engine.model.errors import FormatError
from tests.shared_data import DATA, needs_data

BAD = {
    "bif/dBN_with_errors.bif": "line 347: a second probability table for 'lasubt_1'",
    "bif_credal/2Umin.bif": "line 31: expected '{', got 'type'",
    "dsc/ab_bad_prob_cond_node2.dsc": "line 11: 'B' has the parent 'Y', which is not defined",
    "dsc/null.sys.dsc": "line 1: expected 'belief'",
    "uai_childfirst/bnpp_alarm.uai": "line 43: function 1 has the child 0",
}


@needs_data
@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_explained(name: str) -> None:
    with pytest.raises(FormatError) as raised:
        read_network(DATA / "quirky" / name)
    assert BAD[name] in str(raised.value)
