"""The two transports: standard input and output, and streamable HTTP with its checks.

HTTP binds to the loopback address. Whoever asks must name a host that is served (Host) and, if a browser sends it,
come from one (Origin); that is what keeps pages of the web from reaching a local server by rebinding a name. Elsewhere
than on loopback a token is needed, and it is compared in constant time.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from headwater.errors import UsageError
from headwater.mcp._server import Served, make_server

PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

App = Callable[[Any, Any, Any], Awaitable[None]]


def serve_stdio(served: Served) -> None:
    """Serve one client over standard input and output until it closes them."""
    import asyncio

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
    app = make_server(served).streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        json_response=True,
        transport_security=security,
        host=host,
    )
    return guarded(app, token) if token else app


def guarded(app: App, token: str) -> App:
    """Return an application that answers 401 to whoever does not send the token."""
    wanted = f"Bearer {token}".encode()

    async def guard(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
            if not hmac.compare_digest(given, wanted):
                headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": b"A token is needed."})
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
        config = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="on")
        try:
            uvicorn.Server(config).run(sockets=[bound])
        finally:
            served.close()
