"""Replies that follow a schema, with one round of repair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from headwater.errors import UsageError
from headwater.models._messages import ChatModel, ChatReply, ChatRequest, Message, Usage, Watch

Allow = Callable[[ChatRequest, Usage], bool]


def structured(
    model: ChatModel,
    request: ChatRequest,
    *,
    deadline: float | None = None,
    watch: Watch | None = None,
    allow: Allow | None = None,
) -> ChatReply:
    """Ask for a reply that follows the request's schema; if it does not, say why and ask once more.

    Args:
        model: replies.
        request: with a `schema`.
        deadline: of both calls, see `ChatModel.complete`.
        watch: follows the replies.
        allow: says whether the second call may be made, from its request and what the first has used.

    Returns:
        The last reply, with the usage of both: `data` is the value, or None with the `problem` that is left.

    Raises:
        UsageError: the request has no schema.
        HeadwaterError: as `ChatModel.complete`.
    """
    if request.schema is None:
        raise UsageError("A structured reply needs a schema.")
    first = model.complete(request, deadline=deadline, watch=watch)
    if not first.problem or first.tool_calls:
        return first
    told = (
        f"This cannot be used: {first.problem}. Give the whole reply again, as JSON that follows the schema."
    )
    more = request.with_messages(first.message(), Message("user", told))
    if allow is not None and not allow(more, first.usage):
        return first
    again = model.complete(more, deadline=deadline, watch=watch)
    return replace(again, usage=first.usage + again.usage)
