"""The blocking gate. Policy, approvals and people are those of a server."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, overload

from . import server
from .calls import Call, Mode
from .connection import Cancellation
from .core import Approval, Checked, GateCore
from .drivers import awaited, drive, drive_async, keep_alive
from .effects import Steps
from .errors import CountersignError
from .guard import CallOptions, Guarded, GuardOptions, P, guard_function, is_async
from .outcome import Outcome, refused_by
from .pipeline import resume, run_call
from .question import Options, Tool, named_tool, nothing, resumed_tool
from .server import Claim

T = TypeVar("T")
R = TypeVar("R")


class Gate(GateCore):
    """Calls block while people decide. Any number of threads may share a gate."""

    @overload
    def guard(self, function: Callable[P, R], /) -> Guarded[P, R]: ...

    @overload
    def guard(self, /, **options: Any) -> Callable[[Callable[P, R]], Guarded[P, R]]: ...

    def guard(self, function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
        """`@gate.guard` or `@gate.guard(name=…)`; a function or an async function."""
        own = GuardOptions(**options)

        def decorate(work: Callable[..., Any]) -> Any:
            return guard_function(self, work, own, as_async=is_async(work))

        return decorate if function is None else decorate(function)

    def with_(
        self, *, run: str | None = None, principal: str | None = None, mode: Mode | None = None
    ) -> Gate:
        made: Gate = self._narrowed(run, principal, mode)
        return made

    def run(
        self,
        tool: str,
        args: Mapping[str, Any],
        function: Callable[..., Any],
        *,
        run: str | None = None,
        key: str | None = None,
        wait: bool = True,
        wait_for: float | None = None,
        cancel: Cancellation | None = None,
        definition: dict[str, Any] | None = None,
    ) -> Outcome:
        """Runs `function(**args)` once it is approved. Never raises for a call that is refused."""
        work = named_tool(tool, function, definition)
        own = self._options(Options(wait, wait_for, cancel))
        try:
            call = self._read(tool, args, run, key)
        except CountersignError as error:
            return refused_by(error, tool)
        return self._drive(run_call(self._pipeline, call, work, own), cancel)

    def check(
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
        return self._drive(self._check(call, about, own))

    def wait(
        self,
        approval_id: str,
        *,
        wait_for: float | None = None,
        cancel: Cancellation | None = None,
    ) -> Approval:
        """The approval once it is decided, or as it is when the time is over."""
        own = Options(cancel=cancel)
        return self._drive(self._decided(approval_id, wait_for, own), cancel)

    def look(self, approval_id: str) -> Approval:
        return self._drive(self._looked(approval_id))

    def claim(
        self, approval_id: str, digest: str, *, definition: dict[str, Any] | None = None
    ) -> Claim:
        """Spends the approval. At most one caller ever gets a claim."""
        return self._drive(self._claim(approval_id, digest, Tool("", nothing, definition)))

    def renewing(self, claim: Claim) -> contextlib.AbstractContextManager[None]:
        """`with gate.renewing(claim):` tells the server that the call still runs."""
        return keep_alive(self.connection, (claim.approval_id, claim.name, claim.lease))

    def finish(
        self, claim: Claim, result: Any = None, *, failed: bool = False, drop: bool = False
    ) -> bool:
        """Reports how the call went. False: the server could not be told."""
        outcome = "failed" if failed else "succeeded"
        return self._drive(server.finish(claim, outcome, result, drop=drop))

    def withdraw(self, approval_id: str) -> Approval:
        return self._drive(self._withdrawn(approval_id))

    def answer(self, approval_id: str, text: str) -> Approval:
        """Replies to what people asked before they decide. Decides nothing."""
        return self._drive(self._answered(approval_id, text))

    def resume(
        self,
        approval_id: str,
        tools: Mapping[str, Callable[..., Any]],
        *,
        cancel: Cancellation | None = None,
    ) -> Outcome:
        """Runs an approved call later, in any process of the same agent. Never waits for people."""
        told = self._drive(self._resumable(approval_id, tools))
        work = resumed_tool(told, tools[told["call"]["tool"]])
        return self._drive(resume(self._pipeline, told, work, Options(cancel=cancel)), cancel)

    def run_blocking(self, call: Call, tool: Tool, own: CallOptions) -> Outcome:
        steps = run_call(self._pipeline, self._for_principal(call), tool, own.pipeline)
        return self._drive(steps, own.pipeline.cancel)

    async def run_async(self, call: Call, tool: Tool, own: CallOptions) -> Outcome:
        call = self._for_principal(call)
        steps = run_call(self._pipeline, call, awaited(tool), own.pipeline)
        return await drive_async(self.connection, steps, own.pipeline.cancel)

    def _drive(self, steps: Steps[T], cancel: Cancellation | None = None) -> T:
        return drive(self.connection, steps, cancel)
