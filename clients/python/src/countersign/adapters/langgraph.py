"""LangGraph and LangChain: every tool call of a `ToolNode` or an agent behind the gate.

    ToolNode(tools, wrap_tool_call=tool_calls(gate), awrap_tool_call=async_tool_calls(gate))

With `pause=True` a call that waits for a person interrupts the graph. What it is resumed with decides
nothing: the call looks for its own approval, and interrupts again while there is none.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ..core import GateCore
from ..outcome import Outcome
from ..twins import asynchronous, blocking
from .told import missing, noted

try:
    from langchain_core.messages import ToolMessage
    from langgraph.types import interrupt
except ImportError as error:
    raise missing("langgraph", error) from error

Wrapper = Callable[[Any, Callable[[Any], Any]], Any]
AsyncWrapper = Callable[[Any, Callable[[Any], Awaitable[Any]]], Awaitable[Any]]


def tool_calls(gate: GateCore, *, run: str | None = None, pause: bool = False) -> Wrapper:
    """For `wrap_tool_call`. `run` names the conversation; the `thread_id` unless set."""
    own = blocking(gate)

    def wrap(request: Any, execute: Callable[[Any], Any]) -> Any:
        call = _Called(request, run)

        def tool(**args: Any) -> Any:
            return call.ended(execute(call.with_args(args)))

        def ask() -> Outcome:
            return own.run(call.name, call.args, tool, run=call.run, key=call.key, wait=not pause)

        outcome = ask()
        while pause and outcome.status == "pending":
            interrupt(call.pending(outcome))
            outcome = ask()
        return call.message(outcome)

    return wrap


def async_tool_calls(
    gate: GateCore, *, run: str | None = None, pause: bool = False
) -> AsyncWrapper:
    """For `awrap_tool_call`."""
    own = asynchronous(gate)

    async def wrap(request: Any, execute: Callable[[Any], Awaitable[Any]]) -> Any:
        call = _Called(request, run)

        async def tool(**args: Any) -> Any:
            return call.ended(await execute(call.with_args(args)))

        async def ask() -> Outcome:
            named = {"run": call.run, "key": call.key}
            return await own.run(call.name, call.args, tool, **named, wait=not pause)

        outcome = await ask()
        while pause and outcome.status == "pending":
            interrupt(call.pending(outcome))
            outcome = await ask()
        return call.message(outcome)

    return wrap


class _ToolSaidNo(Exception):
    """The tool node caught what the tool raised and made a message of it."""


class _Called:
    """One tool call of the model, and the message that answers it."""

    def __init__(self, request: Any, run: str | None) -> None:
        self._request = request
        self._call = request.tool_call
        self.name: str = self._call["name"]
        self.args: Any = self._call["args"]
        self.key: str | None = self._call.get("id")
        self.run = run if run is not None else _thread_of(request)
        self._answer: Any = None

    def with_args(self, args: dict[str, Any]) -> Any:
        return self._request.override(tool_call={**self._call, "args": args})

    def ended(self, answer: Any) -> Any:
        """What the server keeps, so that a node that runs again finds it."""
        self._answer = answer
        if not isinstance(answer, ToolMessage):
            return None
        if answer.status == "error":
            raise _ToolSaidNo(str(answer.content))
        return {"content": answer.content}

    def pending(self, outcome: Outcome) -> dict[str, Any]:
        return {
            "countersign": outcome.approval_id,
            "tool": self.name,
            "args": self.args,
            "message": outcome.model_message,
        }

    def message(self, outcome: Outcome) -> Any:
        if self._answer is not None:
            is_noted = outcome.status == "succeeded" and isinstance(self._answer, ToolMessage)
            if is_noted and outcome.model_message is not None:
                text = noted(self._answer.content, outcome.model_message)
                return self._answer.model_copy(update={"content": text})
            return self._answer
        if outcome.status == "failed" and not outcome.replayed:
            raise outcome.error
        kept = outcome.result if isinstance(outcome.result, dict) else {}
        if outcome.status == "succeeded":
            # Of a command for the graph nothing is kept, and a call that ran is no error.
            content = kept.get("content", "The call ran; its result is not kept.")
            return self._made(noted(content, outcome.model_message), "success")
        return self._made(outcome.model_message or "", "error")

    def _made(self, content: Any, status: str) -> Any:
        return ToolMessage(
            content=content, name=self.name, tool_call_id=self.key or "", status=status
        )


def _thread_of(request: Any) -> str | None:
    config = getattr(getattr(request, "runtime", None), "config", None) or {}
    thread = (config.get("configurable") or {}).get("thread_id")
    return thread if isinstance(thread, str) else None
