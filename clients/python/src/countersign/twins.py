"""A blocking gate and one for asyncio over the same connection, for adapters that need both."""

from __future__ import annotations

from typing import Any

from .async_gate import AsyncGate
from .core import GateCore
from .gate import Gate


def blocking(gate: GateCore) -> Gate:
    return gate if isinstance(gate, Gate) else _as(Gate, gate)


def asynchronous(gate: GateCore) -> AsyncGate:
    return gate if isinstance(gate, AsyncGate) else _as(AsyncGate, gate)


def _as(kind: type[Any], gate: GateCore) -> Any:
    # The same pipeline: both know which callers of this process wait for an approval.
    made = object.__new__(kind)
    made.__dict__.update(gate.__dict__)
    return made
