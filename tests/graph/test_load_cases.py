"""SQL shapes with what they say: every block of every `cases/*.sql` file.

A block starts with `--# title`, maybe with ` [dialect]`; its expectations are lines that start with `--=`::

    --= table t: a, b           columns in order; `view v: …` for a view
    --= key child(a, b) -> parent(x, y)
    --= flow t.a -> u.b         a value of column a of t reaches column b of u
    --= value t -> u            values of t reach u, from no column that is known
    --= filter t -> u           t only filters: no value of it reaches u
    --= open t -> u             (also) something read from t could not be resolved
    --= ghost t                 t is referenced and nowhere defined
    --= problem 3: words        line 3 of the block; the words stand in the message

Keys, flows, filters, open edges and problems must be exactly those; tables are compared if any is listed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from headwater.graph import SchemaGraph
from headwater.graph.loaders import load_graph

CASES = Path(__file__).parent / "cases"


@dataclass
class Case:
    title: str
    dialect: str | None
    lines: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)


def read_cases() -> list[object]:
    found = []
    for path in sorted(CASES.glob("*.sql")):
        case: Case | None = None
        for line in path.read_text(encoding="utf-8").splitlines():
            if match := re.fullmatch(r"--# (.*?)(?: \[(\w*)\])?", line):
                case = Case(match.group(1), match.group(2))
                found.append(pytest.param(case, id=f"{path.stem}: {case.title}"))
            elif case is not None and line.startswith("--= "):
                case.expected.append(line[4:].strip())
            elif case is not None:
                case.lines.append(line)
    return found


def told(graph: SchemaGraph, tables: bool, ghosts: bool) -> set[str]:
    """Return the graph in the words of the expectations."""
    out = set()
    for key in graph.foreign_keys:
        out.add(
            f"key {key.child}({', '.join(key.child_columns)}) -> {key.parent}({', '.join(key.parent_columns)})"
        )
    for edge in graph.lineage:
        pair = f"{edge.source} -> {edge.target}"
        out |= {f"flow {edge.source}.{a} -> {edge.target}.{b}" for a, b in edge.columns}
        if not edge.value:
            out.add(f"filter {pair}")
        elif not edge.columns and not edge.unresolved:
            out.add(f"value {pair}")
        if edge.unresolved:
            out.add(f"open {pair}")
    for table in graph.tables.values():
        if table.placeholder:
            out |= {f"ghost {table.name}"} if ghosts else set()
        elif tables:
            out.add(f"{table.kind} {table.name}: {', '.join(c.name for c in table.columns)}".strip())
    return out


@pytest.mark.parametrize("case", read_cases())
def test_case(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "case.sql"
    path.write_text("\n".join(case.lines) + "\n", encoding="utf-8")
    graph = load_graph([str(path)], dialect=case.dialect)
    expected = {e for e in case.expected if not e.startswith("problem ")}
    kinds = {e.split()[0] for e in expected}
    assert told(graph, bool(kinds & {"table", "view"}), "ghost" in kinds) == expected, graph.problems
    problems = [e.removeprefix("problem ").split(": ", 1) for e in case.expected if e.startswith("problem ")]
    assert len(graph.problems) == len(problems), graph.problems
    for line, words in problems:
        assert any(
            str(p.line) == line and words in p.message and p.file == "case.sql" for p in graph.problems
        ), graph.problems


def test_there_are_cases() -> None:
    assert len(read_cases()) > 150
