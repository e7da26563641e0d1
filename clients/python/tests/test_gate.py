"""Calls against a real server: what runs, what does not, and what the caller is told."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
import typing
import unittest

from countersign import (
    AsyncGate,
    CallBlocked,
    Cancellation,
    CountersignError,
    NotStarted,
    OutcomeUnknown,
    ToolFailed,
    current,
    custom,
    deny_all,
)

from .support import Case, eventually

PAY = {"amount": 500, "to": "Lena"}


class Tool:
    """Counts its runs."""

    def __init__(self) -> None:
        self.runs: list[dict[str, object]] = []

    def __call__(self, **args: object) -> object:
        self.runs.append(args)
        return {"paid": args["amount"]}


class Approved(Case):
    def test_what_the_policy_allows_runs_at_once(self) -> None:
        outcome = self.gate().run("pay", {"amount": 5, "to": "Lena"}, Tool())
        self.assertEqual((outcome.status, outcome.result), ("succeeded", {"paid": 5}))
        self.assertIsNone(outcome.approval_id)

    def test_a_yes_runs_the_call_once_and_the_same_key_finds_its_result(self) -> None:
        gate, tool = self.gate(), Tool()
        running = self.later(lambda: gate.run("pay", PAY, tool, run="r1", key="k1"))
        approval_id = self.server.decide()
        outcome = running.result()
        self.assertEqual(outcome.result, {"paid": 500})
        self.assertEqual(outcome.approval_id, approval_id)
        again = gate.run("pay", PAY, tool, run="r1", key="k1")
        self.assertTrue(again.replayed)
        self.assertEqual((again.result, again.approval_id), ({"paid": 500}, approval_id))
        self.assertEqual(len(tool.runs), 1)
        self.assertEqual(gate.look(approval_id).execution, "succeeded")

    def test_an_edit_runs_the_edited_arguments_and_says_so(self) -> None:
        gate, tool = self.gate(), Tool()
        said: list[str] = []

        @gate.guard
        def pay(amount: int, to: str) -> object:
            context = current()
            assert context is not None
            self.assertTrue(context.edited)
            self.assertTrue(context.approval_id)
            return tool(amount=amount, to=to)

        own = pay.options(run="r-edit", key="k1", on_model_message=said.append)
        running = self.later(lambda: own(500, to="Lena"))
        self.server.decide(edit={"arguments": {"amount": 300, "to": "Lena"}})
        self.assertEqual(running.result(), {"paid": 300})
        self.assertEqual(tool.runs, [{"amount": 300, "to": "Lena"}])
        self.assertIn("amount is now 300", said[0])

    def test_what_an_approver_attaches_reaches_the_tool(self) -> None:
        gate = self.gate()

        @gate.guard
        def note(text: str) -> object:
            context = current()
            return context and context.decision

        running = self.later(lambda: note(text="a"))
        self.server.decide(payload={"account": "B"})
        self.assertEqual(running.result(), {"account": "B"})
        self.assertIsNone(current())

    def test_a_form_is_filled_in_by_the_approver(self) -> None:
        form = {"type": "object", "properties": {"budget": {"type": "string"}}}
        gate = self.gate()

        @gate.guard(name="note", form={**form, "required": ["budget"]})
        def noted(text: str) -> object:
            context = current()
            return context and context.decision

        running = self.later(lambda: noted("a"))
        with self.assertRaises(Exception):
            self.server.decide()
        self.server.decide(payload={"budget": "travel"})
        self.assertEqual(running.result(), {"budget": "travel"})

    def test_a_tool_that_fails_has_failed_for_the_server_too_without_its_secrets(self) -> None:
        gate = self.gate()

        @gate.guard(secrets=["card"])
        def pay(amount: int, card: str) -> None:
            raise ValueError(f"card {card} was declined")

        own = pay.options(run="r-fail", key="k1")
        running = self.later(lambda: own(500, card="4111-1111"))
        approval_id = self.server.decide()
        with self.assertRaisesRegex(ValueError, "4111-1111"):
            running.result()
        kept = gate.look(approval_id)
        self.assertEqual(kept.execution, "failed")
        self.assertIn("Reason: card [secret] was declined.", kept.model_message)
        with self.assertRaises(ToolFailed) as failed:
            own(500, card="4111-1111")
        self.assertTrue(failed.exception.outcome.replayed)

    def test_a_tool_that_does_not_know_how_it_ended_is_not_run_again(self) -> None:
        gate, runs = self.gate(lease=1), []

        def pay(**args: object) -> None:
            runs.append(args)
            raise OutcomeUnknown("the line went dead")

        running = self.later(lambda: gate.run("pay", PAY, pay, run="r-unknown", key="k"))
        approval_id = self.server.decide()
        outcome = running.result()
        self.assertEqual((outcome.status, outcome.ran), ("unknown", "unknown"))
        self.assertIn("the line went dead", outcome.model_message or "")
        eventually(lambda: gate.look(approval_id).execution == "unknown", "it is not unknown")
        again = gate.run("pay", PAY, pay, run="r-unknown", key="k")
        self.assertEqual((again.code, again.ran, len(runs)), ("outcome_unknown", "unknown", 1))

    def test_a_tool_that_certainly_did_nothing_did_not_run(self) -> None:
        gate = self.gate()

        def pay(**_: object) -> None:
            raise NotStarted("the bank is closed")

        running = self.later(lambda: gate.run("pay", PAY, pay, run="r-not", key="k"))
        self.server.decide()
        outcome = running.result()
        self.assertEqual((outcome.code, outcome.ran), ("not_started", False))
        again = gate.run("pay", PAY, pay, run="r-not", key="k")
        self.assertEqual((again.code, again.ran), ("not_started", False))

    def test_a_long_tool_keeps_its_lease(self) -> None:
        gate = self.gate(lease=1)

        def slow(**_: object) -> str:
            time.sleep(2.2)
            return "done"

        running = self.later(lambda: gate.run("pay", PAY, slow))
        approval_id = self.server.decide()
        self.assertEqual(running.result().result, "done")
        self.assertEqual(gate.look(approval_id).execution, "succeeded")

    def test_a_result_that_is_not_json_is_left_out_and_the_call_has_succeeded(self) -> None:
        gate = self.gate()
        made = object()
        running = self.later(lambda: gate.run("pay", PAY, lambda **_: made, run="r-json", key="k"))
        self.server.decide()
        self.assertIs(running.result().result, made)
        again = gate.run("pay", PAY, lambda **_: made, run="r-json", key="k")
        self.assertEqual((again.status, again.no_result), ("succeeded", "dropped"))
        guarded = gate.guard(name="pay")(lambda amount, to: made).options(run="r-json", key="k")
        with self.assertRaises(CallBlocked) as gone:
            guarded(**PAY)
        self.assertEqual((gone.exception.code, gone.exception.ran), ("content_gone", True))


class Refused(Case):
    def test_a_denied_call_raises_what_the_model_should_read(self) -> None:
        gate, tool = self.gate(), Tool()

        @gate.guard
        def pay(amount: int, to: str) -> object:
            return tool(amount=amount, to=to)

        running = self.later(lambda: pay(**PAY))
        approval_id = self.server.decide("deny", reason="Not this month")
        with self.assertRaises(CallBlocked) as blocked:
            running.result()
        error = blocked.exception
        self.assertEqual((error.code, error.ran, error.status), ("denied", False, "blocked"))
        self.assertEqual(error.approval_id, approval_id)
        self.assertRegex(error.model_message, r"did not run\. Reason: Not this month\.")
        self.assertEqual(error.outcome.reason, "Not this month")
        self.assertEqual(tool.runs, [])

    def test_what_governance_denies_does_not_run(self) -> None:
        outcome = self.gate().run("wipe_all", {}, Tool())
        self.assertEqual((outcome.code, outcome.ran), ("denied_by_policy", False))
        self.assertIn("Nothing is wiped here.", outcome.model_message or "")

    def test_a_key_of_another_call_is_refused(self) -> None:
        gate = self.gate()
        first = gate.check("pay", PAY, run="r-reused", key="k")
        self.assertEqual(first.status, "pending")
        other = gate.check("pay", {"amount": 9_000, "to": "Mallory"}, run="r-reused", key="k")
        self.assertEqual((other.status, other.code), ("blocked", "key_reused"))
        gate.withdraw(first.id or "")

    def test_a_token_that_is_forged_expired_or_revoked_runs_nothing(self) -> None:
        from countersign import Gate

        tool = Tool()
        token = self.server.token("revoked")
        found, _ = self.server.send("GET", "/v1/tokens")
        prefix = next(one["prefix"] for one in found["tokens"] if one["agent"] == "revoked")
        self.server.send("DELETE", f"/v1/tokens/{prefix}")
        for bad in ("cs_forged", token, token[:-1] + ("a" if token[-1] != "a" else "b")):
            gate = Gate(self.server.url, bad, announce=False)
            outcome = gate.run("read", {"amount": 1}, tool)
            self.assertEqual((outcome.code, outcome.ran), ("token_unknown", False))
            self.assertIn("countersign token create", outcome.model_message or "")
            with self.assertRaises(CountersignError):
                gate.check("read", {})
        self.assertEqual(tool.runs, [])

    def test_a_token_revoked_while_people_decide_runs_nothing(self) -> None:
        tool, gate = Tool(), self.gate("leaving")
        running = self.later(lambda: gate.run("pay", PAY, tool))
        eventually(self.server.approvals, "nothing was asked")
        found, _ = self.server.send("GET", "/v1/tokens")
        prefix = next(one["prefix"] for one in found["tokens"] if one["agent"] == "leaving")
        self.server.send("DELETE", f"/v1/tokens/{prefix}")
        self.server.decide()
        outcome = running.result()
        self.assertEqual((outcome.code, outcome.ran, tool.runs), ("token_unknown", False, []))

    def test_another_agent_learns_nothing_of_an_approval(self) -> None:
        asked = self.gate("one").check("pay", PAY, run="r-other", key="k")
        other = self.gate("two")
        for attempt in (
            lambda: other.look(asked.id or ""),
            lambda: other.claim(asked.id or "", asked.digest or ""),
            lambda: other.withdraw(asked.id or ""),
            lambda: other.resume(asked.id or "", {"pay": Tool()}),
        ):
            with self.assertRaises(CountersignError) as refused:
                attempt()
            self.assertEqual(refused.exception.code, "approval_not_found")
        self.server.decide("deny")

    def test_a_principal_needs_a_token_that_says_so(self) -> None:
        outcome = self.gate().with_(principal="uma@example.com").run("pay", PAY, Tool())
        self.assertEqual((outcome.code, outcome.ran), ("principal_unproved", False))

    def test_a_locked_tool_does_not_run(self) -> None:
        body = {"target": {"tool": "read"}, "reason": "maintenance"}
        made, _ = self.server.send("POST", "/v1/locks", body)
        try:
            outcome = self.gate().run("read", {"amount": 1}, Tool())
        finally:
            self.server.send("DELETE", f"/v1/locks/{made['id']}")
        self.assertEqual((outcome.code, outcome.ran), ("locked", False))


class Waiting(Case):
    def test_a_caller_whose_time_is_over_leaves_nothing_that_could_run(self) -> None:
        gate, tool = self.gate(), Tool()
        outcome = gate.run("pay", PAY, tool, wait_for=0.3)
        self.assertEqual((outcome.code, outcome.ran), ("withdrawn", False))
        self.assertEqual(gate.look(outcome.approval_id or "").status, "withdrawn")
        self.assertEqual(tool.runs, [])

    def test_cancelling_withdraws_at_once(self) -> None:
        gate, tool, cancel = self.gate(), Tool(), Cancellation()
        running = self.later(lambda: gate.run("pay", PAY, tool, cancel=cancel))
        [asked] = eventually(self.server.approvals, "nothing was asked")
        begun = time.monotonic()
        cancel.cancel()
        outcome = running.result()
        self.assertLess(time.monotonic() - begun, 5)
        self.assertEqual((outcome.code, outcome.ran), ("withdrawn", False))
        self.assertEqual(gate.look(asked["id"]).status, "withdrawn")
        before = gate.run("pay", PAY, tool, cancel=cancel)
        self.assertEqual((before.code, tool.runs), ("withdrawn", []))

    def test_one_of_two_callers_that_leaves_does_not_withdraw_for_the_other(self) -> None:
        gate, tool = self.gate(), Tool()
        first = self.later(lambda: gate.run("pay", PAY, tool, run="r-two", key="k"))
        [asked] = eventually(self.server.approvals, "nothing was asked")
        second = gate.run("pay", PAY, tool, run="r-two", key="k", wait_for=0.5)
        self.assertEqual((second.status, second.approval_id), ("pending", asked["id"]))
        self.server.decide()
        self.assertEqual((first.result().status, len(tool.runs)), ("succeeded", 1))

    def test_without_waiting_a_call_is_pending_and_resumes_anywhere(self) -> None:
        tool = Tool()
        gate = self.gate("later")

        @gate.guard(description="Pays.", schema={"type": "object"})
        def pay(amount: int, to: str) -> object:
            return tool(amount=amount, to=to)

        with self.assertRaises(CallBlocked) as waiting:
            pay.options(run="r-later", key="k", wait=False)(**PAY)
        error = waiting.exception
        self.assertEqual((error.code, error.ran), ("pending", False))
        approval_id = error.approval_id or ""
        self.assertEqual(gate.resume(approval_id, {"pay": pay}).status, "pending")
        self.server.decide()
        # Another definition than people saw is another tool, and the yes stays unspent.
        with self.assertRaises(CountersignError) as other:
            gate.resume(approval_id, {"pay": tool})
        self.assertEqual(other.exception.code, "tool_unknown")
        with self.assertRaises(CountersignError) as other:
            gate.resume(approval_id, {"read": tool})
        self.assertEqual(other.exception.code, "tool_unknown")
        elsewhere = self.gate("later").resume(approval_id, {"pay": pay})
        self.assertEqual((elsewhere.status, elsewhere.result), ("succeeded", {"paid": 500}))
        self.assertTrue(gate.resume(approval_id, {"pay": pay}).replayed)
        self.assertEqual(len(tool.runs), 1)

    def test_a_waiting_program_says_where_to_decide(self) -> None:
        lines: list[str] = []
        gate = self.gate()
        loud = type(gate)(self.server.url, self.server.token(), announce=lines.append)
        running = self.later(lambda: loud.run("pay", PAY, Tool()))
        eventually(lambda: lines, "it said nothing")
        approval_id = self.server.decide()
        running.result()
        where = f"{self.server.url}/approvals/{approval_id}"
        self.assertEqual(lines, [f"countersign: pay waits for a person. Decide: {where}"])


class ByHand(Case):
    def test_check_wait_claim_finish(self) -> None:
        gate = self.gate(lease=5)
        asked = gate.check("pay", PAY, run="r-hand", key="k")
        same = gate.check("pay", PAY, run="r-hand", key="k")
        self.assertEqual((asked.status, asked.id), ("pending", same.id))
        self.assertEqual(gate.wait(asked.id or "", wait_for=0.2).status, "pending")
        with self.assertRaises(CountersignError) as early:
            gate.claim(asked.id or "", asked.digest or "")
        self.assertEqual(early.exception.code, "not_approved")
        self.server.decide()
        self.assertEqual(gate.wait(asked.id or "").status, "approved")
        with self.assertRaises(CountersignError) as wrong:
            gate.claim(asked.id or "", "0" * 64)
        self.assertEqual(wrong.exception.code, "call_changed")
        claim = gate.claim(asked.id or "", asked.digest or "")
        self.assertEqual((claim.args, claim.lease), (PAY, 5_000))
        self.assertTrue(claim.may_start())
        with self.assertRaises(CountersignError) as second:
            gate.claim(asked.id or "", asked.digest or "")
        self.assertEqual(second.exception.code, "already_claimed")
        with gate.renewing(claim):
            self.assertEqual(gate.look(asked.id or "").execution, "running")
        self.assertTrue(gate.finish(claim, {"paid": True}))
        self.assertEqual(gate.look(asked.id or "").result, {"paid": True})

    def test_sixteen_threads_get_one_claim(self) -> None:
        gate = self.gate()
        asked = gate.check("pay", PAY, run="r-race", key="k")
        self.server.decide()
        barrier, claims, refusals = threading.Barrier(16), [], []

        def race() -> None:
            barrier.wait()
            try:
                claims.append(gate.claim(asked.id or "", asked.digest or ""))
            except CountersignError as error:
                refusals.append(error.code)

        racers = [self.later(race) for _ in range(16)]
        for racer in racers:
            racer.result()
        self.assertEqual((len(claims), set(refusals)), (1, {"already_claimed"}))
        gate.finish(claims[0], failed=True)

    def test_a_claimed_call_can_be_countersigned_once(self) -> None:
        gate = self.gate()
        proofs: list[str] = []

        @gate.guard
        def note(text: str) -> str:
            context = current()
            assert context is not None
            proofs.append(context.countersign())
            return text

        running = self.later(lambda: note("a"))
        self.server.decide()
        self.assertEqual((running.result(), proofs[0].count(".")), ("a", 2))


class Modes(Case):
    def test_deny_all_asks_no_server(self) -> None:
        from countersign import Gate

        gate = Gate("http://127.0.0.1:1", "cs_none", mode=deny_all())
        outcome = gate.run("read", {}, Tool())
        self.assertEqual((outcome.code, outcome.ran), ("denied_by_mode", False))
        self.assertEqual(gate.check("read", {}).code, "denied_by_mode")
        with self.assertRaises(CountersignError):
            gate.claim("a", "b")
        # A mode is never replaced by a weaker one.
        for weaker in (custom(lambda call: False), None):
            self.assertEqual(gate.with_(mode=weaker).run("read", {}, Tool()).code, "denied_by_mode")

    def test_a_function_can_only_tighten(self) -> None:
        def pay(**_: object) -> str:
            return "paid"

        small, large = {"amount": 5, "to": "Lena"}, PAY
        loose = self.gate(mode=custom(lambda call: False))
        self.assertEqual(loose.run("pay", small, pay).status, "succeeded")
        asked = loose.check("pay", large)
        self.assertEqual(asked.status, "pending")
        loose.withdraw(asked.id or "")
        self.assertEqual(loose.run("wipe_all", {}, pay).code, "denied_by_policy")

        def broken(call: object) -> bool:
            raise RuntimeError("no idea")

        answers = (True, "confirm", "review", {"approval": True}, "who knows", None)
        for decide in (broken, *((lambda _, said=said: said) for said in answers)):
            asked = self.gate(mode=custom(decide)).check("pay", small)
            self.assertEqual(asked.status, "pending", decide)
            loose.withdraw(asked.id or "")
        denied = self.gate(mode=custom(lambda call: "deny")).run("pay", small, pay)
        self.assertEqual((denied.code, denied.ran), ("denied_by_policy", False))

    def test_what_code_declares_counts_beside_the_policy(self) -> None:
        gate = self.gate()

        def read(path: str) -> str:
            return path

        for approval in (True, lambda args: args["path"] != "free", lambda args: args["no"]):
            guarded = gate.guard(approval=approval)(read).options(wait=False)
            with self.assertRaises(CallBlocked) as asked:
                guarded("secret")
            self.assertEqual(asked.exception.code, "pending")
            gate.withdraw(asked.exception.approval_id or "")
        free = gate.guard(approval=lambda args: args["path"] != "free")(read)
        self.assertEqual(free("free"), "free")
        loose = gate.guard(name="note", approval=False)(read).options(wait=False)
        with self.assertRaises(CallBlocked) as asked:
            loose("a")
        self.assertEqual(asked.exception.code, "pending")
        gate.withdraw(asked.exception.approval_id or "")


class Functions(Case):
    def test_a_guarded_function_keeps_its_signature_hints_and_name(self) -> None:
        gate = self.gate()

        @gate.guard
        def read(path: str, /, depth: int = 2, *, tail: bool = False, **more: object) -> str:
            """Reads."""
            return f"{path} {depth} {tail} {more}"

        self.assertEqual(str(inspect.signature(read)).partition(" ->")[0].count(","), 5)
        hints = typing.get_type_hints(read)
        self.assertEqual((hints["depth"], hints["return"]), (int, str))
        self.assertEqual((read.__name__, read.__doc__), ("read", "Reads."))
        self.assertEqual(read("a", 3, extra=1), "a 3 False {'extra': 1}")
        with self.assertRaises(TypeError):
            read()  # type: ignore[call-arg]
        with self.assertRaises(CountersignError):
            gate.guard(read)
        with self.assertRaises(CountersignError):
            gate.guard(lambda *many: many)
        with self.assertRaises(CountersignError):
            gate.guard(name="not a name")(lambda a: a)

    def test_an_async_function_of_a_blocking_gate_stays_async(self) -> None:
        gate = self.gate()

        @gate.guard
        async def pay(amount: int, to: str) -> str:
            await asyncio.sleep(0)
            context = current()
            return f"paid {amount} by {'approval' if context and context.approval_id else 'rule'}"

        self.assertTrue(inspect.iscoroutinefunction(pay))
        running = self.later(lambda: asyncio.run(typing.cast(typing.Any, pay(**PAY))))
        self.server.decide()
        self.assertEqual(running.result(), "paid 500 by approval")
        self.assertEqual(asyncio.run(typing.cast(typing.Any, pay(5, "x"))), "paid 5 by rule")

    def test_a_blocking_gate_never_takes_a_coroutine_for_a_result(self) -> None:
        async def read(amount: int) -> int:
            return amount

        outcome = self.gate().run("read", {"amount": 1}, read)
        self.assertEqual((outcome.code, outcome.ran), ("not_started", False))

    def test_arguments_are_read_once(self) -> None:
        gate, seen = self.gate(), []
        args = {"amount": 500, "to": ["Lena"]}
        running = self.later(lambda: gate.run("pay", args, lambda **given: seen.append(given)))
        eventually(self.server.approvals, "nothing was asked")
        args["to"] = ["Mallory"]
        self.server.decide()
        running.result()
        self.assertEqual(seen, [{"amount": 500, "to": ["Lena"]}])


class Asyncio(Case):
    def async_gate(self, **options: object) -> AsyncGate:
        return AsyncGate(self.server.url, self.server.token(), announce=False, **options)  # type: ignore[arg-type]

    def test_the_async_twin_does_the_same(self) -> None:
        gate = self.async_gate()
        threads: list[str] = []

        @gate.guard
        def pay(amount: int, to: str) -> str:
            threads.append(threading.current_thread().name)
            context = current()
            return f"{amount} {context.approval_id if context else ''}"

        async def main() -> None:
            waiting = asyncio.ensure_future(pay.options(run="r-async", key="k")(**PAY))
            approval_id = await asyncio.to_thread(self.server.decide)
            self.assertEqual(await waiting, f"500 {approval_id}")
            self.assertNotEqual(threads, ["MainThread"])
            again = await gate.run("pay", PAY, pay.__wrapped__, run="r-async", key="k")
            self.assertTrue(again.replayed)
            asked = await gate.check("pay", PAY, run="r-async", key="k2")
            await asyncio.to_thread(self.server.decide)
            self.assertEqual((await gate.wait(asked.id or "")).status, "approved")
            claim = await gate.claim(asked.id or "", asked.digest or "")
            with gate.renewing(claim):
                pass
            self.assertTrue(await gate.finish(claim, "done"))
            self.assertEqual((await gate.look(asked.id or "")).result, "done")
            third = await gate.check("pay", PAY, run="r-async", key="k3")
            await asyncio.to_thread(self.server.decide)
            resumed = await gate.resume(third.id or "", {"pay": pay.__wrapped__})
            self.assertEqual(resumed.status, "succeeded")

        asyncio.run(main())

    def test_cancelling_a_task_withdraws_its_question(self) -> None:
        gate, tool = self.async_gate(), Tool()

        async def main() -> str:
            waiting = asyncio.ensure_future(gate.run("pay", PAY, tool))
            [asked] = await asyncio.to_thread(
                eventually, self.server.approvals, "nothing was asked"
            )
            waiting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waiting
            return str((await gate.look(asked["id"])).status)

        self.assertEqual(asyncio.run(main()), "withdrawn")
        self.assertEqual(tool.runs, [])

    def test_a_task_that_is_cancelled_while_it_asks_or_claims_leaves_nothing_open(self) -> None:
        gate, tool = self.async_gate(), Tool()

        async def main(moment: str) -> str:
            sent = gate.connection.send_async
            waiting: list[asyncio.Future[object]] = []

            async def cancelling(request: object) -> object:
                if request.path.endswith(moment):  # type: ignore[attr-defined]
                    waiting[0].cancel()
                return await sent(request)  # type: ignore[arg-type]

            gate.connection.send_async = cancelling  # type: ignore[method-assign, assignment]
            try:
                waiting.append(asyncio.ensure_future(gate.run("pay", PAY, tool, key=moment)))
                if moment == "/claim":
                    await asyncio.to_thread(self.server.decide)
                with self.assertRaises(asyncio.CancelledError):
                    await waiting[0]
            finally:
                gate.connection.send_async = sent  # type: ignore[method-assign]
            found, _ = await asyncio.to_thread(self.server.send, "GET", "/v1/approvals?limit=1")
            [newest] = found["approvals"]
            return f"{newest['status']} {newest.get('execution')}"

        self.assertEqual(asyncio.run(main("/v1/calls")), "withdrawn None")
        self.assertEqual(asyncio.run(main("/claim")), "approved failed")
        self.assertEqual(tool.runs, [])

    def test_fifty_calls_wait_side_by_side_without_threads(self) -> None:
        gate = self.async_gate()

        async def main() -> list[str]:
            before = threading.active_count()
            waiting = [
                asyncio.ensure_future(gate.run("pay", PAY, Tool(), wait_for=1.5)) for _ in range(50)
            ]
            await asyncio.sleep(0.8)
            self.assertLessEqual(threading.active_count(), before + 1)
            return [(await one).code or "" for one in waiting]

        self.assertEqual(set(asyncio.run(main())), {"withdrawn"})


if __name__ == "__main__":
    unittest.main()
