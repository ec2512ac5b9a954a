"""The explorer: a chat model drives the tools of a lake, one call a round, until it submits or a limit is reached."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import TYPE_CHECKING, Any, Protocol

from headwater.agents._budget import Budget, Spending, StopReason
from headwater.agents._dialogue import NUDGE, Dialogue, Turn, tools_for_model
from headwater.agents._ledger import Ledger
from headwater.agents._second import PURPOSE, second_derivation
from headwater.agents._submit import abstain, record, submit
from headwater.agents._tools import AGENT_TOOLS
from headwater.answers import Answer
from headwater.errors import HeadwaterError, SetupError, UsageError
from headwater.models import ChatReply, ChatRequest, ContextError, DeadlineError, ModelError, Watch
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
    "context": "the question does not fit into what the model takes at once",
    "refused": "the model did not call a tool",
    "error": "the model failed",
    "unproven": "no query, program or sentence holds what was to be submitted",
}


SHRINK = 0.6
"""To this share of its length a request is cut that the provider refuses as too long."""


class Progress(Watch, Protocol):
    """Follows a run: the model's words as they arrive, and what each round took. For a terminal."""

    def round(self, number: int, reply: ChatReply, spending: Spending) -> None:
        """A reply has come, the `number`th from 1."""
        ...


@dataclass
class _Run:
    """The state of one question. A request of `too_long` tokens, by estimate, is not sent."""

    session: Session
    trace: Trace
    model: ChatModel
    question: str
    spending: Spending
    dialogue: Dialogue
    progress: Progress | None = None
    ledger: Ledger = field(default_factory=Ledger)
    too_long: int = 0
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
    deadline: float | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Answer a question with a model and tools.

    A trace that already holds rounds of this question is gone on with: replies that were paid and results that were
    given are taken from it, so that a crash costs at most the reply that was on its way. What they used up, time
    included, counts against the budget.

    Args:
        lake: an opened lake.
        question: in plain words.
        model: replies to requests.
        trace: where everything is recorded.
        budget: limits.
        second: try a second derivation before an answer counts, if the budget allows.
        deadline: time of `time.monotonic` at which this process is to be done, whatever the budget.
        progress: follows the run; without it replies are not streamed.

    Returns:
        An answer; where a limit was reached, status "failed" and the limit as `stop_reason`.

    Raises:
        UsageError: the question is empty, the trace is of another question, or money is limited and no price is known.
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
    page = resources.files("headwater.agents").joinpath("explorer.md").read_text(encoding="utf-8")
    limits, past = budget or Budget(), _Past(events)
    spending = Spending(limits, past.seconds, math.inf if deadline is None else deadline)
    run = _Run(
        Session(lake, trace, AGENT_TOOLS), trace, model, question, spending,
        Dialogue(page, question, limits, trace.id), progress,
    )  # fmt: skip
    if past.submitted is not None:
        return past.submitted if past.ended else _close(run, past.submitted)
    if limits.usd is not None and model.usd_at_most(ChatRequest(())) is None:
        raise UsageError(
            f"No price of {model.id} is known, so a limit of money cannot hold.",
            hint="Give the price with --price IN,OUT (USD per million tokens), or limit --max-tokens instead.",
        )
    if past.derivation is not None:
        spending.pay_again(past.derivation)
    window = model.info.context
    if window is not None:
        run.dialogue.context = min(limits.context, max(window - limits.reply, window // 2))
    run.too_long = run.dialogue.context + 1
    return _rounds(run, past, second=second)


class _Past:
    """What earlier processes of the same run have left in the trace.

    Attributes:
        replies, given: by round, what the model replied and what it was then shown.
        derivation: the reply of a second derivation, or None.
        submitted: the answer that was recorded, or None; `ended` says whether the end was recorded too.
        seconds: that they took, up to the last thing they recorded.
    """

    def __init__(self, events: list[dict[str, Any]]) -> None:
        paid = [e for e in events if e["event"] == "model"]
        self.replies = {e["turn"]: e for e in paid if "turn" in e}
        self.given = {e["turn"]: e for e in events if e["event"] == "observation" and "turn" in e}
        self.derivation = next((e for e in paid if e.get("purpose") == PURPOSE), None)
        record = next((e["record"] for e in reversed(events) if e["event"] == "submit"), None)
        self.submitted = None if record is None else answer_of(record)
        self.ended = any(e["event"] == "end" and e.get("stop_reason") == "answer" for e in events)
        self.seconds = max((float(e.get("elapsed") or 0.0) for e in events), default=0.0)


def _rounds(run: _Run, past: _Past, *, second: bool) -> Answer:
    turn = 0
    while True:
        if turn in past.replies:
            reply = ChatReply.from_dict(past.replies[turn]["reply"])
            run.spending.pay_again(past.replies[turn])
        else:
            try:
                reply = _reply(run, turn)
            except _Stopped as stopped:
                return _stop(run, stopped.reason, stopped.why)
        ended = _act(run, turn, reply, past.given.get(turn), second=second)
        if ended is not None:
            return ended
        turn += 1


@dataclass(eq=False)
class _Stopped(Exception):
    """No reply can be had."""

    reason: StopReason
    why: str = ""


def _reply(run: _Run, turn: int) -> ChatReply:
    """Ask the model; the reply is in the trace, with what it cost, before anything is done with it.

    Raises:
        _Stopped: a limit is reached, or the model fails.
    """
    spending, tools = run.spending, tools_for_model(AGENT_TOOLS, OFFERED)
    while True:
        request = run.dialogue.request(run.ledger.told(run.session), spending, tools)
        size = request.rough_tokens()
        if size >= run.too_long:
            raise _Stopped("context")
        limit = spending.reached(run.model, request)
        if limit is not None:
            raise _Stopped(limit)
        try:
            reply = run.model.complete(request, deadline=spending.deadline, watch=run.progress)
            break
        except DeadlineError as error:
            raise _Stopped("time", error.message) from None
        except ContextError as error:
            run.trace.append("note", text=error.message, elapsed=spending.elapsed)
            run.too_long, run.dialogue.context = size, int(SHRINK * size)
        except ModelError as error:
            raise _Stopped("error", error.message) from None
    paid = spending.pay(reply.usage, run.model, request)
    run.trace.append("model", turn=turn, reply=reply.to_dict(), elapsed=spending.elapsed, **paid)
    if run.progress is not None:
        run.progress.round(turn + 1, reply, spending)
    return reply


def _act(
    run: _Run, turn: int, reply: ChatReply, given: Mapping[str, Any] | None, *, second: bool
) -> Answer | None:
    """Carry out the first tool call of a reply; return the answer if that ends the run."""
    if not reply.tool_calls:
        run.silent += 1
        if run.silent >= REFUSALS or reply.finish == "content_filter":
            return _stop(run, "refused", "its provider filtered the reply" if run.silent < REFUSALS else "")
        run.dialogue.add(Turn(reply, None, f"{_cut_off(reply, run)}{reply.problem or NUDGE}"))
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
        outcome = _carry_out(run, call, _cut_off(reply, run), second=second)
        if isinstance(outcome, Answer):
            return outcome
        text, handle, trusted = outcome.text, outcome.handle, outcome.result is None
        found, opened = outcome.touched.retrieved, outcome.touched.opened
        run.trace.append(
            "observation", turn=turn, text=text, handle=handle, trusted=trusted, found=found, opened=opened,
            unproven=outcome.handle == "unproven", elapsed=run.spending.elapsed,
        )  # fmt: skip
    run.ledger.found(found)
    run.ledger.open(opened)
    if extra:
        text += f"\nOnly the first of {extra + 1} calls was carried out: one call a round."
    run.dialogue.add(Turn(replace(reply, tool_calls=(call,)), call.id, text, handle, trusted))
    return None


def _cut_off(reply: ChatReply, run: _Run) -> str:
    """What the model is told where its reply met the limit of its length."""
    length = run.spending.budget.reply
    return f"Your reply was cut off after {length} tokens; be shorter. " if reply.finish == "length" else ""


def _carry_out(run: _Run, call: ToolCall, cut: str, *, second: bool) -> Observation | Answer:
    if call.problem or call.arguments is None:
        told = f"{call.name} was not called: {call.problem or 'no arguments'}. Send one JSON object."
        return _refuse(f"{cut}{told}")
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
            done = abstain(
                run.session, str(arguments["missing"])[:600], question=run.question, keep=False
            ).answer
            return _finish(run, "", done)
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
        return _finish(run, given, answer)
    run.unproven += 1
    proven = told.answer.verification != "unverified"
    if run.unproven >= REFUSALS:
        if not proven:
            return _stop(run, "unproven")
        return _finish(run, given, told.answer)
    reasons = " ".join(told.warnings) or "Its program does not give it again."
    return Observation(f"Not taken yet. {reasons}", None, UsageError(reasons), "unproven")


def _finish(run: _Run, given: str, answer: Answer) -> Answer:
    """End with an answer, recorded whole before the end is."""
    _account(run, answer, "answer")
    record(run.session, given, answer)
    return _close(run, answer)


def _stop(run: _Run, reason: StopReason, why: str = "") -> Answer:
    """End without an answer; nothing that was not proven is repeated."""
    told = STOPPED[reason] + (f": {why}" if why else "")
    answer = Answer(
        run.question, "failed", None, f"No answer: {told.removesuffix('.')}.", missing=told, trace=run.trace.id,
        found=[*run.ledger.opened, *run.ledger.pending][:20],
    )  # fmt: skip
    _account(run, answer, reason)
    return _close(run, answer)


def _account(run: _Run, answer: Answer, reason: StopReason) -> None:
    """Write reason and cost on an answer, over all processes of the run."""
    spending = run.spending
    answer.stop_reason = reason
    told = {**spending.usage.to_dict(), "seconds": round(spending.elapsed, 3), "price": run.model.info.price}
    answer.usage = {**answer.usage, **told}


def _close(run: _Run, answer: Answer) -> Answer:
    run.trace.append("end", stop_reason=answer.stop_reason, elapsed=run.spending.elapsed)
    return answer


def answer_of(told: Mapping[str, Any]) -> Answer:
    """Return the answer that its JSON object tells."""
    from headwater.answers import Evidence, Program

    fields = {k: v for k, v in told.items() if k in Answer.__dataclass_fields__ and not k.startswith("_")}
    fields["program"] = Program(**told["program"]) if told.get("program") else None
    fields["evidence"] = [Evidence(**e) for e in told.get("evidence") or ()]
    fields["trace"] = told.get("trace") or ""
    return Answer(**fields)
