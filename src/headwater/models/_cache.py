"""Replies kept by request: an append-only file of JSON lines, one a paid call. It is also the ledger of what was paid."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from headwater.models._messages import ChatModel, ChatReply, ChatRequest, ModelInfo, Watch


class ReplyCache:
    """Keeps replies on disk under the hash of the whole request (repeat index included).

    Lines are whole or ignored: one that was cut off by a kill is passed over and never removed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._replies: dict[str, dict[str, Any]] = {}
        for line in read_lines(path):
            if isinstance(line.get("key"), str) and isinstance(line.get("reply"), dict):
                self._replies.setdefault(line["key"], line["reply"])

    def get(self, key: str) -> ChatReply | None:
        """Return the reply to a request that was made before, marked as cached."""
        with self._lock:
            found = self._replies.get(key)
        return ChatReply.from_dict(found, cached=True) if found is not None else None

    def put(self, key: str, reply: ChatReply, tags: Mapping[str, Any]) -> None:
        """Keep a reply; it is on disk when this returns."""
        record = {"key": key, **tags, "reply": reply.to_dict()}
        with self._lock:
            append_line(self._path, record)
            self._replies[key] = record["reply"]


class CachedModel:
    """A model in front of which stands a cache."""

    def __init__(self, model: ChatModel, cache: ReplyCache) -> None:
        self._model, self._cache = model, cache

    @property
    def id(self) -> str:
        """The id of the model behind the cache."""
        return self._model.id

    @property
    def info(self) -> ModelInfo:
        """What is known of the model behind the cache."""
        return self._model.info

    def complete(
        self, request: ChatRequest, *, deadline: float | None = None, watch: Watch | None = None
    ) -> ChatReply:
        """Reply from the cache, or from the model and keep it."""
        key = request.key(self.id)
        reply = self._cache.get(key)
        if reply is None:
            reply = self._model.complete(request, deadline=deadline, watch=watch)
            self._cache.put(key, reply, {})
        return reply

    def usd_at_most(self, request: ChatRequest) -> float | None:
        """Return what the call can cost at most: nothing if it is cached."""
        return 0.0 if self._cache.get(request.key(self.id)) else self._model.usd_at_most(request)


def append_line(path: Path, record: Mapping[str, Any]) -> None:
    """Append one JSON line and wait until it is on disk; a line cut off before it is closed first."""
    text = json.dumps(record, ensure_ascii=True, default=str)
    with path.open("a+b") as file:
        end = file.seek(0, os.SEEK_END)
        if end:
            file.seek(end - 1)
            if file.read(1) != b"\n":
                text = "\n" + text
        file.write(text.encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of a file of lines; a line that is none (cut off by a kill) is passed over."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        for line in file:
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                yield value
