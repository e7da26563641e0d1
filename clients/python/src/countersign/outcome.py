"""What became of a call. `ran` is the question that matters most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .errors import CountersignError, Ran
from .sentences import DENIED_BY_MODE, sentence, sentence_of

Status = Literal["succeeded", "failed", "blocked", "pending", "unknown"]


@dataclass(frozen=True)
class Edited:
    """What people changed before they approved."""

    paths: tuple[str, ...]
    #: What the call ran with, secrets hidden.
    args: dict[str, Any]
    model_message: str


@dataclass(frozen=True)
class Outcome:
    status: Status
    ran: Ran
    result: Any = None
    code: str | None = None
    model_message: str | None = None
    approval_id: str | None = None
    #: What the tool raised; for a replayed outcome, what was stored of it.
    error: Any = None
    #: What an approver attached to their yes.
    payload: Any = None
    edited: Edited | None = None
    #: The call had run before, and this is what was stored.
    replayed: bool = False
    #: Why there is no `result` although the call succeeded.
    no_result: str | None = None
    #: A person's words for the model, given with a denial.
    answer: str | None = None
    #: Why a person denied it.
    reason: str | None = None
    #: The server could not be told. Its record says `unknown` once the lease has ended, or what a
    #: person wrote down since then.
    unrecorded: bool = False


def blocked(
    code: str,
    tool: str,
    *,
    http_status: int = 409,
    reason: str | None = None,
    approval_id: str | None = None,
    says: str | None = None,
) -> Outcome:
    name = says or sentence_of(code, http_status)
    text = (
        DENIED_BY_MODE
        if code == "denied_by_mode"
        else sentence(name, tool, approval_id=approval_id, reason=reason)
    )
    return Outcome("blocked", False, code=code, model_message=text, approval_id=approval_id)


def refused_by(error: CountersignError, tool: str, approval_id: str | None = None) -> Outcome:
    """A server that refuses and one that does not answer are told apart; neither lets a call run."""
    # A write that may or may not have happened is not a call that may have run.
    code = "store_unavailable" if error.code == "outcome_unknown" else error.code
    name = sentence_of(code, error.http_status)
    if error.is_sentence and name not in ("unavailable", "unauthorized"):
        return Outcome(
            "blocked", False, code=code, model_message=error.message, approval_id=approval_id
        )
    return blocked(
        code, tool, reason=error.message, approval_id=approval_id, says=name
    )


def pending(approval_id: str, tool: str) -> Outcome:
    text = sentence("pending", tool, approval_id=approval_id)
    return Outcome("pending", False, model_message=text, approval_id=approval_id)


def unknown(code: str, approval_id: str, tool: str) -> Outcome:
    name = "running_elsewhere" if code == "already_claimed" else "unknown"
    text = sentence(name, tool, approval_id=approval_id)
    return Outcome("unknown", "unknown", code=code, model_message=text, approval_id=approval_id)


def edited_of(sent: Mapping[str, Any]) -> Edited | None:
    edited = sent.get("edited")
    if edited is None:
        return None
    return Edited(tuple(edited["paths"]), edited["args"], edited["modelMessage"])
