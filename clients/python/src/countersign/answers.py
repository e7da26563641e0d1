"""Proxies and other programs answer with JSON as well.

What a call runs by must be there, and as expected. What else an answer holds is for newer clients.
"""

from __future__ import annotations

from typing import Any, NoReturn

from .errors import CountersignError

Json = dict[str, Any]


def call_answer(answer: Any) -> Json:
    """Raises where the answer does not say what becomes of the call."""
    if not isinstance(answer, dict):
        unexpected()
    status = answer.get("status")
    if status == "allowed" and isinstance(answer.get("args"), dict):
        return answer
    if status == "blocked" and _texts(answer, "code", "modelMessage"):
        return answer
    if status in ("pending", "approved") and _texts(answer, "id", "digest"):
        return answer
    if status == "unasked":
        return answer
    unexpected()


def claim_answer(answer: Any) -> Json:
    """Raises where the answer does not say what to run with, and until when."""
    is_whole = (
        isinstance(answer, dict)
        and _texts(answer, "claim")
        and isinstance(answer.get("args"), dict)
        and _is_number(answer.get("startWithin"))
        and _is_number(answer.get("lease"))
        and answer["lease"] > 0
        and _is_edited_or_not(answer)
    )
    return answer if is_whole else unexpected()


def approval_answer(answer: Any) -> Json:
    """Raises where the answer does not say what was asked about, and where it stands."""
    is_whole = (
        isinstance(answer, dict)
        and _texts(answer, "id", "status", "digest", "modelMessage")
        and isinstance(answer.get("call"), dict)
        and _texts(answer["call"], "tool", "definition")
        and _is_edited_or_not(answer)
    )
    return answer if is_whole else unexpected()


def unexpected() -> NoReturn:
    raise CountersignError(
        "server_unreachable",
        "the server answered something unexpected",
        hint="Check that the address is that of a Countersign server, and update it.",
    )


def _texts(answer: Json, *names: str) -> bool:
    return all(isinstance(answer.get(name), str) for name in names)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_edited_or_not(answer: Json) -> bool:
    edited = answer.get("edited")
    if edited is None:
        return "edited" not in answer
    return (
        isinstance(edited, dict)
        and isinstance(edited.get("paths"), list)
        and isinstance(edited.get("args"), dict)
        and isinstance(edited.get("modelMessage"), str)
    )
