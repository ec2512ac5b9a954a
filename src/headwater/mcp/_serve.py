"""The two transports: standard input and output, and streamable HTTP with its checks.

HTTP binds to the loopback address. Whoever asks must name a host that is served (Host) and, if a browser sends it,
come from one (Origin); that is what keeps pages of the web from reaching a local server by rebinding a name. Elsewhere
than on loopback a token is needed, and it is compared in constant time.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from headwater.errors import UsageError
from headwater.mcp._server import Served, make_server

PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

LONGEST_BODY, BODY_S = 1 << 20, 30.0
"""Bytes of a request, and seconds that it may take to arrive."""

_FAREWELL_S = 3
"""Seconds that open connections may take when the server ends."""

App = Callable[[Any, Any, Any], Awaitable[None]]


def serve_stdio(served: Served) -> None:
    """Serve one client over standard input and output until it closes them."""
    server = make_server(served)

    async def run() -> None:
        from mcp.server.stdio import stdio_server

        async with stdio_server() as (received, sent):
            await server.run(received, sent, server.create_initialization_options())

    try:
        asyncio.run(run())
    finally:
        served.close()


def is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def http_app(served: Served, host: str, port: int, *, token: str = "", allowed: Sequence[str] = ()) -> App:
    """Return the ASGI application with its checks.

    Args:
        served: the lake.
        host: address that it is bound to.
        port: its port.
        token: what clients send as "Authorization: Bearer TOKEN"; "" asks for none, on loopback only.
        allowed: further names of this server in Host and Origin, "name" or "name:port".

    Raises:
        UsageError: another address than loopback without a token.
    """
    if not token and not is_loopback(host):
        raise UsageError(
            f"Serving on {host} needs a token.",
            hint="Set HEADWATER_MCP_TOKEN to a long random word, or serve on 127.0.0.1.",
        )
    from mcp.server.transport_security import TransportSecuritySettings

    bound = f"[{host}]" if ":" in host and not host.startswith("[") else host
    names = [*(f"{n}:{port}" for n in (*LOOPBACK, bound)), *allowed]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=names,
        allowed_origins=[f"{scheme}://{n}" for n in names for scheme in ("http", "https")],
    )
    inner: App = make_server(served).streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        json_response=True,
        transport_security=security,
        host=host,
    )
    app = read_first(inner)
    return guarded(app, token) if token else app


def read_first(app: App) -> App:
    """Return an application that sees a request once its whole body is there; a large or slow one it never sees.

    It answers 405 to everything but POST: without sessions the server has nothing to send on its own, and a stream for
    that would only hold a connection.
    """

    async def reader(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        if scope["method"] != "POST":
            await _answer(send, 405, b"Requests are sent by POST.", (b"allow", b"POST"))
            return
        try:
            body = await asyncio.wait_for(_body(receive), BODY_S)
        except TimeoutError:
            await _answer(send, 408, b"The request took too long.")
            return
        if body is None:
            return
        if len(body) > LONGEST_BODY:
            await _answer(send, 413, b"The request is too large.")
            return
        parts = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Any:
            return parts.pop() if parts else await receive()

        await app(scope, replay, send)

    return reader


async def _body(receive: Any) -> bytes | None:
    """Return the body of a request, None if the client went away; one that is too long is not read on."""
    body, more = b"", True
    while more and len(body) <= LONGEST_BODY:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body, more = body + message.get("body", b""), message.get("more_body", False)
    return body


async def _answer(send: Any, status: int, text: bytes, *headers: tuple[bytes, bytes]) -> None:
    told = [*headers, (b"content-type", b"text/plain"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": told})
    await send({"type": "http.response.body", "body": text})


def guarded(app: App, token: str) -> App:
    """Return an application that answers 401 to whoever does not send the token."""
    wanted = f"Bearer {token}".encode()

    async def guard(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
            if not hmac.compare_digest(given, wanted):
                await _answer(send, 401, b"A token is needed.", (b"www-authenticate", b"Bearer"))
                return
        await app(scope, receive, send)

    return guard


def serve_http(
    served: Served,
    host: str = "127.0.0.1",
    port: int = 8377,
    *,
    token: str = "",
    allowed: Sequence[str] = (),
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve over streamable HTTP until interrupted.

    Args:
        served: the lake.
        host: address to bind to.
        port: 0 takes a free one.
        token: see `http_app`.
        allowed: see `http_app`.
        ready: told the address once the port is bound.

    Raises:
        UsageError: another address than loopback without a token, or the port is taken.
        MissingExtraError: the SDK is not installed.
    """
    make_server(served)
    import socket

    import uvicorn

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((host.strip("[]"), port))
        except OSError as error:
            raise UsageError(
                f"Port {port} on {host} cannot be used: {error.strerror}.", hint="Choose another with --port."
            ) from error
        bound.listen()
        number = bound.getsockname()[1]
        app = http_app(served, host, number, token=token, allowed=allowed)
        if ready is not None:
            ready(f"http://{host}:{number}{PATH}")
        # Who sends nonsense shall not fill the log, nor write to it.
        logging.getLogger("mcp").setLevel(logging.CRITICAL)
        config = uvicorn.Config(
            app,
            log_level="critical",
            access_log=False,
            lifespan="on",
            timeout_graceful_shutdown=_FAREWELL_S,
        )
        try:
            uvicorn.Server(config).run(sockets=[bound])
        finally:
            served.close()
