"""Whole answers of the server alone run a call: tried with servers that answer something else."""

from __future__ import annotations

import asyncio
import http.server
import json
import threading
import unittest
from collections.abc import Callable
from typing import Any

from countersign import AsyncGate, CountersignError, Gate

from .paying import PAY, Tool
from .support import Later

Respond = Callable[["Handler"], None]


class Handler(http.server.BaseHTTPRequestHandler):
    respond: Respond
    seen: list[str]

    def do_GET(self) -> None:
        self.seen.append(f"{self.command} {self.path} {self.headers.get('authorization')}")
        length = int(self.headers.get("content-length") or 0)
        self.body = self.rfile.read(length)
        type(self).respond(self)

    do_POST = do_GET

    def log_message(self, *_: Any) -> None:
        pass

    def json(self, value: Any, status: int = 200) -> None:
        self.raw(json.dumps(value).encode(), status)

    def raw(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


class Wire(unittest.TestCase):
    def listen(self, respond: Respond) -> tuple[str, list[str]]:
        seen: list[str] = []
        own = type("Own", (Handler,), {"respond": staticmethod(respond), "seen": seen})
        listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), own)
        listener.daemon_threads = True
        # Clients that give up are what is tested.
        listener.handle_error = lambda *_: None  # type: ignore[method-assign]
        threading.Thread(target=listener.serve_forever, args=(0.02,), daemon=True).start()
        self.addCleanup(listener.server_close)
        self.addCleanup(listener.shutdown)
        return f"http://127.0.0.1:{listener.server_address[1]}", seen

    def both(self, url: str, **options: Any) -> list[Any]:
        """The outcome of the same call by each of the two gates."""
        tool = Tool()
        one = Gate(url, "cs_secret", announce=False, **options).run("pay", PAY, tool)
        two = asyncio.run(
            AsyncGate(url, "cs_secret", announce=False, **options).run("pay", PAY, tool)
        )
        self.assertEqual(tool.runs, [])
        return [one, two]

    def test_no_call_runs_by_an_answer_that_is_not_whole(self) -> None:
        allowed = json.dumps({"status": "allowed", "args": PAY}).encode()
        answers: dict[str, Respond] = {
            "an error page": lambda h: h.raw(b"<html>Bad gateway</html>", 502),
            "a page that says 200": lambda h: h.raw(b"<html></html>"),
            "half of the JSON": lambda h: h.raw(allowed[:20]),
            "a connection that ends half-way": lambda h: h.wfile.write(
                b"HTTP/1.1 200 OK\r\ncontent-length: 400\r\n\r\n" + allowed
            ),
            "two lengths": lambda h: h.raw(allowed, content_length="400"),
            "a chunk that is missing": lambda h: h.wfile.write(
                b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n40\r\n" + allowed
            ),
            "JSON of another program": lambda h: h.json({"ok": True}),
            "allowed, and no arguments": lambda h: h.json({"status": "allowed"}),
            "allowed, and arguments that are a list": lambda h: h.json(
                {"status": "allowed", "args": []}
            ),
            "another call is allowed": lambda h: h.json(
                {"status": "allowed", "args": {"amount": 9, "to": "Mallory"}}
            ),
            "a key twice": lambda h: h.raw(b'{"status":"blocked","status":"allowed","args":{}}'),
            "approved, and no id": lambda h: h.json({"status": "approved", "digest": "d"}),
            "a word of a newer server": lambda h: h.json({"status": "waved-through", "args": PAY}),
            "not asked": lambda h: h.json({"status": "unasked"}),
            "nothing at all": lambda h: h.raw(b""),
            "no HTTP": lambda h: h.wfile.write(b"SSH-2.0-OpenSSH_9\r\n"),
            "silence": lambda h: h.connection.close(),
            "null": lambda h: h.json(None),
            "a refusal without a code": lambda h: h.json({"error": "no"}, 403),
        }
        for name, respond in answers.items():
            with self.subTest(name):
                for outcome in self.both(self.listen(respond)[0]):
                    self.assertEqual((outcome.code, outcome.ran), ("server_unreachable", False))

    def test_a_token_goes_to_no_other_address(self) -> None:
        other, seen = self.listen(lambda h: h.json({"status": "allowed", "args": PAY}))
        for status in (301, 302, 303, 307, 308):
            url, _ = self.listen(lambda h: h.raw(b"", status, location=other + h.path))
            for outcome in self.both(url):
                self.assertEqual((outcome.code, outcome.ran), ("server_unreachable", False))
            with self.assertRaisesRegex(CountersignError, "points somewhere else"):
                Gate(url, "cs_secret").check("pay", PAY)
        self.assertEqual(seen, [])
        self.assertNotIn("cs_secret", repr(Gate(other, "cs_secret").connection))

    def test_a_server_that_hangs_is_given_up(self) -> None:
        free = threading.Event()
        self.addCleanup(free.set)

        def silent(_: Handler) -> None:
            free.wait(20)

        def dripping(h: Handler) -> None:
            h.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            while not free.wait(0.1):
                h.wfile.write(b" ")

        for respond in (silent, dripping):
            for outcome in self.both(self.listen(respond)[0], timeout=0.5):
                self.assertEqual((outcome.code, outcome.ran), ("server_unreachable", False))

    def test_an_address_or_token_that_is_none_is_refused_at_once(self) -> None:
        for url, token in (
            ("ftp://x", "cs_a"),
            ("nonsense", "cs_a"),
            ("http://x", "cs_a\r\nhost: evil"),
            ("http://x", ""),
        ):
            with self.assertRaises(CountersignError) as refused:
                Gate(url, token)
            self.assertEqual(refused.exception.code, "usage")

    def test_settings_that_are_missing_or_half_written_are_refused_with_a_code(self) -> None:
        # As `os.environ.get` gives them where nothing was set.
        given = [("http://127.0.0.1:1", None), (None, "cs_a"), ("http://[::1", "cs_a")]
        for url, token in [*given, ("http://127.0.0.1:99999", "cs_a")]:
            with self.subTest(url=url), self.assertRaises(CountersignError) as refused:
                Gate(url, token)  # type: ignore[arg-type]
            self.assertEqual(refused.exception.code, "usage")

    def test_a_server_below_a_path_is_asked_there(self) -> None:
        url, seen = self.listen(lambda h: h.json({"status": "blocked", "code": "locked",
                                                  "modelMessage": "It is locked."}))
        for below in ("/approvals", "/approvals///"):
            outcome = Gate(url + below, "cs_a").run("pay", PAY, Tool())
            self.assertEqual((outcome.code, outcome.model_message), ("locked", "It is locked."))
        self.assertEqual(set(seen), {"POST /approvals/v1/calls Bearer cs_a"})

    def claiming(self, answer_claim: Respond) -> tuple[str, list[str]]:
        """A server that has approved the call."""
        kept = {"id": "a1", "status": "approved", "digest": "d", "modelMessage": "",
                "call": {"tool": "pay", "definition": "x"}}

        def respond(h: Handler) -> None:
            if h.path.endswith("/claim"):
                answer_claim(h)
            elif h.path == "/v1/calls":
                h.json({"status": "approved", "id": "a1", "digest": "d", "modelMessage": ""})
            else:
                h.json(kept)

        return self.listen(respond)

    def test_no_call_runs_by_half_an_answer_to_its_claim(self) -> None:
        whole = {"claim": "c", "args": PAY, "startWithin": 10_000, "lease": 60_000}
        taken = {"error": {"code": "already_claimed", "message": "taken"}}
        spoilt = [{**whole, "args": []}, {**whole, "startWithin": "soon"}, {**whole, "lease": None},
                  {**whole, "edited": True}, {"claim": "c"}, "yes"]

        def attempt(answer: Any) -> tuple[Any, ...]:
            turns = iter([lambda h: h.json(answer), *[lambda h: h.json(taken, 409)] * 3])
            url, _ = self.claiming(lambda h: next(turns)(h))
            tool = Tool()
            outcome = Gate(url, "cs_a").run("pay", PAY, tool)
            return outcome.code, outcome.ran, tool.runs

        # Side by side: each waits before it claims again.
        for running in [Later(lambda answer=answer: attempt(answer)) for answer in spoilt]:
            self.assertEqual(running.result(), ("not_started", False, []))

    def test_a_claim_whose_answer_was_lost_starts_nothing(self) -> None:
        lost, taken = [], {"error": {"code": "already_claimed", "message": "taken"}}

        def answer(h: Handler) -> None:
            if lost:
                h.json(taken, 409)
            else:
                lost.append(h.path)
                h.connection.close()

        tool = Tool()
        outcome = Gate(self.claiming(answer)[0], "cs_a").run("pay", PAY, tool)
        self.assertEqual((outcome.code, outcome.ran, tool.runs), ("not_started", False, []))

    def test_a_claim_that_took_too_long_starts_nothing(self) -> None:
        late = {"claim": "c", "args": PAY, "startWithin": 0, "lease": 60_000}
        url, seen = self.claiming(lambda h: h.json(late))
        tool = Tool()
        outcome = Gate(url, "cs_a").run("pay", PAY, tool)
        self.assertEqual((outcome.code, outcome.ran, tool.runs), ("not_started", False, []))
        self.assertIn("POST /v1/approvals/a1/result Bearer cs_a", seen)

    def test_a_result_that_the_server_cannot_be_told_is_still_the_result(self) -> None:
        good = {"claim": "c", "args": PAY, "startWithin": 9_000, "lease": 60_000}
        refused = {"error": {"code": "not_running", "message": "no"}}

        def respond(h: Handler) -> None:
            h.json(good) if h.path.endswith("/claim") else h.json(refused, 409)

        url, _ = self.claiming(respond)
        original = Handler.json

        def json_of(h: Handler, value: Any, status: int = 200) -> None:
            original(h, refused, 409) if h.path.endswith("/result") else original(h, value, status)

        Handler.json = json_of  # type: ignore[method-assign]
        self.addCleanup(setattr, Handler, "json", original)
        outcome = Gate(url, "cs_a").run("pay", PAY, Tool())
        self.assertEqual((outcome.result, outcome.unrecorded), ({"paid": 500}, True))

    def test_what_a_newer_server_adds_is_no_reason_to_refuse(self) -> None:
        url, _ = self.listen(
            lambda h: h.json({"status": "allowed", "args": PAY, "addedLater": {"deep": [1]}})
        )
        self.assertEqual(Gate(url, "cs_a").run("pay", PAY, Tool()).status, "succeeded")
