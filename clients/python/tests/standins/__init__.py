"""Small stand-ins of what frameworks document, for where the packages cannot be had.

They show that an adapter calls what the documentation names. They prove nothing about the packages.
"""

from __future__ import annotations

import sys
import types
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass
class ToolMessage:
    content: Any
    tool_call_id: str
    name: str = ""
    status: str = "success"

    def model_copy(self, *, update: dict[str, Any]) -> ToolMessage:
        return replace(self, **update)


@dataclass
class ToolCallRequest:
    tool_call: dict[str, Any]
    runtime: Any = None

    def override(self, **changes: Any) -> ToolCallRequest:
        return replace(self, **changes)


class GraphInterrupt(Exception):
    pass


#: What a graph is resumed with, one value for each interrupt.
resumed: list[Any] = []


def interrupt(value: Any) -> Any:
    if not resumed:
        raise GraphInterrupt(value)
    return resumed.pop(0)


@dataclass
class WrapperToolset(Generic[T]):
    wrapped: Any

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
        return await self.wrapped.call_tool(name, tool_args, ctx, tool)


@dataclass
class FunctionTool:
    name: str
    description: str
    params_json_schema: dict[str, Any]
    on_invoke_tool: Any
    needs_approval: bool = False


class BaseTool:
    name = "pay"
    description = "Pays."

    def model_copy(self) -> Any:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def run(self, **kwargs: Any) -> Any:
        return self._run(**kwargs)

    async def arun(self, **kwargs: Any) -> Any:
        return await self._arun(**kwargs)

    def _run(self, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def _arun(self, **kwargs: Any) -> Any:
        raise NotImplementedError


def install() -> None:
    """Puts them where the real packages would be. Never beside a real one."""
    _module("langchain_core.messages", ToolMessage=ToolMessage)
    _module("langgraph.types", interrupt=interrupt)
    _module("langgraph.prebuilt", ToolNode=None)
    _module("pydantic_ai.toolsets", WrapperToolset=WrapperToolset)
    try:
        import pydantic_core  # noqa: F401
    except ImportError:
        _module("pydantic_core", to_jsonable_python=lambda value: value)


def _module(name: str, **members: Any) -> None:
    try:
        __import__(name)
    except ImportError:
        parent = name.partition(".")[0]
        sys.modules.setdefault(parent, types.ModuleType(parent))
        made = types.ModuleType(name)
        made.__dict__.update(members)
        sys.modules[name] = made
