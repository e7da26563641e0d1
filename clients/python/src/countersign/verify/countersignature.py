"""Countersignatures: signed, single-use proof that one exact call was approved."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..canonical import canonical
from ..errors import CountersignError
from .jws import Jws, public_key

LONGEST_LIFE = 300
#: How far the clocks of two machines may be apart.
SKEW = 30
_CLAIMS = {
    "iss", "jti", "aud", "approval", "kind", "server", "tool", "args", "level", "met", "principal",
    "iat", "exp",
}  # fmt: skip


@dataclass(frozen=True)
class Verified:
    ok: bool
    claims: dict[str, Any] | None = None
    #: Why it counts as absent, for a log.
    problem: str | None = None


def verify_countersignature(
    token: Any,
    *,
    keys: Iterable[dict[str, Any]],
    tool: str,
    args: Mapping[str, Any],
    audience: str,
    server: str | None = None,
    kind: str = "tool",
    principal: Mapping[str, str] | None = None,
    now: float | None = None,
) -> Verified:
    """`keys` are JSON Web Keys you trust; `now` is in seconds. Use each `jti` once."""
    try:
        known = dict(public_key(jwk) for jwk in keys)
        jws = Jws(token)
        if not jws.is_a("countersignature+jwt") or not jws.is_signed_by(known):
            raise ValueError("it is not signed by a key that is trusted")
        claims = jws.payload
        call = {"kind": kind, "server": server, "tool": tool, "aud": audience}
        _check(claims, call, _digest(args), principal, time.time() if now is None else now)
    except (ValueError, CountersignError) as error:
        return Verified(False, problem=str(error))
    return Verified(True, claims)


def _digest(args: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(dict(args)).encode()).hexdigest()


def _check(
    claims: dict[str, Any],
    call: dict[str, Any],
    args: str,
    principal: Mapping[str, str] | None,
    now: float,
) -> None:
    if set(claims) != _CLAIMS:
        raise ValueError("it has other claims than described")
    for name, expected in {**call, "args": args}.items():
        if claims[name] != expected:
            raise ValueError(f"{name} is another one")
    if claims["principal"] != (None if principal is None else dict(principal)):
        raise ValueError("it is for another user")
    if not all(isinstance(claims[name], str) for name in ("iss", "jti", "approval")):
        raise ValueError("it does not say what was approved")
    if claims["level"] not in ("confirm", "review") or not isinstance(claims["met"], dict):
        raise ValueError("it does not say what was met")
    issued, expires = claims["iat"], claims["exp"]
    if type(issued) is not int or type(expires) is not int:
        raise ValueError("its times are not understood")
    if expires - issued > LONGEST_LIFE or expires <= issued:
        raise ValueError("it lives longer than a countersignature may")
    if not issued - SKEW <= now < expires + SKEW:
        raise ValueError("it is too early or too late")
