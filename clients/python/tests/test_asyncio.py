"""The gate for asyncio."""

from __future__ import annotations

import asyncio
import threading

from countersign import AsyncGate, CallBlocked, Cancellation, CountersignError, current

from .paying import PAY, Tool
from .support import Case, eventually


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

    def test_a_cancelled_task_ends_as_one_also_where_the_server_refuses_everything(self) -> None:
        gate, tool = self.async_gate(), Tool()

        async def main() -> None:
            waiting = asyncio.ensure_future(gate.run("pay", PAY, tool))
            [asked] = await asyncio.to_thread(
                eventually, self.server.approvals, "nothing was asked"
            )
            sent = gate.connection.send_async

            async def refusing(request: object) -> object:
                raise CountersignError("token_unknown", "revoked", http_status=401)

            gate.connection.send_async = refusing  # type: ignore[method-assign, assignment]
            waiting.cancel()
            try:
                with self.assertRaises(asyncio.CancelledError):
                    await waiting
            finally:
                gate.connection.send_async = sent  # type: ignore[method-assign]
                await gate.withdraw(asked["id"])

        asyncio.run(main())
        self.assertEqual(tool.runs, [])

    def test_a_cancellation_of_another_thread_withdraws_at_once(self) -> None:
        gate, cancel, runs = self.async_gate(), Cancellation(), []

        @gate.guard
        async def pay(amount: int, to: str) -> None:
            runs.append(amount)

        async def main() -> str:
            waiting = asyncio.ensure_future(pay.options(cancel=cancel)(**PAY))
            await asyncio.to_thread(eventually, self.server.approvals, "nothing was asked")
            await asyncio.sleep(0.2)
            await asyncio.to_thread(cancel.cancel)
            with self.assertRaises(CallBlocked) as blocked:
                await asyncio.wait_for(waiting, 10)
            return blocked.exception.code

        self.assertEqual((asyncio.run(main()), runs), ("withdrawn", []))

    def test_a_task_that_is_cancelled_while_it_asks_or_claims_leaves_nothing_open(self) -> None:
        gate, tool = self.async_gate(), Tool()

        async def main(moment: str) -> str:
            sent, named = gate.connection.send_async, {"run": "r-cancel", "key": moment}
            waiting: list[asyncio.Future[object]] = []

            async def cancelling(request: object) -> object:
                if request.path.endswith(moment):  # type: ignore[attr-defined]
                    waiting[0].cancel()
                return await sent(request)  # type: ignore[arg-type]

            gate.connection.send_async = cancelling  # type: ignore[method-assign, assignment]
            try:
                waiting.append(asyncio.ensure_future(gate.run("pay", PAY, tool, **named)))
                if moment == "/claim":
                    await asyncio.to_thread(self.server.decide)
                with self.assertRaises(asyncio.CancelledError):
                    await waiting[0]
            finally:
                gate.connection.send_async = sent  # type: ignore[method-assign]
            now = await gate.check("pay", PAY, **named)
            return f"{now.code} {now.execution}"

        self.assertEqual(asyncio.run(main("/v1/calls")), "withdrawn None")
        self.assertEqual(asyncio.run(main("/claim")), "None failed")
        self.assertEqual(tool.runs, [])

    def test_fifty_calls_wait_side_by_side_without_threads(self) -> None:
        gate = self.async_gate()

        async def main() -> list[str]:
            before = threading.active_count()
            waiting = [
                asyncio.ensure_future(gate.run("pay", PAY, Tool(), wait_for=0.9)) for _ in range(50)
            ]
            await asyncio.sleep(0.5)
            self.assertLessEqual(threading.active_count(), before + 1)
            return [(await one).code or "" for one in waiting]

        self.assertEqual(set(asyncio.run(main())), {"withdrawn"})
