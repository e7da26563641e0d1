"""What the steps of a call ask their driver for.

The steps are generators that do nothing by themselves. One driver performs them with blocking
sockets, another one with asyncio, so both gates take exactly the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeVar, Union

from .connection import Request

T = TypeVar("T")


@dataclass(frozen=True)
class Send:
    """Answers with the JSON of the server, or raises `CountersignError`."""

    request: Request
    #: The caller's cancellation ends it. Others are answered first: what they did must be known.
    cancellable: bool = False


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Ended:
    """How a tool ended: with a result or with what it raised."""

    result: Any = None
    error: Exception | None = None


@dataclass
class Start:
    """Runs the tool. Answers with `Ended`; interrupts of the program pass through."""

    work: Callable[[], Any]
    context: Any
    #: Kept alive while the tool runs: approval, claim and lease in milliseconds.
    lease: tuple[str, str, int] | None = None
    #: The tool is an async function: called without being awaited, it does nothing.
    is_async: bool = False
    #: Set by the driver: from here on it can no longer be said that the call did not run.
    began: bool = False


Effect = Union[Send, Pause, Start]
Steps = Generator[Effect, Any, T]
