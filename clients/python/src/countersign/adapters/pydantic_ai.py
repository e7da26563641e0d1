"""Pydantic AI: a toolset behind the gate.

    Agent(model, toolsets=[GuardedToolset(FunctionToolset([pay]), gate)])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..canonical import canonical
from ..context import current
from ..core import GateCore
from ..errors import NotStarted
from ..twins import asynchronous
from .told import missing, result_or_sentence

try:
    from pydantic_ai.toolsets import WrapperToolset
    from pydantic_core import to_jsonable_python
except ImportError as error:
    raise missing("pydantic-ai", error) from error


@dataclass
class GuardedToolset(WrapperToolset[Any]):
    """The model reads a sentence for a call that did not run, and is not asked to try again."""

    gate: GateCore
    #: Names the conversation; the id of the run unless set.
    run: str | None = None

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
        wrapped = super().call_tool

        async def work(**args: Any) -> Any:
            context = current()
            # Validated by the toolset already, unless a person changed them.
            if context is None or not context.edited:
                if canonical(to_jsonable_python(tool_args)) != canonical(args):
                    raise NotStarted("the arguments were changed after they were asked about")
                return await wrapped(name, tool_args, ctx, tool)
            try:
                given = tool.args_validator.validate_python(args)
            except ValueError as error:
                raise NotStarted(f"the changed arguments do not fit the tool: {error}") from error
            return await wrapped(name, given, ctx, tool)

        run = self.run if self.run is not None else getattr(ctx, "run_id", None)
        outcome = await asynchronous(self.gate).run(
            name, to_jsonable_python(tool_args), work, run=run, key=ctx.tool_call_id
        )
        return result_or_sentence(outcome)
