"""The obfuscation protocol: tables get names that say nothing; keys, lineage, columns and answers stay what they are.

Three mistakes of the published scripts are not repeated: paths keep their order (they are sorted there, so most are no paths any
more; the sorted form is kept beside as the published gold), a word is only replaced where it is a table that the question asks
about (with known arguments), and fields that explain an answer are not carried along.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.bench.dwbench._build import fresh_folder
from headwater.bench.dwbench._load import find_source, graph_key, load_graphs
from headwater.bench.dwbench._questions import Question
from headwater.bench.dwbench._suite import write_questions, write_schema
from headwater.errors import UsageError

if TYPE_CHECKING:
    from headwater.graph import SchemaGraph

_SHIELDED = ("foreign key relationship", "data lineage relationship")
"""Phrases whose last word is a table in OMOP and never means it."""


def obfuscated_name(rank: int) -> str:
    """Return Table_A … Table_Z, Table_A1 … Table_Z1, Table_A2 …."""
    number, letter = divmod(rank, 26)
    return f"Table_{chr(ord('A') + letter)}{number or ''}"


def deal_names(names: Iterable[str], draw: random.Random) -> dict[str, str]:
    """Return a new name for every table, dealt in shuffled order."""
    shuffled = list(names)
    draw.shuffle(shuffled)
    return {name: obfuscated_name(rank) for rank, name in enumerate(shuffled)}


def obfuscate_question(question: Question, mapping: Mapping[str, str]) -> Question:
    """Return a question with all table names replaced, in text, answer and arguments."""
    asked = {str(v) for v in question.args.values() if str(v) in mapping}
    names = asked if asked else set(mapping)
    answer = _renamed(question.answer, mapping, question)
    published, kind = question.published
    hidden = Question(
        id=question.id,
        dataset=question.dataset,
        subtype=question.subtype,
        question=_replaced(question.question, names, mapping),
        answer=answer
        if question.answer_type == "ordered_list" or not isinstance(answer, list)
        else sorted(answer),
        answer_type=question.answer_type,
        tier=question.tier,
        condition="obfuscated",
        category=question.category,
        difficulty=question.difficulty,
        args={
            key: mapping.get(value, value) if isinstance(value, str) else value
            for key, value in question.args.items()
        },
        semantics=question.semantics,
        flags=list(question.flags),
        n_shortest_paths=question.n_shortest_paths,
    )
    told = _renamed(published, mapping, question)
    told = sorted(told) if isinstance(told, list) else told
    if told != hidden.answer or type(told) is not type(hidden.answer):
        hidden.upstream_answer = told
    hidden.upstream_answer_type = kind if kind != hidden.answer_type else None
    return hidden


def _renamed(answer: Any, mapping: Mapping[str, str], question: Question) -> Any:
    if isinstance(answer, list):
        return [_renamed_one(name, mapping) for name in answer]
    if isinstance(answer, str) and question.answer_type != "string":
        return mapping.get(answer, answer)
    return answer


def _renamed_one(name: str, mapping: Mapping[str, str]) -> str:
    table, colon, row = name.partition(":row_")
    return mapping.get(table, table) + colon + row


def _replaced(text: str, names: Iterable[str], mapping: Mapping[str, str]) -> str:
    """Replace names that stand alone (dots and underscores are part of a name), the longest first, in one pass."""
    listed = sorted(names, key=len, reverse=True)
    if not listed:
        return text
    shielded = "|".join(re.escape(phrase) for phrase in _SHIELDED)
    either = "|".join(re.escape(name) for name in listed)
    pattern = re.compile(rf"({shielded})|(?<![\w.])({either})(?!\w|\.\w)")
    return pattern.sub(lambda hit: hit[1] or mapping[hit[2]], text)


def obfuscate_graph(graph: SchemaGraph, mapping: Mapping[str, str]) -> SchemaGraph:
    """Return a graph with the tables renamed; everything else stays, but for origins, which would name the tables."""
    from dataclasses import replace

    from headwater.graph import Origin, SchemaGraph

    origin, hidden = Origin(tool="obfuscated"), SchemaGraph()
    for table in graph.tables.values():
        hidden.add_table(replace(table, name=mapping[table.name], origin=origin))
    for number, key in enumerate(graph.foreign_keys, 1):
        hidden.add_foreign_key(
            replace(
                key, name=f"fk_{number}", child=mapping[key.child], parent=mapping[key.parent], origin=origin
            )
        )
    for edge in graph.lineage:
        hidden.add_lineage(
            replace(edge, source=mapping[edge.source], target=mapping[edge.target], origin=origin)
        )
    return hidden


def obfuscate_source(place: Path, out: Path, *, seed: int = 42) -> dict[str, dict[str, int]]:
    """Write obfuscated copies of all datasets of a source; return counts by dataset and kind. Questions on rows are left out.

    One generator deals the names of all datasets, in the order of their names in the source. `obfuscation_map.json` holds the
    names both ways.

    Raises:
        UsageError: there is nothing to obfuscate, or `out` is not empty.
    """
    fresh_folder(out)
    source = find_source(place)
    graphs, _ = load_graphs(source.graphs)
    by_graph: dict[str, list[Question]] = {}
    for question in source.questions:
        if question.tier == 1 and question.condition == "original" and graph_key(question) in graphs:
            by_graph.setdefault(graph_key(question), []).append(question)
    if not by_graph:
        raise UsageError(
            "There is nothing to obfuscate here.",
            hint="The protocol is for questions on schemas that are beside them.",
        )
    draw, counts = random.Random(seed), {}
    for key, questions in by_graph.items():
        mapping = deal_names(graphs[key].tables, draw)
        hidden = [obfuscate_question(question, mapping) for question in questions]
        folder = out / f"{key}_obfuscated"
        folder.mkdir(parents=True)
        write_questions(folder / "questions.jsonl", hidden)
        write_schema(folder / "schema.json", obfuscate_graph(graphs[key], mapping))
        both = {
            "original_to_obfuscated": mapping,
            "obfuscated_to_original": {v: k for k, v in mapping.items()},
        }
        (folder / "obfuscation_map.json").write_text(
            json.dumps(both, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        counts[key] = _counts(hidden)
    return counts


def _counts(questions: list[Question]) -> dict[str, int]:
    found: dict[str, int] = {}
    for question in questions:
        found[question.subtype] = found.get(question.subtype, 0) + 1
    return found
