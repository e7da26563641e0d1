"""Perform the steps of a call: with blocking sockets, or with asyncio.

asyncio reads from streams of its own event loop. Threads would be one for each call that waits for
a person, a cancelled task would leave its thread waiting, and a program would not end before it.
Leases are renewed by a thread in both: a tool that blocks its event loop still runs.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from .connection import Cancellation, Connection, Request
from .context import in_context, reset_context, set_context
from .effects import Effect, Ended, Pause, Send, Start, Steps
from .errors import CountersignError, NotStarted, OutcomeUnknown
from .question import Tool
from .server import renewal

T = TypeVar("T")


def drive(connection: Connection, steps: Steps[T], cancel: Cancellation | None = None) -> T:
    def perform(effect: Effect) -> Any:
        if isinstance(effect, Send):
            return connection.send(effect.request, cancel if effect.cancellable else None)
        if isinstance(effect, Pause):
            return cancel.sleep(effect.seconds) if cancel else time.sleep(effect.seconds)
        with keep_alive(connection, effect.lease):
            effect.began = True
            return _ended(lambda: in_context(effect.context, lambda: _plain(effect)))

    step = _Stepper(steps)
    while not step.is_done:
        try:
            value = perform(step.effect)
        except BaseException as error:
            step.throw(error)
        else:
            step.send(value)
    return step.result


async def drive_async(
    connection: Connection, steps: Steps[T], cancel: Cancellation | None = None
) -> T:
    async def perform(effect: Effect) -> Any:
        if isinstance(effect, Send):
            sending = connection.send_async(effect.request)
            return await (_until(cancel, sending) if cancel and effect.cancellable else sending)
        if isinstance(effect, Pause):
            return await asyncio.sleep(effect.seconds)
        token = set_context(effect.context)
        try:
            with keep_alive(connection, effect.lease):
                effect.began = True
                return await _ended_async(effect)
        finally:
            reset_context(token)

    step = _Stepper(steps)
    while not step.is_done:
        effect = step.effect
        interrupt: asyncio.CancelledError | None = None
        try:
            if isinstance(effect, Send) and not effect.cancellable:
                value, interrupt = await _answered(perform(effect))
            else:
                value = await perform(effect)
        except BaseException as error:
            step.throw(error)
            continue
        step.send(value)
        if interrupt is not None:
            if step.is_done:
                raise interrupt
            step.throw(interrupt)
    return step.result


async def _until(cancel: Cancellation, sending: Any) -> Any:
    """The answer, unless another thread cancels the call before it is there."""
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(sending)

    def close() -> None:
        loop.call_soon_threadsafe(task.cancel)

    cancel.attach(close)
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        task.cancel()
        raise
    finally:
        cancel.detach(close)
    if task.cancelled():
        raise CountersignError("server_unreachable", "it was cancelled", http_status=503)
    return task.result()


async def _answered(sending: Any) -> tuple[Any, asyncio.CancelledError | None]:
    """The answer, also where the task was cancelled meanwhile: then with what cancelled it."""
    task = asyncio.ensure_future(sending)
    try:
        return await asyncio.shield(task), None
    except asyncio.CancelledError as interrupt:
        if task.cancelled():
            raise
        try:
            return await task, interrupt
        except CountersignError:
            raise interrupt from None


class _Stepper:
    """A generator with its next effect. What its steps raise goes to the caller of the gate."""

    def __init__(self, steps: Steps[Any]) -> None:
        self._steps = steps
        self.is_done = False
        self.result: Any = None
        self.effect: Any = None
        self._advance(lambda: next(steps))

    def send(self, value: Any) -> None:
        self._advance(lambda: self._steps.send(value))

    def throw(self, error: BaseException) -> None:
        self._advance(lambda: self._steps.throw(error))

    def _advance(self, move: Callable[[], Effect]) -> None:
        try:
            self.effect = move()
        except StopIteration as stop:
            self.is_done, self.result = True, stop.value


@contextlib.contextmanager
def keep_alive(connection: Connection, lease: tuple[str, str, int] | None) -> Iterator[None]:
    """Tells the server that the call still runs, three times in each lease."""
    if lease is None:
        yield
        return
    stopped = threading.Event()
    beat = threading.Thread(
        target=_renew,
        args=(connection, renewal(*lease), lease[2] / 3_000, stopped),
        name=f"countersign lease {lease[0]}",
        daemon=True,
    )
    beat.start()
    try:
        yield
    finally:
        stopped.set()


def _renew(
    connection: Connection, request: Request, seconds: float, stopped: threading.Event
) -> None:
    while not stopped.wait(seconds):
        try:
            connection.send(request)
        except CountersignError as error:
            # A server that is away for a moment is told the next time.
            if not error.is_away:
                return


def _ended(work: Callable[[], Any]) -> Ended:
    try:
        return Ended(result=work())
    except Exception as error:
        return Ended(error=error)


async def _ended_async(effect: Start) -> Ended:
    try:
        return Ended(result=await effect.work())
    except Exception as error:
        return Ended(error=error)


def _plain(effect: Start) -> Any:
    """A coroutine is not a result: it has not run."""
    result = effect.work()
    if inspect.iscoroutine(result):
        result.close()
        why = "a blocking gate was given an async function; use AsyncGate"
        # What made the coroutine may have done something before.
        raise NotStarted(why) if effect.is_async else OutcomeUnknown(why)
    return result


def awaited(tool: Tool) -> Tool:
    """The tool for a driver of asyncio: a blocking function runs in a thread."""

    async def run(args: dict[str, Any]) -> Any:
        if tool.is_async:
            return await tool.start(args)
        result = await asyncio.to_thread(tool.start, args)
        return await result if inspect.isawaitable(result) else result

    return replace(tool, start=run)
