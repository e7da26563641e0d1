"""What runs: allowed and approved calls against a real server."""

from __future__ import annotations

import time

from countersign import CallBlocked, NotStarted, OutcomeUnknown, ToolFailed, current

from .paying import PAY, Tool
from .support import Case, eventually


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
        told, _ = self.server.send("GET", f"/v1/approvals/{approval_id}/events")
        kinds = [one["type"] for one in told["events"]]
        self.assertGreaterEqual(kinds.count("renewed"), 2, kinds)
        self.assertNotIn("lost", kinds)

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
