"""LakeQA's loop (section 4): one call a round, the whole history each time, a limit of rounds and of seconds.

Every reply and every result is in the trace before anything rests on it, and what the model is told is made from the
trace alone. So a run that was killed goes on where it was, with the very same requests, and nothing is paid twice.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from headwater.bench.lakeqa import _prompts as prompts
from headwater.errors import HeadwaterError, LimitError
from headwater.models import ChatReply, ChatRequest, Message, Tool

if TYPE_CHECKING:
    from headwater.models import ChatModel, ToolCall
    from headwater.tools import LakeQaSession, Registry
    from headwater.trace import Trace

SHOWN, HEAD, TAIL = 4_000, 2_500, 1_000
"""Characters of a result that the model sees; of a longer one the first and the last."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Limits of one episode; the defaults are those of the harness.

    Attributes:
        rounds: replies of the model.
        seconds: wall clock, tools included.
        forced: last rounds in which a tool must be called.
        max_tokens: output tokens of a reply.
        temperature: of the model.
    """

    rounds: int = 25
    seconds: float = 450.0
    forced: int = 5
    max_tokens: int = 8_192
    temperature: float = 0.0


@dataclass(slots=True)
class Episode:
    """One question under LakeQA's tools.

    Args:
        session: lake, sandbox and what was submitted.
        tools: what may be called.
        trace: where everything is recorded; one that holds rounds already is gone on with.
        rules: limits.

    Attributes:
        answer: what was submitted, "" if nothing was.
    """

    session: LakeQaSession
    tools: Registry
    trace: Trace
    rules: Rules
    answer: str = ""
    _began: float = field(default_factory=time.monotonic)

    def play(self, system: str, question: str, model: ChatModel, deadline: float | None) -> str:
        """Play until an answer is submitted or a limit is reached; return how it ended: answer, rounds or time.

        Raises:
            ModelError: the model fails.
            LimitError: a limit of money or tokens was reached.
        """
        events = self.trace.events()
        replies = {e["turn"]: e["reply"] for e in events if e["event"] == "model"}
        results = {e["turn"]: e for e in events if e["event"] in ("call", "told", "submit")}
        self._began -= max((float(e.get("elapsed", 0.0)) for e in events), default=0.0)
        for event in events:
            self.session.downloaded.update(event.get("downloaded") or {})
        messages = [Message("system", system), Message("user", question)]
        for turn in range(self.rules.rounds):
            if turn in replies:
                reply = ChatReply.from_dict(replies[turn])
            else:
                ended = self._ask(model, turn, tuple(messages), deadline)
                if ended is None:
                    return "time"
                reply = ended
            given = results.get(turn) or self._carry_out(turn, reply)
            if "answer" in given:
                self.answer = str(given["answer"])
                return "answer"
            messages += _told(reply, str(given["text"]))
        return "rounds"

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self._began + self.rules.seconds - time.monotonic()

    def _ask(
        self, model: ChatModel, turn: int, messages: tuple[Message, ...], deadline: float | None
    ) -> ChatReply | None:
        """Return the model's reply, None if the time is up."""
        if self.left <= 0:
            return None
        ends = time.monotonic() + self.left
        forced = self.rules.rounds - turn <= self.rules.forced
        request = ChatRequest(
            messages,
            tuple(Tool(t.name, t.description, t.input_schema()) for t in self.tools),
            temperature=self.rules.temperature,
            max_tokens=self.rules.max_tokens,
            one_call=True,
            tool_choice="required" if forced else "auto",
        )
        try:
            reply = model.complete(request, deadline=ends if deadline is None else min(ends, deadline))
        except LimitError:
            if self.left > 0 and (deadline is None or time.monotonic() < deadline):
                raise
            return None
        self._record("model", turn=turn, reply=reply.to_dict(), usage=reply.usage.to_dict())
        return reply

    def _carry_out(self, turn: int, reply: ChatReply) -> Mapping[str, Any]:
        """Carry out the first call of a reply; return and record what the model is told, or what it submitted."""
        if not reply.tool_calls:
            return self._record("told", turn=turn, text=self._with_left(prompts.NUDGE, turn))
        call, began, held = reply.tool_calls[0], time.monotonic(), set(self.session.downloaded)
        self.session.code_seconds = max(1.0, self.left)
        body, touched = self._call(call)
        if self.session.submitted is not None:
            return self._record("submit", turn=turn, answer=str(self.session.submitted["answer"]), sources=[])
        whole = json.dumps(body, ensure_ascii=False, default=str)
        shown = cut(whole)
        return self._record(
            "call", turn=turn, tool=call.name, arguments=call.arguments, ok="error" not in body, handle=self.trace.keep(whole),
            characters=len(shown), seconds=round(time.monotonic() - began, 3), text=self._with_left(shown, turn), **touched,
            downloaded={k: v for k, v in self.session.downloaded.items() if k not in held},
        )  # fmt: skip

    def _record(self, event: str, **fields: Any) -> Mapping[str, Any]:
        self.trace.append(event, **fields, elapsed=round(time.monotonic() - self._began, 3))
        return fields

    def _with_left(self, text: str, turn: int) -> str:
        rounds = self.rules.rounds - turn - 1
        last = prompts.LAST if rounds <= self.rules.forced else ""
        return f"{text}\n{prompts.LEFT.format(rounds=rounds, seconds=max(0.0, self.left))}{last}"

    def _call(self, call: ToolCall) -> tuple[dict[str, Any], dict[str, list[str]]]:
        """Return the result of a call, or its error, and what it brought up and opened."""
        if call.problem or call.arguments is None:
            return {"error": call.problem or "the arguments are no JSON object"}, {}
        try:
            body = self.tools[call.name].call(self.session, call.arguments).to_dict()
        except HeadwaterError as error:
            return {"error": error.message, **({"nearest": error.nearest} if error.nearest else {})}, {}
        return body, touched_by(self.session, call.name, call.arguments, body)


def _told(reply: ChatReply, text: str) -> list[Message]:
    """Return a round as messages: the reply with its first call alone, and what came of it."""
    if not reply.tool_calls:
        return [reply.message(), Message("user", text)]
    call = reply.tool_calls[0]
    return [replace(reply, tool_calls=(call,)).message(), Message("tool", text, tool_call_id=call.id)]


def cut(text: str) -> str:
    """Return a text of at most `SHOWN` characters as it is, of a longer one its beginning and its end."""
    if len(text) <= SHOWN:
        return text
    left = prompts.CUT.format(left=len(text) - HEAD - TAIL, all=len(text))
    return f"{text[:HEAD]}{left}{text[-TAIL:]}"


def touched_by(
    session: LakeQaSession, tool: str, arguments: Mapping[str, Any], body: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Return what a call brought up and opened, in the terms of `headwater.trace`: documents and datasets by full id.

    A search brings up datasets; `retrieve` documents too. Listing opens a dataset and brings up its files; inspecting,
    downloading and using in code opens files. Code uses a downloaded file if it names it, or its dataset and no file.
    """
    found: dict[str, list[str]] = {
        "retrieved": [],
        "opened": [],
        "retrieved_datasets": [],
        "opened_datasets": [],
    }
    full: dict[str, list[str]] = {}
    for namespace, bare in session.datasets():
        full.setdefault(bare, []).append(f"{namespace}/{bare}".strip("/"))

    def datasets(names: list[str]) -> list[str]:
        return list(dict.fromkeys(d for n in names for d in full.get(n.rsplit("/", 1)[-1], ())))

    def document(dataset_id: str, path: str) -> str:
        return f"{(datasets([dataset_id]) or [dataset_id])[0]}/{path}"

    if tool in ("search", "search_keyword", "retrieve"):
        found["retrieved_datasets"] = datasets([r["dataset_id"] for r in body["results"]])
        found["retrieved"] = [
            document(r["dataset_id"], r["file_path"]) for r in body["results"] if "file_path" in r
        ]
    elif tool == "list_files":
        found["opened_datasets"] = datasets(
            [d for d, told in body["datasets"].items() if "error" not in told]
        )
        found["retrieved"] = [document(f["dataset_id"], f["path"]) for f in body["files"]]
    elif tool == "inspect_file":
        found["opened_datasets"] = datasets([arguments["dataset_id"]])
        found["opened"] = [document(arguments["dataset_id"], arguments["file_path"])]
    elif tool == "download":
        found["opened_datasets"] = datasets([d["dataset_id"] for d in body["downloaded"]])
        found["opened"] = [document(d["dataset_id"], d["file_path"]) for d in body["downloaded"]]
    elif tool == "execute_code":
        found["opened"] = used_in(str(arguments["code"]), session.downloaded)
        found["opened_datasets"] = datasets(
            [d for d in full if any(f"/{d}/" in f"/{o}" for o in found["opened"])]
        )
    return found


def used_in(code: str, downloaded: Mapping[str, str]) -> list[str]:
    """Return the downloaded documents that a piece of code names: by file name, or by their dataset where it names no file of it."""
    named = {local for local in downloaded if local.rsplit("/", 1)[-1] in code}
    with_names = {local.split("/")[0] for local in named}
    whole = {
        local for local in downloaded if local.split("/")[0] in code and local.split("/")[0] not in with_names
    }
    return [document for local, document in downloaded.items() if local in named | whole]
