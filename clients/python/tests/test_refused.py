"""What does not run, and what the caller is told."""

from __future__ import annotations

from countersign import CallBlocked, CountersignError, Gate

from .paying import PAY, Tool
from .support import Case, eventually


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
