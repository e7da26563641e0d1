"""An exported record, checked line by line: hashes, chains, links, checkpoints and content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from ..canonical import ANSWER_DEPTH, canonical, parse
from ..errors import CountersignError
from .jws import Jws, public_key
from .report import Problem, Report
from .shapes import Head, check_body, check_line, checkpoint_of, is_body

NONE = "0" * 64
MAX_LINE = 64 * 1_048_576
MAX_KEYS = 1_000_000


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def hash_of(value: Any, place: str) -> str:
    """Of the canonical text. Results may be nested as deeply as arguments, and stand in a list here."""
    try:
        return sha256(
            canonical(value, max_bytes=MAX_LINE, max_depth=ANSWER_DEPTH, max_keys=MAX_KEYS)
        )
    except CountersignError as error:
        raise Problem("unreadable", place, error.message) from error


def verify_lines(
    lines: Iterable[str | bytes],
    *,
    keys: Iterable[dict[str, Any]] | None = None,
    checkpoints: Iterable[str] = (),
) -> Report:
    """`keys` are the only ones that count, where they are given; `checkpoints` were kept elsewhere."""
    verifier = _Verifier(keys, list(checkpoints))
    try:
        for number, line in enumerate(lines, 1):
            verifier.read(line, f"line {number}")
        verifier.end()
    except Problem as problem:
        found = {"code": problem.code, "place": problem.place, "message": problem.message}
        verifier.report.ok, verifier.report.problem = False, found
    return verifier.report


class _Verifier:
    def __init__(self, keys: Iterable[dict[str, Any]] | None, kept: list[str]) -> None:
        self.report = Report()
        self._trusts_all = keys is None
        given = list(keys or ())
        self._keys = dict(public_key(jwk) for jwk in given)
        #: What the reader knows to be revoked.
        self._marked = [public_key(jwk)[0] for jwk in given if "revoked" in jwk]
        self._kept = kept
        #: Of each checkpoint: tenant, number, key and the ends that it names.
        self._signatures: list[tuple[str, int, str, list[Head]]] = []
        self._revoked: set[str] = set()
        self._stage = ""
        self._since = self._part = False
        self._last_checkpoint: dict[str, tuple[int, str]] = {}
        self._checkpoint_texts: set[str] = set()
        self._named: list[tuple[Head, str]] = []
        self._heads: dict[str, tuple[int, str]] = {}
        #: With `since`: what the first entry of a chain says of the one before it.
        self._before: dict[str, tuple[int, str]] = {}
        self._hashes: dict[tuple[str, int], str] = {}
        self._commands: set[str] = set()
        self._ended: int | None = None

    def read(self, line: str | bytes, place: str) -> None:
        try:
            record = parse(line, max_bytes=MAX_LINE)
            check_line(record)
        except (CountersignError, ValueError) as error:
            raise Problem("unreadable", place, str(error)) from error
        kind = record["kind"]
        if (self._stage == "") != (kind == "export") or self._stage == "end":
            raise Problem("unreadable", place, f"a line of kind {kind} does not belong here")
        self._stage = kind
        getattr(self, f"_{kind}")(record, place)

    def _export(self, record: dict[str, Any], _: str) -> None:
        self._since = "since" in record
        self._part = self.report.partial = self._since or "tenant" in record

    def _key(self, record: dict[str, Any], _: str) -> None:
        if not self._trusts_all:
            return
        try:
            # By its thumbprint, whatever name stands beside it.
            name, data = public_key(record["jwk"])
            self._keys[name] = data
        except ValueError:
            # What it is said to have signed is then signed with a key that is not known.
            return

    def _checkpoint(self, record: dict[str, Any], place: str) -> None:
        if self.report.entries > 0:
            raise Problem("unreadable", place, "checkpoints stand before all entries")
        tenant, n = record["tenant"], record["n"]
        signed, kid = self._signed(record["jws"], place)
        if (signed.tenant, signed.n) != (tenant, n):
            raise Problem("checkpoint", place, "it is signed for another place")
        last_n, last_hash = self._last_checkpoint.get(tenant, (0, NONE))
        if n != last_n + 1 or signed.prev != last_hash:
            raise Problem("checkpoint_order", place, f"checkpoint {n} does not follow {last_n}")
        self._last_checkpoint[tenant] = (n, sha256(record["jws"]))
        self._checkpoint_texts.add(record["jws"])
        self._named += [(head, "checkpoint") for head in signed.heads]
        self._signatures.append((tenant, n, kid, signed.heads))
        self.report.checkpoints += 1

    def _signed(self, text: Any, place: str) -> tuple[Any, str]:
        try:
            jws = Jws(text)
        except ValueError as error:
            raise Problem("checkpoint", place, str(error)) from error
        if jws.kid not in self._keys:
            raise Problem("checkpoint_key", place, "it is signed with a key that is not trusted")
        if not jws.is_a("countersign-checkpoint+jwt") or not jws.is_signed_by(self._keys):
            raise Problem("checkpoint", place, "its signature is not right")
        try:
            signed = checkpoint_of(jws.payload)
        except ValueError as error:
            raise Problem("checkpoint", place, str(error)) from error
        if jws.kid not in self.report.signed_by:
            self.report.signed_by.append(jws.kid)
        return signed, jws.kid

    def _entry(self, record: dict[str, Any], place: str) -> None:
        body, stated = record["body"], record["hash"]
        if not is_body(body):
            raise Problem("unreadable", place, "its text is not an entry")
        if hash_of(body, place) != stated:
            raise Problem("hash", place, "its text does not give its hash")
        try:
            check_body(body)
        except ValueError as error:
            raise Problem("unreadable", place, str(error)) from error
        self._follow(body, stated, place)
        self._links(body["event"], place)
        self._command(body["event"], place)
        self._content(record.get("content"), body.get("seals", {}), place)
        self._revocation(body)
        self.report.entries += 1

    def _revocation(self, body: dict[str, Any]) -> None:
        """A revoked key signs nothing from the first checkpoint on that covers its revocation."""
        event = body["event"]
        facts = event.get("facts")
        if event.get("type") != "key.revoked" or not isinstance(facts, dict):
            return
        key = facts.get("key")
        if not isinstance(key, str):
            return
        self._revoked.add(key)
        covers = False
        for tenant, n, kid, heads in self._signatures:
            if tenant != event.get("tenant"):
                continue
            covers = covers or any(
                head.writer == body["writer"] and head.seq >= body["seq"] for head in heads
            )
            if covers and kid == key:
                raise _signed_on(tenant, n, kid)

    def _expect_revoked(self) -> None:
        for tenant, n, kid, _ in self._signatures:
            is_last = self._last_checkpoint[tenant][0] == n
            is_unknown = not self._part and kid not in self._revoked
            if kid in self._marked and (is_last or is_unknown):
                raise _signed_on(tenant, n, kid)

    def _follow(self, body: dict[str, Any], stated: str, place: str) -> None:
        writer, seq, prev = body["writer"], body["seq"], body["prev"]
        last = self._heads.get(writer)
        if last is None:
            self.report.writers += 1
            if seq != 1 and not self._since:
                raise Problem("first_missing", place, f"{writer} begins with entry {seq}")
            if seq == 1 and prev != NONE:
                raise Problem("chain", place, "the first entry names one before it")
            self._before[writer] = (seq - 1, prev)
        elif seq <= last[0]:
            raise Problem("repeated", place, f"entry {seq} of {writer} was there already")
        elif seq != last[0] + 1:
            raise Problem("missing", place, f"entry {last[0] + 1} of {writer} is missing")
        elif prev != last[1]:
            raise Problem("chain", place, f"entry {seq} of {writer} does not follow the one before")
        self._heads[writer] = (seq, stated)
        self._hashes[writer, seq] = stated

    def _links(self, event: dict[str, Any], place: str) -> None:
        for head in map(Head.of, event.get("links", ())):
            found = self._hashes.get((head.writer, head.seq))
            if found is None and self._part:
                continue
            if found != head.hash:
                raise Problem("link", place, f"the chain of {head.writer} was removed or rewritten")

    def _command(self, event: dict[str, Any], place: str) -> None:
        if "approval" not in event:
            return
        named = hash_of([event.get(name) for name in ("approval", "command", "index")], place)
        if named in self._commands:
            raise Problem("repeated_command", place, "a command is recorded twice")
        self._commands.add(named)

    def _content(self, content: Any, seals: dict[str, str], place: str) -> None:
        for key, piece in (content or {}).items():
            sealed = ["countersign.content.v1", piece["salt"], key, piece["value"]]
            if seals.get(key) != hash_of(sealed, place):
                raise Problem("content", place, f"{key} was changed")
            self.report.content_checked += 1
        self.report.content_absent += len(set(seals) - set(content or {}))

    def _end(self, record: dict[str, Any], _: str) -> None:
        self._ended = record["entries"]

    def end(self) -> None:
        if self._ended is None or self._ended != self.report.entries:
            raise Problem("cut_off", "the end", "the file was cut off")
        for text in self._kept:
            self._signed(text, "a checkpoint that was kept")
            if text not in self._checkpoint_texts:
                raise Problem(
                    "checkpoint_missing", "the end", "a checkpoint that was kept is not in the file"
                )
        self._expect_revoked()
        for head, place in self._named:
            self._covered(head, place)
        covered: dict[str, int] = {}
        for head, _ in self._named:
            covered[head.writer] = max(covered.get(head.writer, 0), head.seq)
        self.report.uncovered = sum(
            seq > covered.get(writer, 0) for writer, seq in self._hashes
        )

    def _covered(self, head: Head, place: str) -> None:
        found = self._hashes.get((head.writer, head.seq))
        before, named = self._before.get(head.writer, (0, ""))
        if found is None and before == head.seq:
            found = named
        last = self._heads.get(head.writer)
        is_earlier = self._since and (last is None or head.seq < last[0])
        if found == head.hash or (found is None and is_earlier):
            return
        if found is None:
            raise Problem("cut_short", place, f"entry {head.seq} of {head.writer} is not there")
        raise Problem("contradicts_checkpoint", place, f"the chain of {head.writer} was rewritten")


def _signed_on(tenant: str, n: int, kid: str) -> Problem:
    why = f"it is signed with the key {kid}, which was revoked before"
    return Problem("key_revoked", f"checkpoint {n} of tenant {tenant}", why)
