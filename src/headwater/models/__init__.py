"""Chat models behind one interface: messages, tools and structured output in; text, tool calls, usage and cost out."""

from __future__ import annotations

from headwater.models._cache import CachedModel, ReplyCache, append_line, read_lines
from headwater.models._errors import ModelError
from headwater.models._limiter import RateLimiter
from headwater.models._messages import ChatModel, ChatReply, ChatRequest, Message, Tool, ToolCall, Usage
from headwater.models._open import ENDPOINTS, open_model
from headwater.models._openai import ClientOptions, OpenAIModel, parse_json
from headwater.models._prices import Price, price_of
from headwater.models._schema import mismatch

__all__ = [
    "ENDPOINTS",
    "CachedModel",
    "ChatModel",
    "ChatReply",
    "ChatRequest",
    "ClientOptions",
    "Message",
    "ModelError",
    "OpenAIModel",
    "Price",
    "RateLimiter",
    "ReplyCache",
    "Tool",
    "ToolCall",
    "Usage",
    "append_line",
    "mismatch",
    "open_model",
    "parse_json",
    "price_of",
    "read_lines",
]
