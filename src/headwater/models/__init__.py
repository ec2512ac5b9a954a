"""Chat models behind one interface: messages, tools and structured output in; text, tool calls, usage and cost out."""

from __future__ import annotations

from headwater.models._cache import CachedModel, ReplyCache, append_line, read_lines
from headwater.models._errors import ContextError, DeadlineError, ModelError
from headwater.models._limiter import RateLimiter
from headwater.models._messages import (
    ChatModel,
    ChatReply,
    ChatRequest,
    Message,
    ModelInfo,
    Tool,
    ToolCall,
    Usage,
    Watch,
)
from headwater.models._open import open_model
from headwater.models._prices import ListPrice, Price, list_price
from headwater.models._providers import OWN_KEY, PROVIDERS
from headwater.models._remote import ClientOptions, RemoteModel
from headwater.models._schema import mismatch, parse_json
from headwater.models._structured import structured

__all__ = [
    "OWN_KEY",
    "PROVIDERS",
    "CachedModel",
    "ChatModel",
    "ChatReply",
    "ChatRequest",
    "ClientOptions",
    "ContextError",
    "DeadlineError",
    "ListPrice",
    "Message",
    "ModelError",
    "ModelInfo",
    "Price",
    "RateLimiter",
    "RemoteModel",
    "ReplyCache",
    "Tool",
    "ToolCall",
    "Usage",
    "Watch",
    "append_line",
    "list_price",
    "mismatch",
    "open_model",
    "parse_json",
    "read_lines",
    "structured",
]
