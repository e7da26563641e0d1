"""Which members each line, body and payload has. What is not described is not understood."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

HASH = re.compile(r"[0-9a-f]{64}")

_LINES: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "export": (frozenset({"v", "database", "at"}), frozenset({"tenant", "since"})),
    "key": (frozenset({"tenant", "jwk"}), frozenset()),
    "checkpoint": (frozenset({"tenant", "n", "jws"}), frozenset()),
    "entry": (frozenset({"hash", "body"}), frozenset({"content"})),
    "end": (frozenset({"entries"}), frozenset()),
}
_BODY = ({"v", "writer", "seq", "prev", "event"}, {"refused", "state", "records", "seals"})


@dataclass(frozen=True)
class Head:
    """The end of a chain."""

    writer: str
    seq: int
    hash: str

    @staticmethod
    def of(value: Any) -> Head:
        if not isinstance(value, dict) or set(value) != {"writer", "seq", "hash"}:
            raise ValueError("the end of a chain is not understood")
        _check(isinstance(value["writer"], str) and _is_count(value["seq"]), "an end of a chain")
        _check(_is_hash(value["hash"]), "an end of a chain")
        return Head(value["writer"], value["seq"], value["hash"])


@dataclass(frozen=True)
class Checkpoint:
    database: str
    tenant: str
    n: int
    prev: str
    heads: tuple[Head, ...]


def check_line(record: Any) -> None:
    """Raises `ValueError`."""
    _check(isinstance(record, dict), "a line that is not an object")
    kind = record.get("kind")
    _check(isinstance(kind, str) and kind in _LINES, "a line of an unknown kind")
    needed, possible = _LINES[kind]
    _members(record, needed | {"kind"}, possible, f"a line of kind {kind}")
    if kind == "export":
        _check(record["v"] == "countersign.audit.v1", "an export of another version")
        _check(isinstance(record["database"], str), "an export")
    elif kind in ("key", "checkpoint"):
        _check(isinstance(record["tenant"], str), "a tenant")
        _check(kind == "key" or _is_count(record["n"]), "a checkpoint")
    elif kind == "entry":
        check_content(record.get("content", {}))
    else:
        _check(_is_count(record["entries"]) or record["entries"] == 0, "the end")


def is_body(body: Any) -> bool:
    """Whether it is an entry at all, before its hash says whether it was changed."""
    return (
        isinstance(body, dict)
        and _BODY[0] <= set(body)
        and body["v"] == "countersign.event.v1"
        and all(isinstance(body[name], str) for name in ("writer", "prev"))
        and _is_count(body["seq"])
        and isinstance(body["event"], dict)
    )


def check_body(body: dict[str, Any]) -> None:
    """Raises `ValueError`."""
    _members(body, _BODY[0], _BODY[1], "an entry")
    _check(_is_hash(body["prev"]), "an entry")
    event = body["event"]
    _check(isinstance(event.get("type"), str), "an event")
    links = event.get("links", [])
    _check(isinstance(links, list), "links")
    for link in links:
        Head.of(link)
    seals = body.get("seals", {})
    _check(isinstance(seals, dict) and all(map(_is_hash, seals.values())), "seals")


def check_content(content: Any) -> None:
    _check(isinstance(content, dict), "content")
    for piece in content.values():
        _check(isinstance(piece, dict) and set(piece) == {"salt", "value"}, "content")


def checkpoint_of(payload: dict[str, Any]) -> Checkpoint:
    _members(
        payload, {"v", "database", "tenant", "n", "prev", "at", "heads"}, set(), "a checkpoint"
    )
    _check(payload["v"] == "countersign.checkpoint.v1", "a checkpoint of another version")
    _check(_is_count(payload["n"]) and _is_hash(payload["prev"]), "a checkpoint")
    _check(isinstance(payload["heads"], list), "a checkpoint")
    heads = tuple(map(Head.of, payload["heads"]))
    return Checkpoint(payload["database"], payload["tenant"], payload["n"], payload["prev"], heads)


def _members(value: dict[str, Any], needed: Any, possible: Any, what: str) -> None:
    if not (needed <= set(value) <= needed | possible):
        raise ValueError(f"{what} has other members than described")


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and HASH.fullmatch(value) is not None


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 1


def _check(is_right: bool, what: str) -> None:
    if not is_right:
        raise ValueError(f"{what} is not understood")
