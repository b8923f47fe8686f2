"""What engines say about a failure, in words that a user can act on; their own follow in brackets."""

from __future__ import annotations

MOST_REASON = 300
"""Characters of what an engine says about a failure."""
MEANINGS = (
    (("too small to be a parquet", "magic bytes"), "this is no Parquet file, or only a part of one: write it anew"),
    (("not a valid duckdb",), "this is no DuckDB database; expected a file that DuckDB has made"),
    (
        ("could not set lock", "conflicting lock", "being used by another process"),
        "another program has it open for writing: close that one, or open a copy of the file",
    ),
    (("is a directory",), "this is a folder; expected a file"),
    (("permission denied",), "this user may not read it: change the rights of the file"),
    (("no files found", "no such file"), "a file is not there any more: put it back, or name another"),
    (("newer duckdb", "serialization version"), "a newer DuckDB has made it: pip install --upgrade duckdb"),
    (
        (
            *("thrift", "snappy", "zstd", "corrupt", "decompress", "tprotocol", "checksum"),
            *("don't know what type", "invalid string encoding found in parquet"),
        ),
        "the file is damaged: copy or write it anew",
    ),
    (("schema mismatch",), "the files do not have the same columns: name those that do"),
    (("no space left",), "the disk is full, where DuckDB puts what does not fit: make room, or set TMPDIR"),
    (("out of memory",), "there are too many distinct rows for DuckDB's memory: leave columns out"),
    (("password authentication failed", "no password supplied"), "the server takes no such user and password"),
    (
        ("connection refused", "could not translate host", "failed to resolve host", "timeout expired"),
        "no server answers there: look at the host and the port, and whether it runs",
    ),
)
"""What to say where an engine says one of these, in any case."""


def explain_failure(error: BaseException, secrets: tuple[str, ...] = ()) -> str:
    """What has happened and what to do, as far as that is known, and what the engine says."""
    own = clean(str(error) or type(error).__name__, secrets)
    known = own.casefold()
    meant = next((words for signs, words in MEANINGS if any(sign in known for sign in signs)), "")
    return f"{meant} ({own})" if meant else own


def clean(text: str, secrets: tuple[str, ...]) -> str:
    """A message of an engine in one line, cut, without secrets, and without DuckDB's hints to its options and SQL."""
    for secret in secrets:
        text = text.replace(secret, "…")
    text = text.partition("Possible fixes")[0].partition("LINE 1:")[0]
    return " ".join(text.split())[:MOST_REASON]
