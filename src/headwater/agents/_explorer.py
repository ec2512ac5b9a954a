"""The explorer: a chat model drives the tools of a lake, one call a round, until it submits or a limit is reached."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import TYPE_CHECKING, Any

from headwater.agents._budget import Budget, Spending, StopReason
from headwater.agents._dialogue import NUDGE, Dialogue, Turn, tools_for_model
from headwater.agents._ledger import Ledger
from headwater.agents._second import second_derivation
from headwater.agents._submit import abstain, record, submit
from headwater.agents._tools import AGENT_TOOLS
from headwater.answers import Answer
from headwater.errors import HeadwaterError, LimitError, SetupError, UsageError
from headwater.models import ChatReply, ModelError, Usage
from headwater.tools import Observation, Session, told_error

if TYPE_CHECKING:
    from headwater.lake import Lake
    from headwater.models import ChatModel, ToolCall
    from headwater.trace import Trace

OFFERED = ("search", "sql", "read", "inspect", "related", "list", "run_code", "download", "submit")
"""Tools that the model may call. All of them only read the lake; none sends, writes or spends."""

REFUSALS = 3
"""Replies in a row without a tool call, or submissions that nothing holds, after which a run ends."""

STOPPED: dict[str, str] = {
    "turns": "the limit of rounds was reached",
    "tokens": "the limit of tokens was reached",
    "money": "the limit of money was reached",
    "time": "the time was used up",
    "refused": "the model did not call a tool",
    "error": "the model failed",
    "unproven": "no query, program or sentence holds what was to be submitted",
}


@dataclass
class _Run:
    """The state of one question."""

    session: Session
    trace: Trace
    model: ChatModel
    question: str
    spending: Spending
    dialogue: Dialogue
    ledger: Ledger = field(default_factory=Ledger)
    usage: Usage = field(default_factory=Usage)
    silent: int = 0
    unproven: int = 0
    seen: dict[str, int] = field(default_factory=dict)


def explore(
    lake: Lake,
    question: str,
    model: ChatModel,
    *,
    trace: Trace,
    budget: Budget | None = None,
    second: bool = True,
) -> Answer:
    """Answer a question with a model and tools.

    A trace that already holds rounds of this question is gone on with: replies that were paid and results that were
    given are taken from it, so that a crash costs at most the reply that was on its way.

    Args:
        lake: an opened lake.
        question: in plain words.
        model: replies to requests.
        trace: where everything is recorded.
        budget: limits.
        second: try a second derivation before an answer counts, if the budget allows.

    Returns:
        An answer; where a limit was reached, status "failed" and the limit as `stop_reason`.

    Raises:
        UsageError: the question is empty, or the trace is of another question.
        SetupError: the model's key or address is wrong.
    """
    if not question.strip():
        raise UsageError("The question is empty.")
    events = trace.events()
    begun = next((e for e in events if e["event"] == "begin"), None)
    if begun and begun.get("question") != question:
        raise UsageError("The trace is of another question.", where=str(trace.path))
    if begun is None:
        trace.append("begin", id=trace.id, question=question, lake=lake.url, model=model.id)
    done = next(
        (e for e in reversed(events) if e["event"] == "end" and e.get("stop_reason") == "answer"), None
    )
    last = next((e for e in reversed(events) if e["event"] == "submit"), None)
    if done and last:
        return answer_of(last["record"])
    session = Session(lake, trace, AGENT_TOOLS)
    page = resources.files("headwater.agents").joinpath("explorer.md").read_text(encoding="utf-8")
    limits = budget or Budget()
    run = _Run(session, trace, model, question, Spending(limits), Dialogue(page, question, limits, trace.id))
    return _rounds(run, _Past(events), second=second)


class _Past:
    """Rounds that an earlier process of the same run has left in the trace."""

    def __init__(self, events: list[dict[str, Any]]) -> None:
        self.replies = {e["turn"]: e for e in events if e["event"] == "model" and "turn" in e}
        self.given = {e["turn"]: e for e in events if e["event"] == "observation" and "turn" in e}


def _rounds(run: _Run, past: _Past, *, second: bool) -> Answer:
    turn = 0
    while True:
        reply: ChatReply | StopReason
        if turn in past.replies:
            reply = ChatReply.from_dict(past.replies[turn]["reply"])
            run.spending.pay(reply.usage)
            run.usage = run.usage + reply.usage
        else:
            reply = _reply(run, turn)
            if not isinstance(reply, ChatReply):
                return _stop(run, reply)
        ended = _act(run, turn, reply, past.given.get(turn), second=second)
        if ended is not None:
            return ended
        turn += 1


def _reply(run: _Run, turn: int) -> ChatReply | StopReason:
    """Ask the model; the reply is in the trace, with what it cost, before anything is done with it."""
    state = run.ledger.told(run.session)
    request = run.dialogue.request(state, run.spending, tools_for_model(AGENT_TOOLS, OFFERED))
    limit = run.spending.reached(run.model, request)
    if limit is not None:
        return limit
    try:
        reply = run.model.complete(request, deadline=run.spending.deadline)
    except LimitError as error:
        run.trace.append("note", text=error.message)
        return "time"
    except ModelError as error:
        run.trace.append("note", text=error.message)
        return "error"
    run.spending.pay(reply.usage)
    run.usage = run.usage + reply.usage
    run.trace.append("model", turn=turn, reply=reply.to_dict(), usage=reply.usage.to_dict())
    return reply


def _act(
    run: _Run, turn: int, reply: ChatReply, given: Mapping[str, Any] | None, *, second: bool
) -> Answer | None:
    """Carry out the first tool call of a reply; return the answer if that ends the run."""
    if not reply.tool_calls:
        run.silent += 1
        if run.silent >= REFUSALS:
            return _stop(run, "refused")
        run.dialogue.add(Turn(reply, None, NUDGE))
        return None
    run.silent = 0
    call = reply.tool_calls[0]
    extra = len(reply.tool_calls) - 1
    notes = (call.arguments or {}).get("notes")
    if isinstance(notes, dict):
        run.ledger.note(notes, run.session)
    if given is not None:
        text, handle, trusted = str(given["text"]), str(given.get("handle", "")), bool(given.get("trusted"))
        found, opened = given.get("found") or [], given.get("opened") or []
        run.unproven += 1 if given.get("unproven") else 0
    else:
        outcome = _carry_out(run, call, second=second)
        if isinstance(outcome, Answer):
            return outcome
        text, handle, trusted = outcome.text, outcome.handle, outcome.result is None
        found, opened = outcome.touched.retrieved, outcome.touched.opened
        run.trace.append(
            "observation", turn=turn, text=text, handle=handle, trusted=trusted, found=found, opened=opened,
            unproven=outcome.handle == "unproven",
        )  # fmt: skip
    run.ledger.found(found)
    run.ledger.open(opened)
    if extra:
        text += f"\nOnly the first of {extra + 1} calls was carried out: one call a round."
    run.dialogue.add(Turn(replace(reply, tool_calls=(call,)), call.id, text, handle, trusted))
    return None


def _carry_out(run: _Run, call: ToolCall, *, second: bool) -> Observation | Answer:
    if call.problem or call.arguments is None:
        return _refuse(f"{call.name} was not called: {call.problem or 'no arguments'}. Send one JSON object.")
    arguments = {k: v for k, v in call.arguments.items() if k != "notes" and v is not None}
    if call.name not in OFFERED:
        return _refuse(f"There is no tool {call.name!r}. Tools: {', '.join(OFFERED)}.")
    if call.name == "submit":
        return _submission(run, arguments, second=second)
    key = json.dumps([call.name, arguments], sort_keys=True, default=str)
    run.seen[key] = run.seen.get(key, 0) + 1
    if run.seen[key] > 2:
        return _refuse("You have made this very call twice; its result is above. Do something else.")
    return run.session.call(call.name, arguments)


def _refuse(text: str) -> Observation:
    return Observation(text, None, UsageError(text))


def _submission(run: _Run, arguments: dict[str, Any], *, second: bool) -> Observation | Answer:
    """Take a submission if something holds it; otherwise say what is wrong, and after some tries end the run."""
    schema = AGENT_TOOLS["submit"]
    try:
        schema.check(arguments)
        if arguments.get("missing") is not None and arguments.get("answer") is None:
            done = abstain(run.session, str(arguments["missing"])[:600], question=run.question).answer
            return _end(run, done, "answer")
        given = str(arguments.get("answer") or "")
        sources, assumed = arguments.get("sources") or (), arguments.get("assumptions") or ()
        told = submit(
            run.session, given, sources, [str(a)[:400] for a in assumed], question=run.question, keep=False
        )
    except SetupError:
        raise
    except HeadwaterError as error:
        return _refuse(told_error(error))
    if not told.warnings and told.answer.verification != "unverified":
        answer = told.answer
        if second:
            second_derivation(run.session, run.model, run.spending, answer)
        record(run.session, given, answer)
        return _end(run, answer, "answer")
    run.unproven += 1
    proven = told.answer.verification != "unverified"
    if run.unproven >= REFUSALS:
        if not proven:
            return _stop(run, "unproven")
        record(run.session, given, told.answer)
        return _end(run, told.answer, "answer")
    reasons = " ".join(told.warnings) or "Its program does not give it again."
    return Observation(f"Not taken yet. {reasons}", None, UsageError(reasons), "unproven")


def _end(run: _Run, answer: Answer, reason: StopReason) -> Answer:
    answer.stop_reason = reason
    answer.usage = {**answer.usage, **{k: v for k, v in run.usage.to_dict().items() if k != "seconds"}}
    run.trace.append("end", stop_reason=reason)
    return answer


def _stop(run: _Run, reason: StopReason) -> Answer:
    """End without an answer; nothing that was not proven is repeated."""
    text = f"No answer: {STOPPED[reason]}."
    answer = Answer(
        run.question, "failed", None, text, found=[*run.ledger.opened, *run.ledger.pending][:20], missing=STOPPED[reason],
        trace=run.trace.id,
    )  # fmt: skip
    return _end(run, answer, reason)


def answer_of(told: Mapping[str, Any]) -> Answer:
    """Return the answer that its JSON object tells."""
    from headwater.answers import Evidence, Program

    fields = {k: v for k, v in told.items() if k in Answer.__dataclass_fields__ and not k.startswith("_")}
    fields["program"] = Program(**told["program"]) if told.get("program") else None
    fields["evidence"] = [Evidence(**e) for e in told.get("evidence") or ()]
    fields["trace"] = told.get("trace") or ""
    return Answer(**fields)
