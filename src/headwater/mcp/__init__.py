"""The tools for any client of the Model Context Protocol: a thin door over standard input and output, or HTTP."""

from __future__ import annotations

from headwater.mcp._serve import http_app, serve_http, serve_stdio
from headwater.mcp._server import Served, make_server

__all__ = ["Served", "http_app", "make_server", "serve_http", "serve_stdio"]
