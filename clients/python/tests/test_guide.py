"""The examples of the guide, as they stand there, against a real server."""

from __future__ import annotations

import contextlib
import io
import os
import re
import threading
from typing import Any
from unittest import mock

from . import standins
from .support import ROOT, Case, Server

GUIDE = ROOT / "docs" / "guides" / "python.md"
README = ROOT / "clients" / "python" / "README.md"

POLICY = """version: 1
tools:
  read: { approval: false }
  pay: { approval: { approvers: ["*"] } }
"""


def examples(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page, re.S | re.M)


class Approver(threading.Thread):
    """Decides whatever waits: the first question with no, all others with yes."""

    def __init__(self, server: Server) -> None:
        super().__init__(daemon=True)
        self._server = server
        self._over = threading.Event()
        self.decided: list[str] = []

    def run(self) -> None:
        while not self._over.wait(0.05):
            for one in self._server.approvals():
                verdict = "approve" if self.decided else "deny"
                body = {"verdict": verdict, "digest": one["digest"]}
                if one["tool"] == "refund":
                    body["payload"] = {"account": "B"}
                self._server.send("POST", f"/v1/approvals/{one['id']}/decisions", body)
                self.decided.append(one["tool"])

    def __exit__(self, *_: Any) -> None:
        self._over.set()
        self.join()

    def __enter__(self) -> Approver:
        self.start()
        return self


class Guide(Case):
    policy = POLICY

    def run_page(self, page: str) -> tuple[str, list[str], dict[str, Any]]:
        standins.install()
        env = {"COUNTERSIGN_URL": self.server.url, "COUNTERSIGN_TOKEN": self.server.token()}
        said, names = io.StringIO(), {"__name__": "guide"}
        with mock.patch.dict(os.environ, env), Approver(self.server) as approver:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
                for example in examples(page):
                    exec(compile(example, "guide", "exec"), names)
        return said.getvalue(), approver.decided, names

    def test_the_guide(self) -> None:
        page = GUIDE.read_text("utf-8")
        self.assertEqual(len(examples(page)), 6)
        said, decided, names = self.run_page(page)
        lines = said.splitlines()
        self.assertEqual(lines[0], "denied False")
        self.assertIn("was denied by a person and did not run", lines[1])
        self.assertEqual(lines[2:], ["read a.txt", "refunded from B"])
        self.assertEqual((names["first"], names["again"]), ("paid 500 to Lena",) * 2)
        self.assertEqual(names["result"], "paid 500")
        # Denied, once for two calls of one key, with a form, and step by step.
        self.assertEqual(decided, ["pay", "pay", "refund", "pay"])

    def test_the_readme(self) -> None:
        page = README.read_text("utf-8")
        self.assertEqual(len(examples(page)), 1)
        said, decided, _ = self.run_page(page)
        self.assertEqual(decided, ["pay"])
        self.assertIn("was denied by a person and did not run", said)
