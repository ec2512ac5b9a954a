"""A chat-completions server over real HTTP that says what a test tells it to. Its replies are a script, never results."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """One reply: status, headers and body; `hang` seconds pass before it, `drip` seconds between its bytes."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hang: float = 0.0
    drip: float = 0.0
    cut: bool = False


def completion(
    message: dict[str, Any], *, finish: str = "stop", tokens: tuple[int, int] | None = (10, 5)
) -> Reply:
    value: dict[str, Any] = {
        "id": "x",
        "object": "chat.completion",
        "model": "scripted",
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}],
    }
    if tokens is not None:
        value["usage"] = {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": sum(tokens),
        }
    return Reply(json.dumps(value).encode(), headers={"content-type": "application/json"})


def text(content: str, **more: Any) -> Reply:
    """A reply in words."""
    return completion({"content": content}, **more)


def answer(value: Any, field_name: str | None = None, **more: Any) -> Reply:
    """A reply in the form of DW-Bench's answer contract."""
    kinds = {list: "answer_list", bool: "answer_bool", int: "answer_int", str: "answer_str"}
    chosen = field_name or kinds[type(value)]
    fields = dict.fromkeys(("answer_list", "answer_int", "answer_bool", "answer_str"))
    return text(json.dumps(fields | {chosen: value, "reasoning": "scripted"}), **more)


def calls(*wanted: tuple[str, Any]) -> Reply:
    """A reply that calls tools; arguments that are a string are sent as they are, well-formed or not."""
    listed = [
        {
            "id": f"call_{i}",
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for i, (name, given) in enumerate(wanted)
    ]
    return completion({"content": None, "tool_calls": listed}, finish="tool_calls")


def error(status: int, message: str = "scripted failure", **headers: str) -> Reply:
    """A failure; headers by name with underscores: retry_after="1"."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(json.dumps({"error": {"message": message}}).encode(), status, named)


Script = Sequence[Reply] | Callable[[dict[str, Any]], Reply]


@dataclass
class Scripted:
    """The running server: its address and what it was asked."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)


@contextmanager
def serve(script: Script) -> Iterator[Scripted]:
    """Serve a script: replies in turn (the last one stays), or a function of the request."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with lock:
                served.requests.append(body)
                served.headers.append({k.lower(): v for k, v in self.headers.items()})
                served.times.append(time.monotonic())
                turn = len(served.requests) - 1
            reply = script(body) if callable(script) else script[min(turn, len(script) - 1)]
            if reply.hang:
                stopped.wait(reply.hang)
            try:
                self._send(reply)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            if reply.cut:
                self.wfile.write(reply.body[: len(reply.body) // 2])
                self.close_connection = True
                return
            if not reply.drip:
                self.wfile.write(reply.body)
                return
            for byte in reply.body:
                if stopped.wait(reply.drip):
                    break
                self.wfile.write(bytes([byte]))
                self.wfile.flush()

        def log_message(self, *_: Any) -> None:
            pass

    stopped = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served = Scripted(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()
