"""Callers that wait, leave and come back. The single steps: check, wait, claim, finish."""

from __future__ import annotations

import threading
import time

from countersign import CallBlocked, Cancellation, CountersignError, current

from .paying import PAY, Tool
from .support import Case, eventually


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

    def test_an_agent_reads_what_people_ask_and_replies(self) -> None:
        gate = self.gate("asked-back")
        asked = gate.check("pay", PAY, key="k", run="r-asked-back")
        approval_id = asked.id or ""
        self.assertEqual(gate.look(approval_id).questions, ())
        with self.assertRaises(CountersignError) as early:
            gate.answer(approval_id, "Before anything was asked.")
        self.assertEqual(early.exception.code, "not_asked")
        path = f"/v1/approvals/{approval_id}"
        self.server.send("POST", f"{path}/questions", {"text": "What for?"})
        self.assertEqual(gate.look(approval_id).questions, ("What for?",))
        with self.assertRaises(CountersignError) as other:
            self.gate("another").answer(approval_id, "Not mine.")
        self.assertEqual(other.exception.code, "approval_not_found")
        replied = gate.answer(approval_id, "The rent.")
        self.assertEqual((replied.status, replied.questions), ("pending", ()))
        card, _ = self.server.send("GET", path)
        said = [(one["kind"], one["text"]) for one in card["talk"]]
        self.assertEqual(said, [("question", "What for?"), ("reply", "The rent.")])
        gate.withdraw(approval_id)

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
