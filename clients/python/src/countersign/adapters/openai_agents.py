"""OpenAI Agents: function tools behind the gate.

    Agent(name="Billing", tools=[guard_tool(gate, pay, run=session_id)])
"""

from __future__ import annotations

import copy
from typing import Any, Protocol, TypeVar

from ..canonical import canonical, parse
from ..core import GateCore
from ..errors import CountersignError
from ..outcome import refused_by
from ..twins import asynchronous
from .told import result_or_sentence


class FunctionToolLike(Protocol):
    """What is needed of a `FunctionTool` of the package `agents`."""

    name: str
    on_invoke_tool: Any


Tool = TypeVar("Tool", bound=FunctionToolLike)


def guard_tool(gate: GateCore, tool: Tool, *, run: str | None = None) -> Tool:
    """A copy of the tool. `run` names the conversation: within it, a call id is one call."""
    own, invoke, name = asynchronous(gate), tool.on_invoke_tool, tool.name

    async def on_invoke_tool(context: Any, arguments: str) -> Any:
        async def work(**args: Any) -> Any:
            return await invoke(context, canonical(args))

        try:
            # Keys that occur twice would show people another call than the tool reads.
            given = parse(arguments or "{}")
        except CountersignError as error:
            return refused_by(error, name).model_message
        key = getattr(context, "tool_call_id", None)
        return result_or_sentence(await own.run(name, given, work, run=run, key=key))

    guarded = copy.copy(tool)
    guarded.on_invoke_tool = on_invoke_tool
    return guarded
