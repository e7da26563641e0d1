"""What a gate asks its server, as steps. Nothing here runs a tool."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from .answers import Json, approval_answer, call_answer, claim_answer
from .canonical import canonical
from .connection import Cancellation, Request
from .effects import Pause, Send, Steps
from .errors import CountersignError, NotStarted

ATTEMPTS = 5
ONE_WAIT = 50.0
PAUSE = 1.0
LONGEST_PAUSE = 60.0


@dataclass(frozen=True)
class Claim:
    """An approval that this process has spent. Run the call with `args`, once, or not at all."""

    approval_id: str
    name: str
    args: Json
    #: Milliseconds until it must be renewed.
    lease: int
    #: `time.monotonic()` after which the call must not be started any more.
    start_before: float
    idempotency_key: str
    answer: Json

    def may_start(self) -> bool:
        return time.monotonic() < self.start_before


def ask(body: Json) -> Steps[Json]:
    return call_answer((yield Send(Request("POST", "/v1/calls", body))))


def look(approval_id: str) -> Steps[Json]:
    return approval_answer((yield Send(Request("GET", path_of(approval_id)))))


def wait(
    approval_id: str,
    is_over: Callable[[Json], bool],
    *,
    until: float | None = None,
    cancel: Cancellation | None = None,
    first: float = ONE_WAIT,
) -> Steps[Json]:
    """The approval once it is as wanted, or as it is when the time or the caller is at its end."""
    latest: Json | None = None
    longest = first
    while True:
        left = math.inf if until is None else max(until - time.monotonic(), 0.0)
        is_last = left == 0 or (cancel is not None and cancel.is_cancelled)
        seconds = 0 if is_last else math.ceil(min(left, longest))
        asked = time.monotonic()
        query = {"wait": f"{seconds}s"} if seconds else {}
        request = Request("GET", path_of(approval_id), query=query, timeout=seconds + 15.0)
        try:
            latest = approval_answer((yield Send(request, cancellable=not is_last)))
            if is_over(latest) or is_last or longest < ONE_WAIT:
                return latest
            # A server that is about to stop answers at once.
            if time.monotonic() - asked < seconds / 2:
                yield pause_after(None, PAUSE, most=left)
        except CountersignError as error:
            if is_last and latest is not None and error.is_away:
                return latest
            # A server that restarts knows the question afterwards as well.
            if is_last or not error.is_away:
                raise
            yield pause_after(error, PAUSE, most=left)


def claim(approval_id: str, body: Json) -> Steps[Claim]:
    """A claim whose answer was lost may have been made. Then nothing may be started by it."""
    is_doubtful = False
    for attempt in range(1, ATTEMPTS + 1):
        sent = time.monotonic()
        try:
            request = Request("POST", f"{path_of(approval_id)}/claim", body)
            answer = claim_answer((yield Send(request)))
        except CountersignError as error:
            if is_doubtful and error.code == "already_claimed":
                raise NotStarted("the answer to its claim was lost") from error
            if not error.is_away or attempt == ATTEMPTS:
                raise
            is_doubtful = is_doubtful or error.code != "too_many_requests"
            yield pause_after(error, 0.2 * 2**attempt)
        else:
            return Claim(
                approval_id,
                answer["claim"],
                answer["args"],
                int(answer["lease"]),
                sent + answer["startWithin"] / 1_000,
                str(answer.get("idempotencyKey", approval_id)),
                answer,
            )
    raise AssertionError("unreachable")


def finish(claimed: Claim, outcome: str, result: Any = None, *, drop: bool = False) -> Steps[bool]:
    """Whether the server knows. A result that is not JSON is left out; how it ended counts.

    The same report once more is no mistake to the server. `already_finished` says that a person
    wrote down an end meanwhile, and that this one did not count.
    """
    body: Json = {"claim": claimed.name, "outcome": outcome}
    if drop or not _is_json(result):
        body["drop"] = True
    else:
        body["result"] = result
    for attempt in range(1, ATTEMPTS + 1):
        try:
            yield Send(Request("POST", f"{path_of(claimed.approval_id)}/result", body))
            return True
        except CountersignError as error:
            if error.is_away:
                yield pause_after(error, 0.2 * 2**attempt)
            elif "result" in body:
                body = {"claim": claimed.name, "outcome": outcome, "drop": True}
            else:
                return False
    return False


def withdraw(approval_id: str, timeout: float | None = None) -> Steps[Json | None]:
    """None where the server does not answer: without a claim nothing runs all the same."""
    try:
        request = Request("POST", f"{path_of(approval_id)}/withdraw", timeout=timeout)
        return approval_answer((yield Send(request)))
    except CountersignError as error:
        if error.is_away:
            return None
        return (yield from look(approval_id))


def reply(approval_id: str, text: str) -> Steps[Json]:
    """Not sent again where the answer was lost: people would read it twice."""
    request = Request("POST", f"{path_of(approval_id)}/replies", {"text": text})
    return approval_answer((yield Send(request)))


def renewal(approval_id: str, name: str, lease: int) -> Request:
    body = {"claim": name, "lease": lease}
    return Request("POST", f"{path_of(approval_id)}/renew", body)


def path_of(approval_id: str) -> str:
    # An empty one would be the address of the list.
    if not isinstance(approval_id, str) or approval_id == "":
        raise CountersignError("approval_not_found", "an approval has an id", http_status=404)
    return f"/v1/approvals/{quote(approval_id, safe='')}"


def pause_after(
    error: CountersignError | None, seconds: float, *, most: float = LONGEST_PAUSE
) -> Pause:
    asked = error.retry_after if error is not None and error.retry_after is not None else 0.0
    # Many callers that wait equally long would all come back at once.
    spread = max(seconds, asked) * (1 + random.random() / 2)
    return Pause(min(spread, most, LONGEST_PAUSE))


def _is_json(result: Any) -> bool:
    try:
        canonical(result)
    except CountersignError:
        return False
    return True
