"""`@gate.guard`: a function behind a gate, with its own signature and type."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, cast

from .calls import Call, read_call
from .connection import Cancellation
from .errors import CallBlocked, CountersignError, ToolFailed
from .functions import Signature, check_name
from .outcome import Outcome, refused_by
from .question import GUARDED, Options, Tool

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

_LONGEST_PREVIEW = 2_000


class Guarded(Protocol[P, R_co]):
    """Called like the function itself. `options` gives one call its run, key and patience."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...

    def options(
        self,
        *,
        run: str | None = None,
        key: str | None = None,
        wait: bool = True,
        wait_for: float | None = None,
        cancel: Cancellation | None = None,
        on_model_message: Callable[[str], None] | None = None,
    ) -> Callable[P, R_co]: ...


@dataclass(frozen=True)
class GuardOptions:
    """`approval`, `risk`, `secrets` and `result` mean what they mean in a policy file."""

    name: str | None = None
    description: str | None = None
    #: JSON Schema of the arguments. The server checks calls and edits against it.
    schema: Mapping[str, Any] | None = None
    approval: bool | Mapping[str, Any] | Callable[[dict[str, Any]], bool] | None = None
    risk: str | None = None
    secrets: tuple[str, ...] | list[str] = ()
    result: str | None = None
    #: A line for the approver about this call. Shown as what the agent says.
    preview: Callable[[dict[str, Any]], str] | None = None
    #: JSON Schema of what an approver fills in; the tool reads `current().decision`.
    form: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class CallOptions:
    run: str | None = None
    key: str | None = None
    on_model_message: Callable[[str], None] | None = None
    pipeline: Options = field(default_factory=Options)


class GuardedTool(Generic[R]):
    """What a guarded function needs to make its calls."""

    def __init__(self, function: Callable[..., R], options: GuardOptions) -> None:
        if hasattr(function, GUARDED):
            raise CountersignError("usage", "the function is guarded already")
        self.name = check_name(options.name or getattr(function, "__name__", None))
        self._function = function
        self._options = options
        self._signature = Signature(function, self.name)

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any], own: CallOptions) -> Call:
        """Raises `CallBlocked` where the arguments have no JSON that every reader keeps."""
        options = self._options
        given = self._signature.arguments(args, kwargs)
        try:
            call = read_call(self.name, given, run=own.run, key=own.key)
            more: dict[str, Any] = {}
            if options.preview is not None:
                more["context"] = _preview(options.preview, call.args)
            if options.form is not None:
                more["form"] = dict(options.form)
            return replace(call, **more)
        except CountersignError as error:
            raise CallBlocked(refused_by(error, self.name)) from error

    def resumed(self) -> Tool:
        """What it declares was counted when it was asked; the server has it."""
        return replace(self.tool({}), declared=())

    def tool(self, args: dict[str, Any]) -> Tool:
        options = self._options
        definition: dict[str, Any] = {}
        if options.description is not None:
            definition["description"] = options.description
        if options.schema is not None:
            definition["inputSchema"] = dict(options.schema)
        return Tool(
            self.name,
            lambda approved: self._signature.call(self._function, approved),
            definition or None,
            self._declared(args),
            drop=options.result == "drop",
            secrets=tuple(options.secrets),
            is_async=is_async(self._function),
        )

    def _declared(self, args: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        options = self._options
        words: dict[str, Any] = {}
        if callable(options.approval):
            # A no of the function says nothing of the call: the policy decides.
            if _asks(options.approval, args):
                words["approval"] = True
        elif options.approval is not None:
            is_plain = isinstance(options.approval, bool)
            words["approval"] = options.approval if is_plain else dict(cast(Any, options.approval))
        if options.risk is not None:
            words["risk"] = options.risk
        if options.secrets:
            words["secrets"] = list(options.secrets)
        if options.result is not None:
            words["result"] = options.result
        return (words,) if words or callable(options.approval) else ()


class Host(Protocol):
    """What guarding needs of a gate."""

    def call_options(self, own: CallOptions) -> CallOptions: ...

    def run_blocking(self, call: Call, tool: Tool, own: CallOptions) -> Outcome: ...

    async def run_async(self, call: Call, tool: Tool, own: CallOptions) -> Outcome: ...


def guard_function(
    host: Host, function: Callable[..., Any], options: GuardOptions, *, as_async: bool
) -> Any:
    guarded: GuardedTool[Any] = GuardedTool(function, options)

    def with_options(own: CallOptions) -> Callable[..., Any]:
        own = host.call_options(own)

        @functools.wraps(function)
        def blocking(*args: Any, **kwargs: Any) -> Any:
            call = guarded.call(args, kwargs, own)
            return result_of(host.run_blocking(call, guarded.tool(call.args), own), own)

        @functools.wraps(function)
        async def asynchronous(*args: Any, **kwargs: Any) -> Any:
            call = guarded.call(args, kwargs, own)
            return result_of(await host.run_async(call, guarded.tool(call.args), own), own)

        made: Any = asynchronous if as_async else blocking
        setattr(made, GUARDED, guarded)
        return cast(Callable[..., Any], made)

    def options_of(
        *,
        run: str | None = None,
        key: str | None = None,
        wait: bool = True,
        wait_for: float | None = None,
        cancel: Cancellation | None = None,
        on_model_message: Callable[[str], None] | None = None,
    ) -> Callable[..., Any]:
        pipeline = Options(wait=wait, wait_for=wait_for, cancel=cancel)
        return with_options(CallOptions(run, key, on_model_message, pipeline))

    made: Any = with_options(CallOptions())
    made.options = options_of
    made.tool_name = guarded.name
    return made


def result_of(outcome: Outcome, own: CallOptions) -> Any:
    """The tool's own result, or raises what a guarded function raises."""
    if outcome.status == "succeeded" and outcome.no_result is None:
        if outcome.model_message is not None and own.on_model_message is not None:
            own.on_model_message(outcome.model_message)
        return outcome.result
    if outcome.status == "failed":
        raise ToolFailed(outcome) if outcome.replayed else cast(Exception, outcome.error)
    raise CallBlocked(outcome)


def is_async(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function)


def _asks(predicate: Callable[[dict[str, Any]], Any], args: dict[str, Any]) -> bool:
    try:
        return predicate(args) is not False
    except Exception:
        return True


def _preview(preview: Callable[[dict[str, Any]], str], args: dict[str, Any]) -> Any:
    """A preview that fails is missing; the call is asked about all the same."""
    try:
        return {"says": str(preview(args))[:_LONGEST_PREVIEW]}
    except Exception:
        return None
