"""Processes and servers that die at the worst moment. A tool never runs twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from countersign import CountersignError, Gate
from countersign.connection import Request

from .paying import PAY, Tool
from .support import Case, Server, eventually, python


class Crashes(Case):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.runs = Path(folder.name, "runs")
        self.runs.touch()
        self.token = self.server.token("processes")

    def payer(self, key: str, *, lease: float = 60, seconds: float = 0) -> subprocess.Popen[str]:
        args = (self.server.url, self.token, str(self.runs), key, str(lease), str(seconds))
        process = python("-m", "tests.paying_process", *args)
        self.addCleanup(_end, process)
        return process

    def told(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        out, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, err)
        told: dict[str, Any] = json.loads(out.splitlines()[-1])
        return told

    def count(self) -> int:
        return len(self.runs.read_text().splitlines())

    def test_killed_between_claim_and_finish_it_is_unknown_and_never_runs_again(self) -> None:
        first = self.payer("killed", lease=1, seconds=60)
        approval_id = self.server.decide()
        eventually(self.count, "the tool did not start")
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        gate = Gate(self.server.url, self.token, announce=False)
        eventually(lambda: gate.look(approval_id).execution == "unknown", "nothing noticed it")
        again = self.told(self.payer("killed"))
        self.assertEqual((again["ran"], again["code"]), ("unknown", "outcome_unknown"))
        self.assertEqual(self.count(), 1)

    def test_killed_while_waiting_the_next_process_finds_the_same_question(self) -> None:
        first = self.payer("waiting")
        [asked] = eventually(self.server.approvals, "nothing was asked")
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        second = self.payer("waiting")
        self.assertEqual(self.server.decide(), asked["id"])
        self.assertEqual(self.told(second)["result"], "paid 500")
        self.assertEqual(self.count(), 1)

    def test_two_processes_with_one_key_run_the_tool_once(self) -> None:
        both = [self.payer("two", seconds=0.3) for _ in range(2)]
        eventually(self.server.approvals, "nothing was asked")
        time.sleep(0.3)
        self.server.decide()
        told = [self.told(process) for process in both]
        self.assertEqual([one["result"] for one in told], ["paid 500"] * 2)
        self.assertEqual(sorted(one["replayed"] for one in told), [False, True])
        self.assertEqual(self.count(), 1)

    def test_a_result_whose_answer_was_lost_is_known_all_the_same(self) -> None:
        gate, lost = Gate(self.server.url, self.token, announce=False), []
        sent = gate.connection.send

        def losing(request: Any, cancel: Any = None) -> Any:
            answer = sent(request, cancel)
            if request.path.endswith("/result") and not lost:
                lost.append(request)
                raise CountersignError("server_unreachable", "lost", http_status=503)
            return answer

        gate.connection.send = losing  # type: ignore[method-assign]
        running = self.later(lambda: gate.run("pay", PAY, Tool(), run="r-lost", key="k"))
        approval_id = self.server.decide()
        outcome = running.result()
        self.assertEqual((outcome.status, outcome.unrecorded, len(lost)), ("succeeded", False, 1))
        self.assertEqual(gate.look(approval_id).result, {"paid": 500})

    def test_a_result_that_a_person_forestalled_is_not_recorded(self) -> None:
        gate, lost = Gate(self.server.url, self.token, announce=False, lease=1), []
        sent = gate.connection.send

        def losing(request: Any, cancel: Any = None) -> Any:
            if not request.path.endswith("/result") or lost:
                return sent(request, cancel)
            lost.append(request)
            approval_id = request.path.split("/")[3]
            eventually(
                lambda: sent(Request("GET", f"/v1/approvals/{approval_id}"))["execution"]
                == "unknown",
                "nothing noticed it",
            )
            self.server.send("POST", f"/v1/approvals/{approval_id}/resolve", {"outcome": "failed"})
            raise CountersignError("server_unreachable", "lost", http_status=503)

        gate.connection.send = losing  # type: ignore[method-assign]
        running = self.later(lambda: gate.run("pay", PAY, Tool(), run="r-late", key="k"))
        approval_id = self.server.decide()
        outcome = running.result()
        self.assertEqual((outcome.status, outcome.unrecorded), ("succeeded", True))
        self.assertEqual(gate.look(approval_id).execution, "failed")

    def test_an_interrupted_program_withdraws_its_question(self) -> None:
        process = self.payer("interrupted")
        [asked] = eventually(self.server.approvals, "nothing was asked")
        gate = Gate(self.server.url, self.token, announce=False)
        # Long enough to have the answer: what is interrupted is the waiting.
        time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(gate.look(asked["id"]).status, "withdrawn")
        self.assertEqual(self.count(), 0)


class Restarts(Case):
    def test_a_server_that_is_killed_and_comes_back_while_a_caller_waits(self) -> None:
        server = Server()
        self.addCleanup(server.remove)
        gate, tool = Gate(server.url, server.token(), announce=False), Tool()
        running = self.later(lambda: gate.run("pay", PAY, tool, run="r", key="k"))
        [asked] = eventually(server.approvals, "nothing was asked")
        server.kill()
        # Nothing can be asked meanwhile, and nothing runs.
        other = gate.run("pay", PAY, tool)
        self.assertEqual((other.code, other.ran), ("server_unreachable", False))
        self.assertIn("this attempt ran nothing", other.model_message or "")
        server.start()
        self.assertEqual(server.decide(), asked["id"])
        outcome = running.result()
        self.assertEqual((outcome.result, len(tool.runs)), ({"paid": 500}, 1))

        # Killed while the tool runs: the claim is still known when the server is back.
        def slow(**_: object) -> str:
            server.kill()
            server.start()
            return "done"

        running = self.later(lambda: gate.run("pay", PAY, slow, run="r", key="k2"))
        approval_id = server.decide()
        outcome = running.result()
        self.assertEqual((outcome.result, outcome.unrecorded), ("done", False))
        self.assertEqual(gate.look(approval_id).result, "done")


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream and not stream.closed:
            stream.close()
