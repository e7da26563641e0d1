"""Asks a person before an AI agent's tool call runs."""

from .async_gate import AsyncGate
from .calls import Mode, annotated, custom, deny_all
from .connection import Cancellation
from .context import ToolContext, current
from .core import Approval, Checked
from .errors import CallBlocked, CountersignError, NotStarted, OutcomeUnknown, ToolFailed
from .gate import Gate
from .outcome import Edited, Outcome
from .server import Claim

__all__ = [
    "Approval",
    "AsyncGate",
    "CallBlocked",
    "Cancellation",
    "Checked",
    "Claim",
    "CountersignError",
    "Edited",
    "Gate",
    "Mode",
    "NotStarted",
    "Outcome",
    "OutcomeUnknown",
    "ToolContext",
    "ToolFailed",
    "annotated",
    "current",
    "custom",
    "deny_all",
]
