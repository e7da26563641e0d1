"""Ed25519 signatures (RFC 8032, section 5.1.7). Only verifying, so nothing here is secret."""

from __future__ import annotations

import hashlib
from functools import lru_cache

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)

#: Extended coordinates: x = X/Z, y = Y/Z, x·y = T/Z.
Point = tuple[int, int, int, int]

_NEUTRAL: Point = (0, 1, 1, 0)


# The same checkpoint is often looked at twice: in the file, and as one that was kept.
@lru_cache(maxsize=1_024)
def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    if len(public_key) != 32 or len(signature) != 64:
        return False
    key = _decoded(public_key)
    scalar = int.from_bytes(signature[32:], "little")
    # A larger one would be a second signature of the same message.
    if key is None or scalar >= L:
        return False
    hashed = hashlib.sha512(signature[:32] + public_key + message).digest()
    challenge = int.from_bytes(hashed, "little") % L
    negated = (P - key[0], key[1], key[2], P - key[3])
    expected = _add(_multiplied(scalar, _base()), _multiplied(challenge, negated))
    return _encoded(expected) == signature[:32]


@lru_cache(maxsize=1)
def _base() -> Point:
    point = _decoded((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    assert point is not None
    return point


def _decoded(data: bytes) -> Point | None:
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * SQRT_M1 % P
    if (x * x - square) % P != 0 or (x == 0 and sign == 1):
        return None
    if x & 1 != sign:
        x = P - x
    return (x, y, 1, x * y % P)


def _encoded(point: Point) -> bytes:
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _add(one: Point, two: Point) -> Point:
    a = (one[1] - one[0]) * (two[1] - two[0]) % P
    b = (one[1] + one[0]) * (two[1] + two[0]) % P
    c = 2 * one[3] * two[3] * D % P
    d = 2 * one[2] * two[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def _multiplied(scalar: int, point: Point) -> Point:
    result = _NEUTRAL
    while scalar:
        if scalar & 1:
            result = _add(result, point)
        point = _add(point, point)
        scalar >>= 1
    return result
