"""What a tool can know of the call it runs for."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .answers import unexpected
from .connection import Connection, Request
from .errors import CountersignError


@dataclass(frozen=True)
class ToolContext:
    tool: str
    #: None for a call that needed no approval.
    approval_id: str | None = None
    #: The same for every attempt at this call: pass it on to what the tool calls.
    idempotency_key: str | None = None
    #: What an approver attached: answers to a form, or a payload.
    decision: Any = None
    #: A person changed the arguments.
    edited: bool = False
    _countersign: tuple[Connection, str, str] | None = field(default=None, repr=False)

    def countersign(self, audience: str | None = None) -> str:
        """Proof for the next gate that exactly this call was approved. Made once."""
        connection, request = self._request(audience)
        return _proof(connection.send(request))

    async def countersign_async(self, audience: str | None = None) -> str:
        connection, request = self._request(audience)
        return _proof(await connection.send_async(request))

    def _request(self, audience: str | None) -> tuple[Connection, Request]:
        if self._countersign is None:
            raise CountersignError("not_permitted", "this call is not countersigned")
        connection, approval_id, claim = self._countersign
        body = {"claim": claim, **({} if audience is None else {"audience": audience})}
        path = f"/v1/approvals/{approval_id}/countersignature"
        return connection, Request("POST", path, body)


_current: contextvars.ContextVar[ToolContext | None] = contextvars.ContextVar(
    "countersign_tool", default=None
)


def current() -> ToolContext | None:
    """The context of the guarded call that runs now; None outside of one."""
    return _current.get()


def in_context(context: ToolContext, work: Callable[[], Any]) -> Any:
    """Runs the function in a context of its own, so that threads and tasks do not mix."""
    token = _current.set(context)
    try:
        return work()
    finally:
        _current.reset(token)


def set_context(context: ToolContext) -> contextvars.Token[ToolContext | None]:
    return _current.set(context)


def reset_context(token: contextvars.Token[ToolContext | None]) -> None:
    _current.reset(token)


def _proof(answer: Any) -> str:
    proof = answer.get("countersignature") if isinstance(answer, dict) else None
    return proof if isinstance(proof, str) else unexpected()
