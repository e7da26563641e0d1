"""What a verifier says: the record is intact, or the first thing that is wrong."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


class Problem(Exception):
    """`code` as in docs/reference/audit.md, `place` as a reader finds it in the file."""

    def __init__(self, code: str, place: str, message: str) -> None:
        super().__init__(f"{code}: {place}\n  {message}")
        self.code = code
        self.place = place
        self.message = message


@dataclass
class Report:
    ok: bool = True
    entries: int = 0
    writers: int = 0
    checkpoints: int = 0
    #: Entries newer than the last signed checkpoint: no signature vouches for them.
    uncovered: int = 0
    signed_by: list[str] = field(default_factory=list)
    content_checked: int = 0
    content_absent: int = 0
    #: The file holds a part of the record, and only that was checked.
    partial: bool = False
    problem: dict[str, str] | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)
