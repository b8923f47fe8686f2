"""The summary at the end of ``make test``."""

from tests.slowest import SHOWN, list_slowest


def test_the_slowest_of_all_runs_come_first(tmp_path):
    for run in (1, 2):
        cases = "".join(f'<testcase classname="tests.run{run}" name="n{k}" time="{k + run / 10}"/>' for k in range(9))
        (tmp_path / f"{run}.xml").write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    slowest = list_slowest([tmp_path / "1.xml", tmp_path / "2.xml"])
    assert slowest[:3] == [(8.2, "tests.run2.n8"), (8.1, "tests.run1.n8"), (7.2, "tests.run2.n7")]
    assert len(slowest) == SHOWN
