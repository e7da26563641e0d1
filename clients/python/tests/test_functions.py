"""Python functions as tools. What a program adds to the policy of its server can only tighten it."""

from __future__ import annotations

import asyncio
import inspect
import typing

from countersign import CallBlocked, CountersignError, Gate, current, custom, deny_all
from countersign.masking import hidden_texts

from .paying import PAY, Tool
from .support import Case, eventually


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

    def test_of_a_function_that_made_a_coroutine_it_is_not_said_that_it_did_nothing(self) -> None:
        async def later() -> None: ...

        done: list[int] = []

        def read(amount: int) -> object:
            done.append(amount)
            return later()

        outcome = self.gate().run("read", {"amount": 1}, read)
        self.assertEqual((outcome.code, outcome.ran, done), ("outcome_unknown", "unknown", [1]))

    def test_secrets_in_lists_and_under_names_with_dots_are_left_out_of_errors(self) -> None:
        args = {
            "cards": [{"number": "4111-1111"}],
            "a.b": "5500-0000",
            "order": {"card": "3400-0000", "note": "for Lena"},
            "odd": "6011-0000",
        }
        paths = ["cards.number", r"a\.b", "order.card", "odd.deeper", "nothing.here"]
        found = hidden_texts(args, paths)
        self.assertEqual(sorted(found), ["3400-0000", "4111-1111", "5500-0000", "6011-0000"])

    def test_two_arguments_of_one_name_are_refused(self) -> None:
        runs: list[object] = []

        @self.gate().guard
        def read(name: str, /, **more: str) -> None:
            runs.append((name, more))

        with self.assertRaises(CountersignError) as refused:
            read("a", name="b")
        self.assertEqual((refused.exception.code, runs), ("invalid_call", []))
        read("a", other="b")
        self.assertEqual(runs, [("a", {"other": "b"})])

    def test_arguments_are_read_once(self) -> None:
        gate, seen = self.gate(), []
        args = {"amount": 500, "to": ["Lena"]}
        running = self.later(lambda: gate.run("pay", args, lambda **given: seen.append(given)))
        eventually(self.server.approvals, "nothing was asked")
        args["to"] = ["Mallory"]
        self.server.decide()
        running.result()
        self.assertEqual(seen, [{"amount": 500, "to": ["Lena"]}])


class Modes(Case):
    def test_deny_all_asks_no_server(self) -> None:
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

        unsure = (lambda args: args["no"], lambda args: None, lambda args: "perhaps")
        for approval in (True, lambda args: args["path"] != "free", *unsure):
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
