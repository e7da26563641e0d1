"""CrewAI: tools behind the gate.

    Agent(role="Billing", tools=[guard_tool(gate, PayTool(), run=crew_id)])

CrewAI names no single call, so each call is asked about by itself.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from ..core import GateCore
from ..errors import CountersignError
from ..twins import asynchronous, blocking
from .told import result_or_sentence


class BaseToolLike(Protocol):
    """What is needed of a `BaseTool` of the package `crewai`."""

    name: str

    def model_copy(self) -> Any: ...

    def _run(self, *args: Any, **kwargs: Any) -> Any: ...


Tool = TypeVar("Tool", bound=BaseToolLike)


def guard_tool(
    gate: GateCore, tool: Tool, *, name: str | None = None, run: str | None = None
) -> Tool:
    """A copy of the tool. `name` is for policies, where the tool's own is a whole phrase."""
    work, work_async = tool._run, getattr(tool, "_arun", None)
    own = name if name is not None else tool.name

    def _run(*args: Any, **kwargs: Any) -> Any:
        _named_only(args)
        return result_or_sentence(blocking(gate).run(own, kwargs, _kwargs(work), run=run))

    async def _arun(*args: Any, **kwargs: Any) -> Any:
        _named_only(args)

        async def awaited(**given: Any) -> Any:
            assert work_async is not None
            return await work_async(**given)

        return result_or_sentence(await asynchronous(gate).run(own, kwargs, awaited, run=run))

    guarded: Tool = tool.model_copy()
    # Pydantic models refuse attributes that are no fields; these replace methods.
    object.__setattr__(guarded, "_run", _run)
    if work_async is not None:
        object.__setattr__(guarded, "_arun", _arun)
    return guarded


def _kwargs(work: Any) -> Any:
    def run(**given: Any) -> Any:
        return work(**given)

    return run


def _named_only(args: tuple[Any, ...]) -> None:
    if args:
        raise CountersignError(
            "invalid_call",
            "the tool was called with arguments without names",
            hint="Give the tool an args_schema.",
        )
