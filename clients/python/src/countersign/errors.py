"""Errors with the codes of docs/errors.md. Programs branch on the code; sentences may change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from .outcome import Outcome

Ran = Literal[True, False, "unknown"]


class CountersignError(Exception):
    """A refusal, or a server that cannot be asked. `code` says which."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        hint: str | None = None,
        http_status: int = 0,
        retry_after: float | None = None,
        is_sentence: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        #: Of the refusal; 0 where no server said it.
        self.http_status = http_status
        self.retry_after = retry_after
        #: The message is a whole sentence for the model.
        self.is_sentence = is_sentence

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message} {self.hint}"

    @property
    def is_away(self) -> bool:
        """The server said nothing about what it was asked: the same may be sent again."""
        return self.http_status == 503 or self.code in ("server_unreachable", "too_many_requests")


class CallBlocked(CountersignError):
    """A guarded call has no result. The text of the error is the sentence for the model."""

    def __init__(self, outcome: Outcome) -> None:
        message = outcome.model_message or "The call ran; its result is not kept."
        super().__init__(outcome.code or _code_of(outcome), message)
        self.outcome = outcome
        self.model_message: str = message
        self.ran: Ran = outcome.ran
        self.status = outcome.status
        self.approval_id = outcome.approval_id


class ToolFailed(CountersignError):
    """The call ran before and failed. Of that run only the text is kept."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__("failed", outcome.model_message or "The call failed.")
        self.outcome = outcome
        self.stored: Any = outcome.error


class OutcomeUnknown(CountersignError):
    """A tool raises this when it does not know whether it took effect. It is never run again."""

    def __init__(self, message: str = "the outcome is unknown") -> None:
        super().__init__("outcome_unknown", message)


class NotStarted(CountersignError):
    """A tool raises this when it certainly did nothing."""

    def __init__(self, message: str = "the call was not started") -> None:
        super().__init__("not_started", message)


def _code_of(outcome: Outcome) -> str:
    return "content_gone" if outcome.status == "succeeded" else outcome.status
