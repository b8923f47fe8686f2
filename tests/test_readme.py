"""The README's examples of the command line give the output it shows."""

import re
import shlex
from pathlib import Path

import pytest

from app.cli import main

ROOT = Path(__file__).resolve().parents[1]


def read_examples() -> list[tuple[str, str]]:
    """The commands of the console blocks, each with the output that follows it."""
    blocks = re.findall(r"```console\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    return [tuple(text.split("\n", 1)) for block in blocks for text in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]


def test_the_examples_of_the_readme(tmp_path, monkeypatch, capsys):
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    monkeypatch.chdir(tmp_path)
    examples = read_examples()
    assert len(examples) > 5
    for command, output in examples:
        program, *arguments = shlex.split(command)
        assert program == "pgmgui"
        assert main(arguments) == (2 if output.startswith("pgmgui: ") else 0), command
        said = capsys.readouterr()
        assert not output or said.err + said.out == output


@pytest.mark.parametrize("target", re.findall(r"\]\((\w[^)#]*)\)", (ROOT / "README.md").read_text(encoding="utf-8")))
def test_what_the_readme_shows_is_there(target):
    assert (ROOT / target).is_file()
