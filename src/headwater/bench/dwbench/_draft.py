"""Collects questions while they are generated: numbers them, works out what follows from the graph, checks the gold."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar

from headwater.bench.dwbench._questions import KINDS, ROW_KINDS, Question, difficulty_of
from headwater.bench.dwbench._scoring import Scorer

if TYPE_CHECKING:
    from headwater.graph import SchemaGraph

T = TypeVar("T")

_LISTED = 200_000
"""Pairs that are listed to draw from."""

UNREAD = "not_read_by_the_grammar"
"""Flag of a question that headwater's own reading abstains on; its gold has then been computed once only."""


@dataclass(slots=True)
class Draft:
    """Questions on one graph.

    Attributes:
        dataset: name of the dataset; ids begin with it.
        graph: what they are about.
        random: where all drawing comes from.
        tier: 1 for tables, 2 for rows.
    """

    dataset: str
    graph: SchemaGraph
    random: random.Random
    tier: int = 1
    questions: list[Question] = field(default_factory=list)
    _texts: set[str] = field(default_factory=set)

    def add(
        self, kind: str, text: str, answer: Any, semantics: str, args: dict[str, Any], **more: Any
    ) -> bool:
        """Add a question unless its text is there; return whether it was added."""
        if text in self._texts:
            return False
        self._texts.add(text)
        number = sum(1 for q in self.questions if q.subtype == kind)
        question = Question(
            id=f"{self.dataset}_{'rows_' if self.tier == 2 else ''}{kind}_{number:03d}",
            dataset=self.dataset,
            subtype=kind,
            question=text,
            answer=answer,
            answer_type=_type_of(answer, kind),
            tier=self.tier,
            category=(KINDS | ROW_KINDS).get(kind, ""),
            args=args,
            semantics=semantics,
            **more,
        )
        question.difficulty = difficulty_of(question, self.graph)
        self.questions.append(question)
        return True

    def sample(self, population: Iterable[T], most: int) -> list[T]:
        """Return up to `most` members, drawn without replacement."""
        listed = list(population)
        return self.random.sample(listed, min(most, len(listed)))

    def pairs(self, groups: Sequence[Sequence[str]], most: int, *, within: bool) -> list[tuple[str, str]]:
        """Return up to `most` different pairs of names, both of one group (`within`) or of two.

        Of a few groups all pairs are listed and drawn from; of many, pairs are drawn until there are enough.
        """
        sizes = [len(group) for group in groups]
        inner = sum(size * (size - 1) // 2 for size in sizes)
        total = inner if within else sum(sizes) * (sum(sizes) - 1) // 2 - inner
        if total <= _LISTED:
            if within:
                return self.sample((pair for group in groups for pair in combinations(group, 2)), most)
            return self.sample(
                ((a, b) for one, two in combinations(groups, 2) for a in one for b in two), most
            )
        places = [(number, name) for number, group in enumerate(groups) for name in group]
        found: dict[tuple[str, str], None] = {}
        for _ in range(200 * most):
            (one, a), (two, b) = self.random.sample(places, 2)
            if (one == two) == within and (b, a) not in found:
                found[a, b] = None
            if len(found) == most:
                break
        return list(found)

    def check(self) -> list[str]:
        """Answer every question anew by reading its text; flag those that are not read, return the ids that disagree."""
        from headwater.graph import ask

        scorer, wrong = Scorer(self.graph), []
        for question in self.questions:
            found = ask(self.graph, question.question)
            if found.status != "answered":
                question.flags.append(UNREAD)
            elif scorer.strict(question, found.answer)[0] != 1.0:
                wrong.append(question.id)
        return wrong

    def counts(self) -> dict[str, int]:
        """Return the number of questions by kind."""
        found: dict[str, int] = defaultdict(int)
        for question in self.questions:
            found[question.subtype] += 1
        return dict(found)


def _type_of(answer: Any, kind: str) -> str:
    if isinstance(answer, list):
        return "ordered_list" if kind == "join_path" else "list"
    return {bool: "boolean", int: "integer"}.get(type(answer), "string")


def layers_in_order(graph: SchemaGraph) -> Sequence[str]:
    """Return the layers from the first to the last, by how far down the lineage their tables stand on average."""
    depth: dict[str, int] = {}
    sources: dict[str, list[str]] = defaultdict(list)
    for edge in graph.lineage:
        if edge.source != edge.target:
            sources[edge.target].append(edge.source)

    def level(name: str, path: frozenset[str]) -> int:
        if name not in depth:
            above = [level(s, path | {name}) for s in sources[name] if s not in path]
            depth[name] = 1 + max(above, default=-1)
        return depth[name]

    levels: dict[str, list[int]] = defaultdict(list)
    for table in graph.tables.values():
        if table.layer:
            levels[table.layer].append(level(table.name, frozenset({table.name})))
    return sorted(levels, key=lambda layer: (sum(levels[layer]) / len(levels[layer]), layer))
