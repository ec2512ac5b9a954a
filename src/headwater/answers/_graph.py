"""Questions about a graph of tables: its edges are the evidence, its files the inputs."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.answers._answer import Answer, Evidence, Program, show
from headwater.answers._evidence import path_hash
from headwater.answers._words import lexicon, plain, stem, words

if TYPE_CHECKING:
    from headwater.graph import SchemaGraph
    from headwater.lake import Lake

LANGUAGE = "graph"

SAVED = "graph.json"
"""A graph that was loaded beside a lake, in its state folder."""


def ask_graph(graph: SchemaGraph, question: str, sources: Sequence[str] = ()) -> Answer:
    """Answer a question about a graph of tables, with its edges as evidence.

    Args:
        graph: the tables, their keys and lineage.
        question: in plain words.
        sources: files and folders that the graph was loaded from; with them the answer can be replayed.
    """
    from headwater.graph import ask as ask_about

    started = time.monotonic()
    told = ask_about(graph, question)
    if told.status != "answered":
        near = f" Nearest names: {', '.join(told.nearest)}." if told.nearest else ""
        return Answer(
            question, "abstained", text=f"Cannot be answered from this graph: {told.missing}{near}", missing=told.missing,
            stop_reason="abstained", usage={"seconds": round(time.monotonic() - started, 3)},
        )  # fmt: skip
    evidence = _edges(told.proof)
    again = ask_about(graph, question)
    return Answer(
        question, "answered", told.answer, show(told.answer), told.reading,
        Program(LANGUAGE, json.dumps({"semantics": told.semantics, "arguments": told.args}, default=str)),
        inputs=[{"document": str(s), "sha256": path_hash(Path(s))} for s in sources if Path(s).exists()],
        evidence=evidence, verification="replayed" if again.answer == told.answer else "unverified",
        usage={"seconds": round(time.monotonic() - started, 3)},
    )  # fmt: skip


def ask_graph_of(lake: Lake, question: str) -> Answer | None:
    """Answer a question about the graph that was loaded beside a lake; None if there is none, or it asks for something else."""
    from headwater.graph import saved_graph

    state = Path(lake.state)
    if not (state / SAVED).is_file():
        return None
    graph = saved_graph(state)
    if not _about(graph, question):
        return None
    answer = ask_graph(graph, question)
    answer.inputs = [{"document": SAVED, "sha256": path_hash(state / SAVED)}]
    return answer if answer.status == "answered" else None


def _about(graph: SchemaGraph, question: str) -> bool:
    """Tell whether a question speaks of tables and their links, or names a table as the graph does."""
    if {stem(w) for w in words(question)} & lexicon().topology:
        return True
    flat = plain(question)
    return any("." in name and plain(name) in flat for name in graph.tables)


def replay_graph(answer: dict[str, Any], lake: Lake | None, base: Path, differences: list[str]) -> None:
    """Ask a graph again, and tell what differs.

    Args:
        answer: the object of `headwater ask --json`.
        lake: where the graph was loaded, if it was beside a lake.
        base: folder that relative paths are taken from.
        differences: what differs is added.
    """
    from headwater.graph import ask as ask_about
    from headwater.graph import load_graph, saved_graph

    names = [str(i.get("document")) for i in answer.get("inputs", [])]
    if names == [SAVED] and lake is not None:
        graph = saved_graph(Path(lake.state))
    elif names:
        graph = load_graph([str(base / name) for name in names])
    else:
        differences.append("The answer does not name the sources of its graph.")
        return
    now = ask_about(graph, str(answer.get("question", "")))
    if now.answer != answer.get("value"):
        differences.append(f"The value was {answer.get('value')!r}, the graph gives {now.answer!r} now.")
    source = json.dumps({"semantics": now.semantics, "arguments": now.args}, default=str)
    if answer["program"]["source"] != source:
        differences.append("The graph reads the question in another way now.")
    edges = {json.dumps(_without_context(e), sort_keys=True) for e in answer.get("evidence") or ()}
    proof = {
        json.dumps(_without_context(e.to_dict()), sort_keys=True, default=str) for e in _edges(now.proof)
    }
    if gone := edges - proof:
        differences.append(f"{len(gone)} of the edges that proved it are not there any more.")
    if proof - edges:
        differences.append(f"{len(proof - edges)} edges that prove it are not among its evidence.")


def _edges(proof: Sequence[dict[str, Any]]) -> list[Evidence]:
    return [
        Evidence(
            str(e.get("origin", {}).get("file", "")),
            "edge",
            {"edge": e},
            f"{e.get('source')} → {e.get('target')}",
        )
        for e in proof
    ]


def _without_context(evidence: dict[str, Any]) -> dict[str, Any]:
    return {name: evidence.get(name) for name in ("kind", "locator", "quote")}
