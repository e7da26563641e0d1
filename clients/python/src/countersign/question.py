"""A question on the server: what was asked, for which tool, and what became of it."""

from __future__ import annotations

import hashlib
import inspect
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from .answers import Json
from .calls import Mode
from .connection import Cancellation, Connection
from .errors import CountersignError
from .functions import Signature
from .outcome import Outcome, blocked, edited_of, pending


class Waiters:
    """How many callers of this process depend on an approval: only the last one withdraws it."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    def enter(self, approval_id: str) -> None:
        with self._lock:
            self._counts[approval_id] = self._counts.get(approval_id, 0) + 1

    def leave(self, approval_id: str) -> None:
        with self._lock:
            left = self._counts[approval_id] - 1
            if left:
                self._counts[approval_id] = left
            else:
                del self._counts[approval_id]

    def is_alone(self, approval_id: str) -> bool:
        with self._lock:
            return self._counts.get(approval_id, 0) <= 1


@dataclass(frozen=True)
class Tool:
    """A function by name. `start` is given arguments as they were approved."""

    name: str
    start: Callable[[dict[str, Any]], Any]
    #: `description` and `inputSchema`, as people see them.
    definition: dict[str, Any] | None = None
    #: What code says of the tool, in the words of policy files.
    declared: tuple[dict[str, Any], ...] = ()
    #: The result is not sent to the server.
    drop: bool = False
    #: Dotted paths of arguments that are left out of what a failing tool says.
    secrets: tuple[str, ...] = ()
    #: `start` gives a coroutine.
    is_async: bool = False


def named_tool(
    name: str, function: Callable[..., Any], definition: dict[str, Any] | None = None
) -> Tool:
    if hasattr(function, GUARDED):
        raise CountersignError(
            "usage", f"the tool {name} is guarded already", hint="Pass the function itself."
        )
    signature = Signature(function, name)
    return Tool(
        name,
        lambda args: signature.call(function, args),
        definition,
        is_async=inspect.iscoroutinefunction(function),
    )


def resumed_tool(told: Json, function: Callable[..., Any]) -> Tool:
    """The tool that was asked about. Without what people saw of it, it would be another one."""
    name = told["call"]["tool"]
    guarded = getattr(function, GUARDED, None)
    tool: Tool = guarded.resumed() if guarded else named_tool(name, function)
    if tool.name != name or (tool.definition is None and told["call"]["definition"] != _OF_NOTHING):
        raise CountersignError(
            "tool_unknown",
            f"people were shown another definition of {name}",
            hint="Pass the guarded function that asked.",
        )
    return tool


#: Where a guarded function keeps what it is.
GUARDED = "__countersign_guarded__"

#: The digest of a tool that says nothing of itself.
_OF_NOTHING = hashlib.sha256(b'["countersign.definition.v1",null]').hexdigest()


def nothing(_: dict[str, Any]) -> None:
    """Of a tool that is only asked about."""
    raise CountersignError("usage", "there is nothing to run")


@dataclass(frozen=True)
class Options:
    wait: bool = True
    wait_for: float | None = None
    cancel: Cancellation | None = None
    batch: str | None = None
    countersignature: str | None = None


@dataclass(frozen=True)
class Pipeline:
    connection: Connection
    mode: Mode
    #: Milliseconds; the server's own unless set.
    lease: int | None
    announce: Callable[[str], None] | None
    waiters: Waiters = field(default_factory=Waiters)


@dataclass(frozen=True)
class Question:
    id: str
    digest: str
    status: str
    execution: str | None
    tool: Tool
    declared: tuple[dict[str, Any], ...] = ()
    told: Json | None = None


def told_of(question: Question, told: Json) -> Question:
    return replace(question, status=told["status"], execution=told.get("execution"), told=told)


def blocked_with(answer: Json) -> Outcome:
    """What the server said of a call that does not run. Its sentence stays its own."""
    return Outcome(
        "blocked",
        False,
        code=answer["code"],
        model_message=answer["modelMessage"],
        approval_id=answer.get("id"),
        answer=answer.get("answer"),
        reason=answer.get("reason") if answer["code"] == "denied" else None,
    )


def outcome_of(question: Question) -> Outcome:
    """What became of an approval, for a caller that does not run it now."""
    told, name = question.told, question.tool.name
    if told is None:
        return pending(question.id, name)
    execution, text = told.get("execution"), told["modelMessage"]
    about = {"approval_id": question.id, "payload": told.get("payload")}
    if execution is None:
        if told["status"] in ("pending", "approved"):
            return pending(question.id, name)
        reason = {"reason": told["denial"]} if "denial" in told else {}
        said = {"code": told["status"], "modelMessage": text, "id": question.id, **reason}
        return blocked_with({**said, "answer": told.get("answer")})
    if execution == "succeeded":
        outcome = Outcome(
            "succeeded", True, result=told.get("result"), replayed=True, edited=edited_of(told)
        )
        return replace(
            outcome, model_message=text or None, no_result=told.get("noResult"), **about
        )
    if execution == "failed":
        if told.get("code") == "not_started":
            return blocked("not_started", name, approval_id=question.id)
        error = told.get("result")
        return replace(
            Outcome("failed", True, error=error, model_message=text, replayed=True), **about
        )
    code = "outcome_unknown" if execution == "unknown" else "already_claimed"
    return Outcome("unknown", "unknown", code=code, model_message=text, approval_id=question.id)
