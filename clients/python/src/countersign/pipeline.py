"""Ask, wait, claim, run, finish: the way of every call, as steps that a driver performs.

One way out for each thing that can go wrong. Only the program's own interrupts are raised.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

from . import server
from .answers import Json
from .calls import Call, demanded
from .canonical import canonical
from .context import ToolContext
from .effects import Ended, Start, Steps
from .errors import CountersignError, NotStarted, OutcomeUnknown
from .masking import error_text, hidden_texts
from .outcome import Outcome, blocked, edited_of, pending, refused_by, unknown
from .question import (
    Options,
    Pipeline,
    Question,
    Tool,
    blocked_with,
    outcome_of,
    told_of,
)
from .sentences import sentence

INTERRUPTS = (KeyboardInterrupt, SystemExit, asyncio.CancelledError)

#: The claim met an approval that has ended, or that another caller has spent.
_ENDED = ("already_claimed", "denied", "expired", "withdrawn", "invalidated")
_HELD_BACK = ("denied_by_policy", "locked", "quarantined")

_NEVER_STARTED = {"code": "not_started", "message": "it was claimed and never started"}

ANNOUNCE_AFTER = 1.0
WITHDRAW_WITHIN = 5.0


def asking(call: Call, tool: Tool, declared: tuple[Json, ...], options: Options) -> Json:
    body = call.body()
    if tool.definition is not None:
        body["definition"] = tool.definition
    if declared:
        body["declared"] = declared[0] if len(declared) == 1 else list(declared)
    if options.batch is not None:
        body["batch"] = options.batch
    if options.countersignature is not None:
        body["countersignature"] = options.countersignature
    if options.wait:
        body["waits"] = True
    return body


def run_call(pipeline: Pipeline, call: Call, tool: Tool, options: Options) -> Steps[Outcome]:
    if options.cancel and options.cancel.is_cancelled:
        return blocked("withdrawn", tool.name)
    if pipeline.mode.kind == "deny_all":
        return blocked("denied_by_mode", tool.name)
    demand = demanded(pipeline.mode, call)
    if demand is None:
        return blocked("denied_by_policy", tool.name)
    declared = (*tool.declared, *demand)
    body = asking(call, tool, declared, options)
    try:
        answer = yield from server.ask(body)
        if answer["status"] == "unasked":
            raise CountersignError("server_unreachable", "the server did not ask", http_status=503)
        if answer["status"] == "allowed" and canonical(answer["args"]) != canonical(call.args):
            raise CountersignError("server_unreachable", "another call was allowed", http_status=503)
    except CountersignError as error:
        return refused_by(error, tool.name)
    except INTERRUPTS:
        yield from _withdraw_asked(body)
        raise
    if answer["status"] == "allowed":
        return (yield from _run_allowed(answer["args"], tool, options))
    if answer["status"] == "blocked":
        return blocked_with(answer)
    question = Question(
        answer["id"], answer["digest"], answer["status"], answer.get("execution"), tool, declared
    )
    if question.status == "pending" and not options.wait:
        return pending(question.id, tool.name)
    pipeline.waiters.enter(question.id)
    try:
        return (yield from _wait_and_run(pipeline, question, options))
    finally:
        pipeline.waiters.leave(question.id)


def _withdraw_asked(body: Json) -> Steps[None]:
    """The program ends while it asks: the question may be there, and its id is not known."""
    try:
        answer = yield from server.ask({**body, "ask": False})
        if answer["status"] == "pending":
            yield from server.withdraw(answer["id"], WITHDRAW_WITHIN)
    except CountersignError:
        # Without a claim nothing runs, so a question that stays behind does no harm.
        return


def resume(pipeline: Pipeline, told: Json, tool: Tool, options: Options) -> Steps[Outcome]:
    """Runs what was approved before, or tells why not. Never waits for people."""
    question = told_of(Question(told["id"], told["digest"], "", None, tool), told)
    if pipeline.mode.kind == "deny_all" and not question.execution:
        return blocked("denied_by_mode", tool.name)
    pipeline.waiters.enter(question.id)
    try:
        return (yield from _use(pipeline, question, options, _until(options)))
    finally:
        pipeline.waiters.leave(question.id)


def _run_allowed(args: Json, tool: Tool, options: Options) -> Steps[Outcome]:
    if options.cancel and options.cancel.is_cancelled:
        return blocked("withdrawn", tool.name)
    context = ToolContext(tool.name)
    ended: Ended = yield Start(lambda: tool.start(args), context, is_async=tool.is_async)
    if ended.error is None:
        return Outcome("succeeded", True, result=ended.result)
    return _ended_by(tool, ended.error, args)


def _wait_and_run(pipeline: Pipeline, question: Question, options: Options) -> Steps[Outcome]:
    until = _until(options)
    try:
        if question.status == "pending":
            question = yield from _decided(pipeline, question, until, options)
            if question.status == "pending":
                return (yield from _stop_waiting(pipeline, question))
    except CountersignError as error:
        return refused_by(error, question.tool.name, question.id)
    except INTERRUPTS:
        # The program ends. A later yes would run something that no caller waits for.
        if pipeline.waiters.is_alone(question.id):
            try:
                yield from server.withdraw(question.id, WITHDRAW_WITHIN)
            except CountersignError:
                # A server that refuses this as well must not take the place of the interrupt.
                pass
        raise
    return (yield from _use(pipeline, question, options, until))


def _decided(
    pipeline: Pipeline, question: Question, until: float | None, options: Options
) -> Steps[Question]:
    """Waits for people. Answers that come at once are not worth a line on the terminal."""

    def over(told: Json) -> bool:
        return bool(told["status"] != "pending")

    if pipeline.announce is not None:
        told = yield from server.wait(
            question.id, over, until=until, cancel=options.cancel, first=ANNOUNCE_AFTER
        )
        if over(told):
            return told_of(question, told)
        where = f"{pipeline.connection.url}/approvals/{question.id}"
        pipeline.announce(
            f"countersign: {question.tool.name} waits for a person. Decide: {where}"
        )
    told = yield from server.wait(question.id, over, until=until, cancel=options.cancel)
    return told_of(question, told)


def _stop_waiting(pipeline: Pipeline, question: Question) -> Steps[Outcome]:
    name = question.tool.name
    if not pipeline.waiters.is_alone(question.id):
        return pending(question.id, name)
    told = yield from server.withdraw(question.id)
    if told is None:
        return blocked("withdrawn", name, says="unavailable", approval_id=question.id)
    if told["status"] != "withdrawn":
        return outcome_of(told_of(question, told))
    return blocked("withdrawn", name, approval_id=question.id)


def _use(
    pipeline: Pipeline, question: Question, options: Options, until: float | None
) -> Steps[Outcome]:
    """Spends a yes and runs its call; for anything else, tells what became of it."""
    tool = question.tool
    try:
        if question.execution:
            return (yield from _follow(question, options, until))
        if question.status != "approved":
            return outcome_of(question)
        if options.cancel and options.cancel.is_cancelled:
            return (yield from _stop_waiting(pipeline, question))
        body: Json = {"digest": question.digest}
        if pipeline.lease is not None:
            body["lease"] = pipeline.lease
        if tool.definition is not None:
            body["definition"] = tool.definition
        if question.declared:
            own = question.declared
            body["declared"] = own[0] if len(own) == 1 else list(own)
        claimed = yield from server.claim(question.id, body)
    except CountersignError as error:
        return (yield from _not_claimed(question, error, options, until))
    return (yield from _execute(pipeline, question, claimed, options))


def _not_claimed(
    question: Question, error: CountersignError, options: Options, until: float | None
) -> Steps[Outcome]:
    name = question.tool.name
    if error.code in _HELD_BACK or error.code in _ENDED:
        # Another caller may have started it before that: then how it ended is the truth.
        try:
            now = told_of(question, (yield from server.look(question.id)))
        except CountersignError as failure:
            if error.code == "already_claimed":
                return unknown("already_claimed", question.id, name)
            return refused_by(error if error.code in _HELD_BACK else failure, name, question.id)
        if now.execution:
            return (yield from _follow(now, options, until))
        if error.code in _ENDED:
            return outcome_of(now)
    return refused_by(error, name, question.id)


def _follow(question: Question, options: Options, until: float | None) -> Steps[Outcome]:
    """Another caller runs this very call, or has run it: its result instead of a second run."""
    try:
        told = yield from server.wait(
            question.id,
            lambda now: now.get("execution") != "running",
            until=until,
            cancel=options.cancel,
        )
    except CountersignError:
        return unknown("already_claimed", question.id, question.tool.name)
    return outcome_of(told_of(question, told))


def _execute(
    pipeline: Pipeline, question: Question, claimed: server.Claim, options: Options
) -> Steps[Outcome]:
    """Runs a claimed call, once, and tells the server how it ended."""
    tool, args, answer = question.tool, claimed.args, claimed.answer
    is_cancelled = options.cancel is not None and options.cancel.is_cancelled
    if is_cancelled or not claimed.may_start():
        code = "withdrawn" if is_cancelled else "not_started"
        yield from server.finish(claimed, "failed", _NEVER_STARTED)
        return blocked(code, tool.name, approval_id=question.id)
    edited, payload = edited_of(answer), answer.get("decision")
    proof = (pipeline.connection, question.id, claimed.name)
    context = ToolContext(
        tool.name,
        approval_id=question.id,
        idempotency_key=claimed.idempotency_key,
        decision=payload,
        edited=edited is not None,
        _countersign=proof if answer.get("countersigns") is True else None,
    )
    lease = (question.id, claimed.name, claimed.lease)
    start = Start(lambda: tool.start(args), context, lease, tool.is_async)
    try:
        ended: Ended = yield start
    except INTERRUPTS:
        # What began may have taken effect: the lease runs out, and the record says `unknown`.
        if not start.began:
            yield from server.finish(claimed, "failed", _NEVER_STARTED)
        raise
    about = {"approval_id": question.id, "payload": payload, "edited": edited}
    if ended.error is None:
        known = yield from server.finish(claimed, "succeeded", ended.result, drop=tool.drop)
        note = edited.model_message if edited else None
        outcome = Outcome("succeeded", True, result=ended.result, model_message=note)
        return replace(outcome, **about, unrecorded=not known)
    outcome = _ended_by(tool, ended.error, args, question.id)
    if outcome.status == "unknown":
        # Nothing is told: the lease runs out, and then the server knows as much.
        return replace(outcome, **about)
    said = {
        **({"code": "not_started"} if outcome.status == "blocked" else {}),
        **({"name": type(ended.error).__name__} if outcome.status == "failed" else {}),
        "message": _text_of(tool, ended.error, args),
    }
    known = yield from server.finish(claimed, "failed", said)
    return replace(outcome, **about, unrecorded=not known)


def _ended_by(
    tool: Tool, error: Exception, args: Json, approval_id: str | None = None
) -> Outcome:
    reason = _text_of(tool, error, args)
    if isinstance(error, OutcomeUnknown):
        text = sentence("unknown", tool.name, approval_id=approval_id, reason=reason)
        return Outcome("unknown", "unknown", code="outcome_unknown", model_message=text)
    if isinstance(error, NotStarted):
        return blocked("not_started", tool.name, reason=reason)
    text = sentence("failed", tool.name, reason=reason)
    return Outcome("failed", True, error=error, model_message=text)


def _text_of(tool: Tool, error: Exception, args: Json) -> str:
    """Tools quote their arguments when they fail, and what they say is shown and passed on."""
    return error_text(error, hidden_texts(args, tool.secrets))


def _until(options: Options) -> float | None:
    return None if options.wait_for is None else time.monotonic() + options.wait_for
