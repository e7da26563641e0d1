"""Keeps secrets of a call out of what its tool says when it fails.

The policy that names secrets is on the server. Here the arguments count that code names, and those
whose names say what they hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

_MASK = "[secret]"
_SHORTEST = 6
_LONGEST_TEXT = 2_000
_NAMES = re.compile(
    r"pass(?:word|wd|phrase|code)|secret|token|api_?key|credential|authorization|private_?key|cookie",
    re.I,
)


def hidden_texts(args: Any, paths: Iterable[str]) -> list[str]:
    """The secrets themselves, longest first."""
    named = [_value_at(args, _keys_of(path)) for path in paths]
    found = {text for value in (*named, *_telling(args)) for text in _texts(value)}
    return sorted((text for text in found if len(text) >= _SHORTEST), key=len, reverse=True)


def error_text(error: BaseException, secrets: Iterable[str] = ()) -> str:
    """What an error says, in a length and form that can be shown and stored."""
    try:
        text = str(error)
        # Before it is cut: half of a secret would not be found any more.
        for secret in secrets:
            text = text.replace(secret, _MASK)
        text = text[:_LONGEST_TEXT].encode("utf-8", "replace").decode().replace("\0", "")
        return text or type(error).__name__
    except Exception:
        return "something that cannot be shown"


def _telling(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for name, member in value.items():
            if _NAMES.search(name):
                yield member
            else:
                yield from _telling(member)
    elif isinstance(value, list):
        for item in value:
            yield from _telling(item)


def _keys_of(path: str) -> list[str]:
    """As in policy files: a backslash before a dot makes it part of the name."""
    return [re.sub(r"\\(.)", r"\1", key) for key in re.findall(r"(?:\\.|[^.\\])+", path)]


def _value_at(value: Any, keys: list[str]) -> Any:
    for key in keys:
        # Where a path cannot go on, as in a list, the secret is somewhere in what stands there.
        if not isinstance(value, dict):
            return value
        value = value.get(key)
    return value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, dict):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
