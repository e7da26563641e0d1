"""What the blocking and the asyncio gate share: everything but how their steps are performed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from . import server
from .answers import Json
from .calls import Call, Mode, annotated, demanded, read_call
from .connection import TIMEOUT, Connection
from .effects import Steps
from .errors import CountersignError
from .functions import check_name
from .guard import CallOptions
from .outcome import blocked, refused_by
from .pipeline import asking
from .question import Options, Pipeline, Tool
from .server import Claim

Announce = Callable[[str], None]


@dataclass(frozen=True)
class Checked:
    """Where a call stands. `pending` and `approved` have an `id` and the `digest` to claim with."""

    status: str
    id: str | None = None
    digest: str | None = None
    #: What it may run with: of an allowed call, or where a person changed them.
    args: dict[str, Any] | None = None
    code: str | None = None
    model_message: str | None = None
    execution: str | None = None
    #: Milliseconds since 1970.
    decide_by: int | None = None
    payload: Any = None
    answer: str | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Approval:
    """An approval as the agent that asked may see it."""

    id: str
    #: pending, approved, denied, expired, withdrawn or invalidated.
    status: str
    #: running, succeeded, failed or unknown, once it was claimed.
    execution: str | None
    digest: str
    model_message: str
    result: Any
    #: Everything the server said.
    raw: dict[str, Any]
    #: What people ask before they decide; `Gate.answer` replies to it.
    questions: tuple[str, ...] = ()


class GateCore:
    def __init__(
        self,
        url: str,
        token: str,
        *,
        run: str | None = None,
        principal: str | None = None,
        mode: Mode | None = None,
        wait_for: float | None = None,
        timeout: float = TIMEOUT,
        lease: float | None = None,
        announce: bool | Announce = True,
    ) -> None:
        """`wait_for`, `timeout` and `lease` are seconds.

        `lease` says how long the server waits for a sign of life of a running call, 1 to 300;
        the server's own (60) unless set.
        """
        if mode is not None and not isinstance(mode, Mode):
            raise CountersignError("mode_refused", "use annotated(), deny_all() or custom()")
        if lease is not None and not 1 <= lease <= 300:
            raise CountersignError("usage", "a lease takes 1 to 300 seconds")
        self._run = run
        self._principal = principal
        self._wait_for = wait_for
        self._pipeline = Pipeline(
            Connection(url, token, timeout=timeout),
            mode or annotated(),
            None if lease is None else round(lease * 1_000),
            _to_stderr if announce is True else announce or None,
        )

    @property
    def connection(self) -> Connection:
        return self._pipeline.connection

    def _narrowed(self, run: str | None, principal: str | None, mode: Mode | None) -> Any:
        """The same gate for one conversation or user. A mode is added to, never replaced."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._run = run if run is not None else self._run
        made._principal = principal if principal is not None else self._principal
        stricter = mode is not None and self._pipeline.mode.kind == "annotated"
        if mode is not None and not stricter and mode.kind != "annotated":
            stricter = mode.kind == "deny_all"
            if not stricter and self._pipeline.mode.kind == "custom":
                raise CountersignError(
                    "mode_refused", "the gate has a custom mode already", hint="Combine both in one."
                )
        if stricter and mode is not None:
            made._pipeline = replace(self._pipeline, mode=mode)
        return made

    def call_options(self, own: CallOptions) -> CallOptions:
        pipeline = own.pipeline
        if pipeline.wait_for is None and self._wait_for is not None:
            pipeline = replace(pipeline, wait_for=self._wait_for)
        return replace(own, run=own.run if own.run is not None else self._run, pipeline=pipeline)

    def _options(self, options: Options) -> Options:
        wait_for = self._wait_for if options.wait_for is None else options.wait_for
        return replace(options, wait_for=wait_for)

    def _for_principal(self, call: Call) -> Call:
        return call if self._principal is None else replace(call, principal=self._principal)

    def _read(
        self, tool: str, args: Mapping[str, Any], run: str | None, key: str | None, **more: Any
    ) -> Call:
        check_name(tool)
        call = read_call(tool, args, run=run if run is not None else self._run, key=key, **more)
        return self._for_principal(call)

    def _check(self, call: Call, tool: Tool, options: Options) -> Steps[Checked]:
        """Asks and returns at once. Raises where the server is away: that says nothing of the call."""
        mode = self._pipeline.mode
        demand = None if mode.kind == "deny_all" else demanded(mode, call)
        if demand is None:
            code = "denied_by_mode" if mode.kind == "deny_all" else "denied_by_policy"
            refused = blocked(code, call.tool)
            return Checked("blocked", code=code, model_message=refused.model_message)
        body = asking(call, tool, (*tool.declared, *demand), options)
        try:
            answer = yield from server.ask(body)
        except CountersignError as error:
            if error.is_away or error.http_status in (0, 401):
                raise
            refused = refused_by(error, call.tool)
            return Checked("blocked", code=refused.code, model_message=refused.model_message)
        return _checked(answer)

    def _decided(
        self, approval_id: str, wait_for: float | None, options: Options
    ) -> Steps[Approval]:
        seconds = wait_for if wait_for is not None else self._wait_for
        until = None if seconds is None else time.monotonic() + seconds
        told = yield from server.wait(
            approval_id, lambda now: now["status"] != "pending", until=until, cancel=options.cancel
        )
        return approval_of(told)

    def _claim(self, approval_id: str, digest: str, tool: Tool) -> Steps[Claim]:
        if self._pipeline.mode.kind == "deny_all":
            raise CountersignError("denied_by_mode", "nothing is claimed under deny_all()")
        body: Json = {"digest": digest}
        if self._pipeline.lease is not None:
            body["lease"] = self._pipeline.lease
        if tool.definition is not None:
            body["definition"] = tool.definition
        return (yield from server.claim(approval_id, body))

    def _withdrawn(self, approval_id: str) -> Steps[Approval]:
        told = yield from server.withdraw(approval_id)
        if told is None:
            raise CountersignError(
                "server_unreachable", "the Countersign server does not answer", http_status=503
            )
        return approval_of(told)

    def _answered(self, approval_id: str, text: str) -> Steps[Approval]:
        return approval_of((yield from server.reply(approval_id, text)))

    def _looked(self, approval_id: str) -> Steps[Approval]:
        return approval_of((yield from server.look(approval_id)))

    def _resumable(self, approval_id: str, tools: Mapping[str, Any]) -> Steps[Json]:
        """The approval, if it is one this gate may resume with these tools."""
        told = yield from server.look(approval_id)
        own = self._principal
        if own is not None and own.casefold() != str(told["call"].get("principal", "")).casefold():
            raise CountersignError("approval_not_found", "there is no such approval here")
        # A tool of a server that only has the same name is another tool.
        if told["call"].get("kind", "tool") != "tool" or "server" in told["call"]:
            raise CountersignError("tool_unknown", "only functions of this program are resumed")
        if told["call"]["tool"] not in tools:
            raise CountersignError("tool_unknown", f"no tool {told['call']['tool']} was given")
        return told


def approval_of(told: Json) -> Approval:
    return Approval(
        told["id"],
        told["status"],
        told.get("execution"),
        told["digest"],
        told["modelMessage"],
        told.get("result"),
        told,
        questions_in(told),
    )


def questions_in(told: Json) -> tuple[str, ...]:
    asked = told.get("questions")
    items = asked if isinstance(asked, list) else []
    texts = (one.get("text") for one in items if isinstance(one, dict))
    return tuple(text for text in texts if isinstance(text, str))


def _checked(answer: Json) -> Checked:
    return Checked(
        answer["status"],
        id=answer.get("id"),
        digest=answer.get("digest"),
        args=answer.get("args"),
        code=answer.get("code"),
        model_message=answer.get("modelMessage"),
        execution=answer.get("execution"),
        decide_by=answer.get("decideBy"),
        payload=answer.get("payload"),
        answer=answer.get("answer"),
        reason=answer.get("reason"),
    )


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
