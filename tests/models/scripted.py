"""A model server over real HTTP that says what a test tells it to. Its replies are a script, never results.

It speaks three formats, by the path it is asked at (see `wires`): chat completions, messages, generateContent.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.models.wires import OpenAI, Said, wire_of

JSON = {"content-type": "application/json"}
EVENTS = {"content-type": "text/event-stream"}


@dataclass
class Reply:
    """One reply.

    Attributes:
        body: sent as it is, where neither `said` nor `failure` is given.
        status, headers: of the response.
        hang: seconds before it begins.
        drip: seconds between its bytes.
        cut: the connection ends after half of it.
        early: a stream ends in good form after half of its events.
        said: the reply in the format that is asked for.
        failure: (message, code) in the format that is asked for.
    """

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hang: float = 0.0
    drip: float = 0.0
    cut: bool = False
    early: bool = False
    said: Said | None = None
    failure: tuple[str, str] | None = None

    def rendered(self, path: str, body: dict[str, Any]) -> tuple[dict[str, str], bytes]:
        """Headers and body for a request."""
        wire = wire_of(path)
        if self.failure is not None:
            told = wire.failure(self.status, *self.failure)
            return JSON | self.headers, json.dumps(told).encode()
        if self.said is None:
            return self.headers, self.body
        if not (body.get("stream") or path.endswith(":streamGenerateContent")):
            return JSON | self.headers, json.dumps(wire.whole(self.said)).encode()
        events = wire.stream(self.said)
        return EVENTS | self.headers, b"".join(events[: len(events) // 2] if self.early else events)


def completion(
    message: dict[str, Any], *, finish: str = "stop", tokens: tuple[int, int] | None = (10, 5)
) -> Reply:
    """A chat completion with this very message."""
    value = OpenAI().whole(Said(tokens=tokens, finish=finish))
    value["choices"][0]["message"] = {"role": "assistant", **message}
    return Reply(json.dumps(value).encode(), headers=dict(JSON))


def text(content: str, **more: Any) -> Reply:
    """A reply in words."""
    return Reply(said=Said(content, **more))


def answer(value: Any, field_name: str | None = None, **more: Any) -> Reply:
    """A reply in the form of DW-Bench's answer contract."""
    kinds = {list: "answer_list", bool: "answer_bool", int: "answer_int", str: "answer_str"}
    chosen = field_name or kinds[type(value)]
    fields = dict.fromkeys(("answer_list", "answer_int", "answer_bool", "answer_str"))
    return text(json.dumps(fields | {chosen: value, "reasoning": "scripted"}), **more)


def calls(*wanted: tuple[str, Any], **more: Any) -> Reply:
    """A reply that calls tools; arguments that are a string are sent as they are, well-formed or not."""
    return Reply(said=Said(calls=wanted, **more))


def error(status: int, message: str = "scripted failure", code: str = "", **headers: str) -> Reply:
    """A failure; headers by name with underscores: retry_after="1"."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, headers=named, failure=(message, code))


Script = Sequence[Reply] | Callable[[dict[str, Any]], Reply]


@dataclass
class Scripted:
    """The running server: its address and what it was asked.

    Attributes:
        root: the address; providers differ in what they append.
        url: the address up to and with /v1, as OpenAI-compatible clients want it.
        requests, headers, paths, times: of each request.
    """

    root: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"{self.root}/v1"


@contextmanager
def serve(script: Script) -> Iterator[Scripted]:
    """Serve a script: replies in turn (the last one stays), or a function of the request."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            path = urlsplit(self.path).path
            with lock:
                served.requests.append(body)
                served.headers.append({k.lower(): v for k, v in self.headers.items()})
                served.paths.append(path)
                served.times.append(time.monotonic())
                turn = len(served.requests) - 1
            reply = script(body) if callable(script) else script[min(turn, len(script) - 1)]
            if reply.hang:
                stopped.wait(reply.hang)
            try:
                self._send(reply, *reply.rendered(path, body))
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def _send(self, reply: Reply, headers: dict[str, str], content: bytes) -> None:
            self.send_response(reply.status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            if reply.cut:
                self.wfile.write(content[: len(content) // 2])
                self.close_connection = True
                return
            if not reply.drip:
                self.wfile.write(content)
                return
            for byte in content:
                if stopped.wait(reply.drip):
                    break
                self.wfile.write(bytes([byte]))
                self.wfile.flush()

        def log_message(self, *_: Any) -> None:
            pass

    stopped = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served = Scripted(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()
