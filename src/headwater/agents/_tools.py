"""The agent's tools: those of the lake, and submit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from headwater.tools import TOOLS, Registry, Session

if TYPE_CHECKING:
    from headwater.lake import Lake

AGENT_TOOLS = Registry()
"""The tools of a session over a lake, with `submit` and exact mode's `ask`."""

for _tool in TOOLS:
    AGENT_TOOLS.include(_tool)


@AGENT_TOOLS.add("submit", "Submit the answer", needs="session", read_only=False)
def submit_(
    session: Session,
    *,
    answer: Annotated[str | None, "the value in the form that the question asks for"] = None,
    sources: Annotated[list[str] | None, "every document the answer rests on"] = None,
    assumptions: Annotated[list[str] | None, "what was taken in place of what the question asks for"] = None,
    missing: Annotated[str | None, "instead of an answer: what the lake lacks"] = None,
) -> Any:
    """Record the answer; its form is checked and its value traced back to queries and sources of this session."""
    from headwater.agents._submit import abstain, submit
    from headwater.errors import UsageError

    if (answer is None) == (missing is None):
        raise UsageError("Give an answer, or say what is missing.")
    if missing is not None:
        return abstain(session, missing)
    return submit(session, answer or "", sources or (), assumptions or ())


@AGENT_TOOLS.add("ask", "Answer exactly, without a model")
def ask_(lake: Lake, *, question: Annotated[str, "in plain words; one table, one step"]) -> Any:
    """Read a plain question as one query over one table and answer it with evidence, or abstain. No model is used."""
    from headwater.answers import ask

    return ask(lake, question)
