"""No file of the program has more than 400 lines, no function more than 50."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("app", "engine", "pgmgui")
MOST_LINES, MOST_IN_FUNCTION = 400, 50


def list_files(*suffixes: str) -> list[Path]:
    return [path for room in ROOMS for path in (ROOT / room).rglob("*") if path.suffix in suffixes]


def test_files_are_short():
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in list_files(".py", ".js", ".css")}
    assert len(lines) > 300
    assert {str(path): count for path, count in lines.items() if count > MOST_LINES} == {}


def test_functions_are_short():
    functions = [
        (node.end_lineno - node.lineno + 1, node.name, path.name)
        for path in list_files(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert len(functions) > 2000
    assert [some for some in functions if some[0] > MOST_IN_FUNCTION] == []
