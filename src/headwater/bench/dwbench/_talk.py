"""A conversation with a model over one question, kept as the trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.bench._model import AgentSetup, Prediction
from headwater.errors import SetupError
from headwater.models import ChatModel, ChatReply, ChatRequest, Message, Tool, ToolCall

MAX_TOKENS = 4096


class Talk:
    """Sends messages and collects replies.

    Args:
        model: the model, metered.
        setup: where `max_tokens`, `temperature` and `seed` are taken from.
        deadline: time of `time.monotonic` to be done by.
        system: the first message.
        tools: tools that may be called.
    """

    def __init__(
        self,
        model: ChatModel | None,
        setup: AgentSetup,
        deadline: float | None,
        system: str,
        tools: Sequence[Tool] = (),
    ) -> None:
        if model is None:
            raise SetupError("This agent needs a model.", hint="Name one with --model.")
        self._model, self._deadline = model, deadline
        given = setup.parameters
        self._request = ChatRequest(
            (Message("system", system),),
            tools=tuple(tools),
            temperature=float(given.get("temperature", 0.0)),
            max_tokens=int(given.get("max_tokens", MAX_TOKENS)),
            seed=given.get("seed") if given.get("send_seed") else None,
        )
        self.trace: list[dict[str, Any]] = [{"role": "system", "content": system}]

    def say(self, text: str, *, tools: bool = True) -> ChatReply:
        """Send a message and return the reply; without `tools` none may be called."""
        return self.reply(Message("user", text), tools=tools)

    def reply(self, *messages: Message, tools: bool = True) -> ChatReply:
        """Send messages (results of tools, words of the user) and return the reply."""
        from dataclasses import replace

        self._request = self._request.with_messages(*messages)
        self.trace += [{"role": m.role, "content": m.content} for m in messages]
        reply = self._model.complete(
            self._request if tools else replace(self._request, tools=()), deadline=self._deadline
        )
        self._request = self._request.with_messages(reply.message())
        step: dict[str, Any] = {"role": "assistant", "content": reply.text}
        if reply.tool_calls:
            step["tool_calls"] = [_told(call) for call in reply.tool_calls]
        self.trace.append(step | {"finish": reply.finish, "cached": reply.cached})
        return reply

    def prediction(self, value: Any, text: str) -> Prediction:
        """Return the prediction; a reply without a readable answer is an abstention that says so."""
        if value is None:
            self.trace.append({"problem": "the reply holds no answer of the type asked for"})
            return Prediction("abstained", None, text, self.trace)
        return Prediction("answered", value, text, self.trace)


def _told(call: ToolCall) -> dict[str, Any]:
    return {
        "name": call.name,
        "arguments": call.arguments if call.arguments is not None else call.raw,
        "problem": call.problem,
    }
