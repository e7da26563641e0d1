"""A real server in a process of its own, and a person who decides."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request
from pathlib import Path
from typing import Any, Callable

from countersign import Gate

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "clients" / "python" / "src"
NODE = os.environ.get("COUNTERSIGN_NODE") or str(ROOT / "node_modules" / ".bin" / "node")

POLICY = """version: 1
tools:
  read: { approval: false }
  note: { approval: true }
  pay:
    secrets: [card]
    approval:
      condition: { args_match: { amount: { gt: 100 } } }
      approvers: ["*"]
      edit: [amount]
governance:
  - { id: no-wipes, match: { tool: "wipe*" }, deny: Nothing is wiped here. }
"""


class Server:
    def __init__(self, policy: str = POLICY) -> None:
        self.folder = tempfile.mkdtemp(prefix="countersign-python-")
        Path(self.folder, "countersign.yaml").write_text(policy)
        self.url = ""
        self._person: dict[str, str] = {}
        self.start()

    def start(self) -> None:
        """Begun again it listens where it did."""
        port = self.url.rsplit(":", 1)[-1] if self.url else "0"
        gone = ("COUNTERSIGN_GOVERNANCE", "COUNTERSIGN_DB", "FORCE_COLOR")
        env = {name: value for name, value in os.environ.items() if name not in gone}
        self.process = subprocess.Popen(
            [NODE, str(ROOT / "bin" / "countersign.js"), "start", "--port", port, "--json"],
            cwd=self.folder,
            env={**env, "HOME": self.folder, "COUNTERSIGN_CHAT_LOCAL": "off"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        said = ""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            said += line
            if line.startswith("}"):
                break
        try:
            started = json.loads(said)
        except ValueError as error:
            raise RuntimeError(f"the server did not start: {said}") from error
        self.url = started["url"].rstrip("/")
        secret = started["link"].partition("#signin=")[2]
        body, headers = self.send("POST", "/v1/session", {"token": secret}, as_person=False)
        cookie = headers["set-cookie"].partition(";")[0]
        self._person = {"cookie": cookie, "x-countersign-csrf": body["csrf"]}

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def _end(self, how: int) -> None:
        self.process.send_signal(how)
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()

    def remove(self) -> None:
        if self.process.poll() is None:
            self._end(signal.SIGTERM)
        shutil.rmtree(self.folder, ignore_errors=True)

    def send(
        self, method: str, path: str, body: Any = None, *, as_person: bool = True
    ) -> tuple[Any, Any]:
        data = None if body is None else json.dumps(body).encode()
        headers = {**(self._person if as_person else {})}
        if data is not None:
            headers["content-type"] = "application/json"
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=10) as response:
            text = response.read()
            return (json.loads(text) if text else None), response.headers

    def token(self, agent: str = "bot", **more: Any) -> str:
        made, _ = self.send("POST", "/v1/tokens", {"agent": agent, **more})
        return str(made["token"])

    def approvals(self, status: str = "pending") -> list[dict[str, Any]]:
        found, _ = self.send("GET", f"/v1/approvals?status={status}")
        return list(found["approvals"])

    def decide(self, verdict: str = "approve", **more: Any) -> str:
        """Decides whatever waits, as soon as something does."""
        [first, *_] = eventually(self.approvals, "nothing was asked")
        body = {"verdict": verdict, "digest": first["digest"], **more}
        self.send("POST", f"/v1/approvals/{first['id']}/decisions", body)
        return str(first["id"])


def eventually(look: Callable[[], Any], otherwise: str, seconds: float = 15.0) -> Any:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(otherwise)


class Case(unittest.TestCase):
    """Tests that share one server. Each leaves no question behind."""

    server: Server
    policy = POLICY

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = shared(cls.policy)

    def gate(self, agent: str = "bot", **options: Any) -> Gate:
        return Gate(self.server.url, self.server.token(agent), announce=False, **options)

    def later(self, work: Callable[[], Any]) -> Later:
        return Later(work)


class Later:
    """Something that runs beside the test, and what became of it."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._result: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._go, daemon=True)
        self._thread.start()

    def _go(self) -> None:
        try:
            self._result = self._work()
        except BaseException as error:
            self._error = error

    def result(self, seconds: float = 30.0) -> Any:
        self._thread.join(seconds)
        assert not self._thread.is_alive(), "it did not end"
        if self._error is not None:
            raise self._error
        return self._result


_servers: dict[str, Server] = {}


def shared(policy: str) -> Server:
    if policy not in _servers:
        _servers[policy] = Server(policy)
        atexit.register(remove_all)
    return _servers[policy]


def remove_all() -> None:
    while _servers:
        _servers.popitem()[1].remove()


def python(*args: str, **env: str) -> subprocess.Popen[str]:
    """Another Python process with this package."""
    return subprocess.Popen(
        [sys.executable, *args],
        env={**os.environ, "PYTHONPATH": str(PACKAGE), **env},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
