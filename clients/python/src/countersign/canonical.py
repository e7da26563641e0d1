"""Canonical JSON (RFC 8785), and JSON that every reader understands alike.

Arguments are written once, when a call is made. What two readers could understand differently is
refused: people would approve one call, and another one would run.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from .errors import CountersignError

MAX_BYTES = 1_048_576
MAX_DEPTH = 64
MAX_KEYS = 10_000
SAFE = 2**53 - 1
#: Of texts that hold arguments or results within something else.
ANSWER_DEPTH = 100


def canonical(
    value: Any,
    *,
    max_bytes: int = MAX_BYTES,
    max_depth: int = MAX_DEPTH,
    max_keys: int = MAX_KEYS,
) -> str:
    """The one text of a JSON value. Raises `CountersignError` with the code of what is wrong."""
    writer = _Writer(max_bytes, max_depth, max_keys)
    writer.write(value)
    text = "".join(writer.parts)
    if len(text.encode()) > max_bytes:
        raise _too_large(max_bytes)
    return text


def parse(text: str | bytes, *, max_bytes: int = MAX_BYTES) -> Any:
    """Reads JSON. Keys that occur twice, unsafe numbers and half surrogate pairs are refused."""
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise CountersignError("invalid_unicode", "the text is not UTF-8") from error
    if len(text) > max_bytes:
        raise _too_large(max_bytes)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
            parse_int=_safe_int,
            parse_float=_finite,
        )
    except CountersignError:
        raise
    except RecursionError as error:
        raise CountersignError("too_deep", "the text is nested too deeply") from error
    except ValueError as error:
        raise CountersignError("invalid_json", f"the text is not JSON: {error}") from error
    # Escapes can make half of a surrogate pair, which no UTF-8 text holds otherwise.
    if "\\u" in text:
        _Writer(max_bytes * 2, ANSWER_DEPTH, len(text)).write(value)
    return value


class _Writer:
    def __init__(self, max_bytes: int, max_depth: int, max_keys: int) -> None:
        self.parts: list[str] = []
        self._path: list[str] = []
        self._size = 0
        self._keys = 0
        self._max = max_bytes
        self._max_depth = max_depth
        self._max_keys = max_keys

    def write(self, value: Any) -> None:
        # `bool` is an `int`; subclasses of any of these may lie about what they are.
        kind = type(value)
        if value is None:
            self._add("null")
        elif kind is bool:
            self._add("true" if value else "false")
        elif kind is str:
            self._add(self._string(value))
        elif kind is int:
            if not -SAFE <= value <= SAFE:
                self._refuse("unsafe_number", "is a number that not every reader keeps exactly")
            self._add(str(value))
        elif kind is float:
            self._add(self._float(value))
        elif kind is dict:
            self._object(value)
        elif kind is list or kind is tuple:
            self._list(value)
        else:
            self._refuse("invalid_value", f"is a {kind.__name__}, which JSON cannot hold")

    def _float(self, value: float) -> str:
        if not math.isfinite(value) or (value.is_integer() and abs(value) > SAFE):
            self._refuse("unsafe_number", "is a number that not every reader keeps exactly")
        return number_text(value)

    def _string(self, value: str) -> str:
        try:
            value.encode()
        except UnicodeEncodeError:
            self._refuse("invalid_unicode", "holds half of a surrogate pair")
        # What JSON.stringify writes: DEL and everything beyond ASCII stays as it is.
        return json.dumps(value, ensure_ascii=False)

    def _list(self, items: Any) -> None:
        self._enter()
        self._add("[")
        for index, item in enumerate(items):
            if index:
                self._add(",")
            self._path.append(f"[{index}]")
            self.write(item)
            self._path.pop()
        self._add("]")

    def _object(self, value: dict[Any, Any]) -> None:
        self._enter()
        members = list(value.items())
        self._keys += len(members)
        if self._keys > self._max_keys:
            raise CountersignError("too_large", f"the value has more than {self._max_keys} keys")
        for key, _ in members:
            if type(key) is not str:
                self._refuse("invalid_value", "has a key that is not text")
        self._add("{")
        for index, (key, member) in enumerate(sorted(members, key=_utf16)):
            self._path.append(f".{key}")
            self._add(f"{',' if index else ''}{self._string(key)}:")
            self.write(member)
            self._path.pop()
        self._add("}")

    def _enter(self) -> None:
        if len(self._path) >= self._max_depth:
            self._refuse("too_deep", "is nested too deeply, or holds itself")

    def _add(self, part: str) -> None:
        self.parts.append(part)
        self._size += len(part)
        if self._size > self._max:
            raise _too_large(self._max)

    def _refuse(self, code: str, what: str) -> NoReturn:
        at = "".join(self._path).encode("utf-8", "replace").decode()
        raise CountersignError(code, f"${at} {what}")


def number_text(value: float) -> str:
    """A finite number as ECMAScript writes it. Python finds the same shortest digits."""
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    power = f"e{point - 1:+d}"
    return sign + (digits if count == 1 else f"{digits[0]}.{digits[1:]}") + power


def _utf16(member: tuple[str, Any]) -> bytes:
    # RFC 8785 sorts by UTF-16 code units; half pairs are refused when the key is written.
    return member[0].encode("utf-16-be", "surrogatepass")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise CountersignError("duplicate_key", "an object names a key twice")
    return made


def _refuse_constant(name: str) -> NoReturn:
    raise CountersignError("unsafe_number", f"{name} is not a number in JSON")


def _safe_int(text: str) -> int:
    # Longer ones are refused anyway, and reading them takes time that grows with the square.
    value = int(text) if len(text) <= 17 else SAFE + 1
    if not -SAFE <= value <= SAFE:
        raise CountersignError("unsafe_number", "an integer is beyond ±(2^53−1)")
    return value


def _finite(text: str) -> float | int:
    value = float(text)
    if not math.isfinite(value) or (value.is_integer() and abs(value) > SAFE):
        raise CountersignError("unsafe_number", "a number is beyond what every reader keeps")
    return value


def _too_large(most: int) -> CountersignError:
    return CountersignError("too_large", f"the value is larger than {most} bytes", http_status=413)
