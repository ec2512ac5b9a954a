"""A run of the explorer on the terminal: the model's words as they arrive, and what each round took."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, TextIO

from headwater.cli._emit import Globals, safe

if TYPE_CHECKING:
    from headwater.agents import Spending
    from headwater.models import ChatReply

_WIDTH = 100


def live(options: Globals) -> Live | None:
    """Return what shows a run on standard error, or None where nobody looks on."""
    shown = sys.stderr.isatty() and not options.quiet and not options.json
    return Live(sys.stderr) if shown else None


class Live:
    """Follows a run (`headwater.agents.Progress`) and writes to a stream."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._open = False

    def text(self, piece: str) -> None:
        """Write more of the model's words; nothing in them can move the cursor."""
        self._write("\n".join(map(safe, piece.split("\n"))))
        self._open = True

    def again(self, reason: str) -> None:
        """Say that the call is made again; the words above are void."""
        self._line(f"… {safe(reason)}; once more")

    def round(self, number: int, reply: ChatReply, spending: Spending) -> None:
        """Write what a round called, what it took, and what the run has taken so far."""
        call = reply.tool_calls[0] if reply.tool_calls else None
        told = "no call" if call is None else f"{call.name} {_arguments(call.arguments or {})}"
        cost = cost_of(reply.usage.to_dict())
        so_far = f"{spending.tokens:,} tokens, {spending.elapsed:.0f} s"
        self._line(f"{number:>3}. {safe(told)[:_WIDTH]}\n     {cost}; so far {so_far}")

    def _line(self, text: str) -> None:
        self._write(("\n" if self._open else "") + text + "\n")
        self._open = False

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _arguments(given: dict[str, Any]) -> str:
    values = (v for name, v in given.items() if name != "notes")
    return " ".join(" ".join(str(v if isinstance(v, str) else json.dumps(v)).split()) for v in values)


def cost_of(usage: dict[str, Any]) -> str:
    """Return tokens and money of usage in words: "2,310 + 85 tokens (1,900 from cache), 0.0012 USD"."""
    sent, got, usd = (usage.get(name) for name in ("input_tokens", "output_tokens", "usd"))
    if sent is None or got is None:
        tokens = "tokens not told"
    else:
        cached, written = usage.get("cached_tokens") or 0, usage.get("written_tokens") or 0
        parts = [f"{cached:,} from cache"] * bool(cached) + [f"{written:,} to cache"] * bool(written)
        tokens = f"{sent:,} + {got:,} tokens" + (f" ({', '.join(parts)})" if parts else "")
    return f"{tokens}, " + ("price unknown" if usd is None else f"{usd:.4f} USD")
