"""The gate for asyncio. A call that waits for a person holds a connection, and no thread."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from . import server
from .calls import Call, Mode
from .core import Approval, Checked, GateCore
from .drivers import awaited, drive_async, keep_alive
from .errors import CountersignError
from .guard import CallOptions, Guarded, GuardOptions, guard_function
from .outcome import Outcome, refused_by
from .pipeline import resume, run_call
from .question import Options, Tool, named_tool, nothing, resumed_tool
from .server import Claim

R = TypeVar("R")


class AsyncGate(GateCore):
    """The twin of `Gate`. Cancelling the task that waits withdraws the question."""

    def guard(self, function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
        """Of a blocking function it makes an async one, which runs the function in a thread."""
        own = GuardOptions(**options)

        def decorate(work: Callable[..., Any]) -> Guarded[..., Awaitable[Any]]:
            made: Guarded[..., Awaitable[Any]] = guard_function(self, work, own, as_async=True)
            return made

        return decorate if function is None else decorate(function)

    def with_(
        self, *, run: str | None = None, principal: str | None = None, mode: Mode | None = None
    ) -> AsyncGate:
        made: AsyncGate = self._narrowed(run, principal, mode)
        return made

    async def run(
        self,
        tool: str,
        args: Mapping[str, Any],
        function: Callable[..., Any],
        *,
        run: str | None = None,
        key: str | None = None,
        wait: bool = True,
        wait_for: float | None = None,
        definition: dict[str, Any] | None = None,
    ) -> Outcome:
        """Runs `function(**args)` once it is approved. Never raises for a call that is refused."""
        work = awaited(named_tool(tool, function, definition))
        own = self._options(Options(wait, wait_for))
        try:
            call = self._read(tool, args, run, key)
        except CountersignError as error:
            return refused_by(error, tool)
        return await drive_async(self.connection, run_call(self._pipeline, call, work, own))

    async def check(
        self,
        tool: str,
        args: Mapping[str, Any],
        *,
        run: str | None = None,
        key: str | None = None,
        batch: str | None = None,
        countersignature: str | None = None,
        definition: dict[str, Any] | None = None,
        declared: dict[str, Any] | None = None,
        form: dict[str, Any] | None = None,
    ) -> Checked:
        """Asks and returns at once: allowed, blocked, pending or approved. Runs nothing."""
        call = self._read(tool, args, run, key, form=form)
        about = Tool(tool, nothing, definition, () if declared is None else (declared,))
        own = Options(False, None, None, batch, countersignature)
        return await drive_async(self.connection, self._check(call, about, own))

    async def wait(self, approval_id: str, *, wait_for: float | None = None) -> Approval:
        """The approval once it is decided, or as it is when the time is over."""
        return await drive_async(
            self.connection, self._decided(approval_id, wait_for, Options())
        )

    async def look(self, approval_id: str) -> Approval:
        return await drive_async(self.connection, self._looked(approval_id))

    async def claim(
        self, approval_id: str, digest: str, *, definition: dict[str, Any] | None = None
    ) -> Claim:
        """Spends the approval. At most one caller ever gets a claim."""
        steps = self._claim(approval_id, digest, Tool("", nothing, definition))
        return await drive_async(self.connection, steps)

    def renewing(self, claim: Claim) -> contextlib.AbstractContextManager[None]:
        """`with gate.renewing(claim):` tells the server that the call still runs."""
        return keep_alive(self.connection, (claim.approval_id, claim.name, claim.lease))

    async def finish(
        self, claim: Claim, result: Any = None, *, failed: bool = False, drop: bool = False
    ) -> bool:
        """Reports how the call went. False: the server could not be told."""
        outcome = "failed" if failed else "succeeded"
        steps = server.finish(claim, outcome, result, drop=drop)
        return await drive_async(self.connection, steps)

    async def withdraw(self, approval_id: str) -> Approval:
        return await drive_async(self.connection, self._withdrawn(approval_id))

    async def answer(self, approval_id: str, text: str) -> Approval:
        """Replies to what people asked before they decide. Decides nothing."""
        return await drive_async(self.connection, self._answered(approval_id, text))

    async def resume(
        self, approval_id: str, tools: Mapping[str, Callable[..., Any]]
    ) -> Outcome:
        """Runs an approved call later, in any process of the same agent. Never waits for people."""
        told = await drive_async(self.connection, self._resumable(approval_id, tools))
        work = awaited(resumed_tool(told, tools[told["call"]["tool"]]))
        return await drive_async(
            self.connection, resume(self._pipeline, told, work, Options())
        )

    def run_blocking(self, call: Call, tool: Tool, own: CallOptions) -> Outcome:
        raise CountersignError("usage", "an AsyncGate makes async functions")

    async def run_async(self, call: Call, tool: Tool, own: CallOptions) -> Outcome:
        call = self._for_principal(call)
        steps = run_call(self._pipeline, call, awaited(tool), own.pipeline)
        return await drive_async(self.connection, steps, own.pipeline.cancel)
