"""HTTP/1.1 for both gates, without a dependency.

One connection for each request: an answer that did not arrive is then never mistaken for one of a
connection that had grown old. Deadlines are for the whole answer, not for each piece of it. Proxies
of the environment are not used and redirects not followed: a token goes to the address it was
given for.
"""

from __future__ import annotations

import asyncio
import http.client
import io
import re
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from .canonical import canonical, parse
from .errors import CountersignError

TIMEOUT = 15.0
MAX_ANSWER = 16 * 1_048_576

_HINT = "Run `countersign start`, or correct the address of the server."
_MOVED = "Use the address the server is really at: a token is not sent on."


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: Any = None
    query: dict[str, str] = field(default_factory=dict)
    #: Seconds for the whole answer.
    timeout: float | None = None


class Cancellation:
    """Ends a wait from another thread: `cancel()` withdraws the question."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._closers: list[Any] = []

    @property
    def is_cancelled(self) -> bool:
        return self._event.is_set()

    def cancel(self) -> None:
        with self._lock:
            self._event.set()
            closers, self._closers = self._closers, []
        for close in closers:
            close()

    def sleep(self, seconds: float) -> None:
        self._event.wait(seconds)

    def attach(self, close: Any) -> None:
        with self._lock:
            if not self._event.is_set():
                self._closers.append(close)
                return
        close()

    def detach(self, close: Any) -> None:
        with self._lock:
            if close in self._closers:
                self._closers.remove(close)


class Connection:
    """Where the server is, and the token it knows this program by."""

    def __init__(self, url: str, token: str, *, timeout: float = TIMEOUT) -> None:
        try:
            parts = urlsplit(url)
            is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
            port = parts.port
        except (ValueError, TypeError, AttributeError):
            is_address = False
        if not is_address:
            raise CountersignError(
                "usage",
                "the address of the server is not understood",
                hint="Use what `countersign start` printed, such as http://127.0.0.1:4747",
            )
        if not isinstance(token, str) or not re.fullmatch(r"[\x21-\x7e]+", token):
            raise CountersignError("usage", "the token is empty or holds characters no token has")
        self.timeout = timeout
        self._host = parts.hostname
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._port = port or (443 if self._tls else 80)
        self._base = parts.path.rstrip("/")
        self._token = token
        self._netloc = parts.netloc.rpartition("@")[2]
        self.url = f"{parts.scheme}://{self._netloc}{self._base}"

    def __repr__(self) -> str:
        return f"Connection({self.url!r})"

    def send(self, request: Request, cancel: Cancellation | None = None) -> Any:
        deadline = time.monotonic() + (request.timeout or self.timeout)
        try:
            raw = self._exchange(self._bytes_of(request), deadline, cancel)
        except (OSError, ssl.SSLError) as error:
            raise _silent(error) from error
        return read_answer(raw)

    async def send_async(self, request: Request) -> Any:
        timeout = request.timeout or self.timeout
        try:
            raw = await asyncio.wait_for(self._exchange_async(self._bytes_of(request)), timeout)
        except (OSError, ssl.SSLError, asyncio.TimeoutError, asyncio.IncompleteReadError) as error:
            raise _silent(error) from error
        return read_answer(raw)

    def _exchange(self, sent: bytes, deadline: float, cancel: Cancellation | None) -> bytes:
        opened = socket.create_connection((self._host, self._port), timeout=_left(deadline))
        try:
            opened.settimeout(_left(deadline))
            if self._tls:
                opened = self._tls.wrap_socket(opened, server_hostname=self._host)
            closing = _closer(opened)
            if cancel:
                cancel.attach(closing)
            try:
                opened.sendall(sent)
                received = bytearray()
                while not is_complete(received):
                    opened.settimeout(_left(deadline))
                    piece = opened.recv(65_536)
                    if not piece:
                        break
                    received += piece
                return bytes(received)
            finally:
                if cancel:
                    cancel.detach(closing)
        finally:
            opened.close()

    async def _exchange_async(self, sent: bytes) -> bytes:
        reader, writer = await asyncio.open_connection(self._host, self._port, ssl=self._tls)
        try:
            writer.write(sent)
            await writer.drain()
            received = bytearray()
            while not is_complete(received):
                piece = await reader.read(65_536)
                if not piece:
                    break
                received += piece
            return bytes(received)
        finally:
            writer.close()

    def _bytes_of(self, request: Request) -> bytes:
        target = quote(self._base + request.path, safe="/%:")
        if request.query:
            target += f"?{urlencode(request.query)}"
        body = b""
        headers = {
            "host": self._netloc,
            "accept": "application/json",
            "authorization": f"Bearer {self._token}",
            "connection": "close",
        }
        if request.body is not None:
            body = canonical(request.body, max_bytes=MAX_ANSWER).encode()
            headers["content-type"] = "application/json"
        if request.method != "GET":
            headers["content-length"] = str(len(body))
        lines = [f"{request.method} {target} HTTP/1.1", *(f"{k}: {v}" for k, v in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode("ascii") + body


def is_complete(received: bytearray) -> bool:
    """Whether the answer is whole, for servers that leave the connection open."""
    if len(received) > MAX_ANSWER:
        raise OSError("the answer is too large")
    head, separator, body = received.partition(b"\r\n\r\n")
    if not separator:
        return False
    length = re.search(rb"\r\ncontent-length:[ \t]*(\d{1,10})[ \t]*(?:\r\n|$)", head, re.I)
    if length:
        return len(body) >= int(length[1])
    if re.search(rb"\r\ntransfer-encoding:", head, re.I):
        return body.endswith(b"\r\n0\r\n\r\n") or body == b"0\r\n\r\n"
    return bool(re.match(rb"HTTP/1\.\d (?:204|304)\b", head))


def read_answer(raw: bytes) -> Any:
    """The JSON of a whole answer. Raises what the server refused, or `server_unreachable`."""
    try:
        response = http.client.HTTPResponse(_Received(raw))  # type: ignore[arg-type]
        response.begin()
        lengths = {*response.headers.get_all("content-length", ())}
        if len(lengths) + (response.headers["transfer-encoding"] is not None) > 1:
            raise ValueError("the answer has more than one length")
        status, body = response.status, response.read()
        seconds = response.getheader("retry-after", "")
    except (http.client.HTTPException, OSError, ValueError) as error:
        raise _silent(error) from error
    if 300 <= status < 400:
        raise CountersignError(
            "server_unreachable", "the server points somewhere else", hint=_MOVED
        )
    try:
        value = parse(body, max_bytes=MAX_ANSWER) if body else None
    except CountersignError as error:
        raise _silent(error) from error
    if 200 <= status < 300:
        return value
    raise refusal(status, value, float(seconds) if re.fullmatch(r"\d{1,5}", seconds) else None)


def refusal(status: int, value: Any, retry_after: float | None) -> CountersignError:
    """Something between us and the server may have said no. Then it gave none of our codes."""
    error = value.get("error") if isinstance(value, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    if not (isinstance(code, str) and re.fullmatch(r"[a-z_]{1,64}", code)):
        return _silent(f"HTTP {status}")
    if not isinstance(error, dict) or not isinstance(message, str):
        return _silent(f"HTTP {status}")
    hint = error.get("hint")
    return CountersignError(
        code,
        message,
        hint=hint if isinstance(hint, str) else None,
        http_status=status,
        retry_after=retry_after,
        is_sentence=error.get("sentence") is True,
    )


def _silent(why: object) -> CountersignError:
    error = CountersignError(
        "server_unreachable", "the Countersign server does not answer", hint=_HINT, http_status=503
    )
    error.__cause__ = why if isinstance(why, BaseException) else RuntimeError(str(why))
    return error


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("the server took too long")
    return left


def _closer(opened: socket.socket) -> Any:
    def close() -> None:
        try:
            opened.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    return close


class _Received:
    """What the standard library reads a response from."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def makefile(self, *_: Any) -> io.BytesIO:
        return io.BytesIO(self._raw)
