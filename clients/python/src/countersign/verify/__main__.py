"""`python -m countersign.verify FILE [--keys JWKS] [--checkpoint FILE] [--json]`"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..canonical import parse
from ..errors import CountersignError
from .audit import verify_lines


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m countersign.verify",
        description="Verifies an exported record without the server that made it.",
    )
    parser.add_argument("file", help="what `countersign audit export` wrote; - reads standard input")
    parser.add_argument("--keys", help="a JSON Web Key Set; only these keys count")
    parser.add_argument(
        "--checkpoint", help="an older export, or a signed checkpoint, that was kept elsewhere"
    )
    parser.add_argument("--json", action="store_true", help="write the report as JSON")
    given = parser.parse_args(arguments)
    try:
        keys = None if given.keys is None else keys_in(Path(given.keys).read_text("utf-8"))
        kept = [] if given.checkpoint is None else newest_checkpoint(Path(given.checkpoint))
        report = verify_lines(lines_of(given.file), keys=keys, checkpoints=kept)
    except (OSError, ValueError, CountersignError) as error:
        print(f"usage: {error}", file=sys.stderr)
        return 2
    if given.json:
        print(json.dumps(report.as_json()))
    elif report.problem is not None:
        print("{code}: {place}\n  {message}".format(**report.problem))
    else:
        part = " of the part in this file" if report.partial else ""
        print(f"The record is intact: {report.entries} entries{part}, {report.uncovered} of them "
              f"newer than the last of {report.checkpoints} signed checkpoints.")
        print(f"Signed by: {', '.join(report.signed_by) or 'no key'}")
    return 0 if report.ok else 1


def lines_of(name: str) -> Iterator[bytes]:
    """Without the line feeds. Only those end a line; other separators are part of the text."""
    source: Any = sys.stdin.buffer if name == "-" else open(name, "rb")
    with source as file:
        for line in file:
            yield line[:-1] if line.endswith(b"\n") else line


def keys_in(text: str) -> list[dict[str, Any]]:
    found = parse(text)
    listed = found.get("keys") if isinstance(found, dict) else None
    if not isinstance(listed, list) or not listed:
        raise ValueError("the keys are not a JSON Web Key Set, or it is empty")
    return listed


def newest_checkpoint(path: Path) -> list[str]:
    """The last checkpoint of each tenant in an export, or the text itself."""
    text = path.read_text("utf-8").strip()
    if not text.startswith("{"):
        return [text]
    newest: dict[str, str] = {}
    for line in text.split("\n"):
        record = parse(line, max_bytes=64 * 1_048_576)
        if isinstance(record, dict) and record.get("kind") == "checkpoint":
            newest[str(record.get("tenant"))] = str(record.get("jws"))
    if not newest:
        raise ValueError("there is no checkpoint in the file")
    return list(newest.values())


if __name__ == "__main__":
    sys.exit(main())
