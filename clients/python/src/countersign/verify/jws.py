"""Compact JWS with Ed25519 keys (RFC 7515, 8037), and names of keys (RFC 7638)."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from typing import Any

from ..canonical import canonical, parse
from ..errors import CountersignError
from . import ed25519


def decoded(text: str) -> bytes:
    """Base64url without padding, in the one way there is to write it. Raises `ValueError`."""
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text):
        raise ValueError("not base64url")
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if encoded(data) != text:
        raise ValueError("not the canonical base64url")
    return data


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def thumbprint(x: str) -> str:
    text = canonical({"crv": "Ed25519", "kty": "OKP", "x": x})
    return encoded(hashlib.sha256(text.encode()).digest())


def public_key(jwk: Any) -> tuple[str, bytes]:
    """The thumbprint and bytes of a public key. Raises `ValueError` for a key of another kind."""
    if not isinstance(jwk, dict) or (jwk.get("kty"), jwk.get("crv")) != ("OKP", "Ed25519"):
        raise ValueError("not an Ed25519 key")
    x = jwk.get("x")
    if not isinstance(x, str) or len(data := decoded(x)) != 32:
        raise ValueError("not an Ed25519 key")
    return thumbprint(x), data


class Jws:
    """A token that was taken apart. Nothing of it counts before `is_signed_by`."""

    def __init__(self, text: Any) -> None:
        """Raises `ValueError` where it is not a compact JWS of two JSON objects."""
        parts = text.split(".") if isinstance(text, str) else []
        if len(parts) != 3:
            raise ValueError("not a compact JWS")
        self._signed = f"{parts[0]}.{parts[1]}".encode()
        self._signature = decoded(parts[2])
        try:
            header, payload = parse(decoded(parts[0])), parse(decoded(parts[1]))
        except CountersignError as error:
            raise ValueError(error.message) from error
        if not isinstance(header, dict) or not isinstance(payload, dict):
            raise ValueError("not a compact JWS of objects")
        self._header = header
        self.kid: Any = header["kid"] if isinstance(header.get("kid"), str) else None
        self.payload: dict[str, Any] = payload

    def is_a(self, typ: str) -> bool:
        """Whatever algorithm, key or extension a token asks for: there is one of each."""
        return self._header == {"alg": "EdDSA", "typ": typ, "kid": self.kid}

    def is_signed_by(self, keys: Mapping[str, bytes]) -> bool:
        key = keys.get(self.kid)
        return key is not None and ed25519.verify(key, self._signed, self._signature)
