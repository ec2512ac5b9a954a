"""Questions of DW-Bench in memory, and how a question's difficulty and slices follow from the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from headwater.errors import ReadError

if TYPE_CHECKING:
    from headwater.graph import SchemaGraph

KINDS = {
    "forward": "lineage", "reverse": "lineage", "multi_source": "lineage", "transitive": "lineage", "combined_impact": "lineage",
    "count": "silo", "isolation": "silo", "connected": "silo", "membership": "silo", "full_enumeration": "silo",
    "direct_fk": "routing", "join_path": "routing", "hop_count": "routing",
}  # fmt: skip
"""The 13 kinds of Tier 1 and their category (section 3 of the paper's taxonomy)."""

ROW_KINDS = {
    "row_provenance": "data_provenance", "value_origin": "data_provenance", "multi_hop_trace": "data_provenance",
    "row_impact": "forward_impact", "value_propagation": "forward_impact", "cascade_count": "forward_impact",
    "cross_silo_reachability": "cross_silo", "shared_source": "cross_silo",
}  # fmt: skip
"""The eight kinds of Tier 2 and their category."""

_SPELLINGS = {"cross_silo_reach": "cross_silo_reachability"}


@dataclass(slots=True)
class Question:
    """One question; the fields are those of `questions.jsonl`.

    Attributes:
        answer: the gold as JSON: a list, a path in order, an integer, a truth value or a label.
        upstream_answer: the gold in the published form, where it differs (digits as text, yes/no, sorted paths).
        upstream_answer_type: the published type, where it differs.
    """

    id: str
    dataset: str
    subtype: str
    question: str
    answer: Any
    answer_type: str
    tier: int = 1
    condition: str = "original"
    category: str = ""
    difficulty: str = ""
    args: dict[str, Any] = field(default_factory=dict)
    semantics: str = ""
    flags: list[str] = field(default_factory=list)
    n_shortest_paths: int | None = None
    upstream_answer: Any = None
    upstream_answer_type: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the question as a line of `questions.jsonl`; empty optional fields are left out."""
        order = (
            "id", "dataset", "tier", "condition", "category", "subtype", "difficulty", "question", "answer", "answer_type",
            "args", "semantics", "flags", "n_shortest_paths", "upstream_answer", "upstream_answer_type",
        )  # fmt: skip
        value = asdict(self)
        optional = {"flags", "n_shortest_paths", "upstream_answer", "upstream_answer_type"}
        return {k: value[k] for k in order if k not in optional or value[k] not in (None, [])}

    @property
    def published(self) -> tuple[Any, str]:
        """The gold and its type in the published form."""
        gold = self.answer if self.upstream_answer is None else self.upstream_answer
        return gold, self.upstream_answer_type or self.answer_type


def read_question(line: Mapping[str, Any]) -> Question:
    """Return the question of a JSON object in our form or in the published one.

    The published form has `type` for the category, numbers and truth values as text in places, and paths typed as
    plain lists; they become JSON values here and the published form is kept beside.

    Raises:
        ReadError: a field is missing or the answer does not fit its type.
    """
    missing = [
        name for name in ("id", "dataset", "subtype", "question", "answer", "answer_type") if name not in line
    ]
    if missing:
        raise ReadError(f"the question lacks {', '.join(missing)}")
    subtype = _SPELLINGS.get(str(line["subtype"]), str(line["subtype"]))
    known = {k: v for k, v in line.items() if k in Question.__dataclass_fields__ and v is not None}
    known |= {"id": str(line["id"]), "subtype": subtype, "dataset": str(line["dataset"])}
    question = Question(**known)
    question.category = (
        question.category or KINDS.get(subtype) or ROW_KINDS.get(subtype) or str(line.get("type", ""))
    )
    if "semantics" not in line:
        _from_published(question)
    _check_type(question)
    return question


def _from_published(question: Question) -> None:
    answer, kind = question.answer, question.answer_type
    if kind in ("number", "integer") and not isinstance(answer, bool):
        try:
            question.answer, question.answer_type = int(str(answer)), "integer"
        except ValueError:
            raise ReadError(f"{answer!r} is no whole number") from None
    elif kind == "boolean" and isinstance(answer, str):
        truth = {"yes": True, "true": True, "no": False, "false": False}.get(answer.strip().lower())
        if truth is None:
            raise ReadError(f"{answer!r} is no truth value")
        question.answer = truth
    elif kind == "list" and question.subtype == "join_path":
        question.answer_type = "ordered_list"
    if question.answer != answer or type(question.answer) is not type(answer):
        question.upstream_answer = answer
    if question.answer_type != kind:
        question.upstream_answer_type = kind


def _check_type(question: Question) -> None:
    kinds: dict[str, type | tuple[type, ...]] = {
        "list": list,
        "ordered_list": list,
        "integer": int,
        "boolean": bool,
        "string": str,
    }
    wanted = kinds.get(question.answer_type)
    if wanted is None:
        raise ReadError(f"the answer type {question.answer_type!r} is unknown")
    wrong = isinstance(question.answer, bool) and question.answer_type != "boolean"
    if wrong or not isinstance(question.answer, wanted):
        raise ReadError(f"the answer {str(question.answer)[:60]!r} is no {question.answer_type}")
    if isinstance(question.answer, list) and not all(isinstance(name, str) for name in question.answer):
        raise ReadError("the answer list holds something else than names")


def has_groups(graph: SchemaGraph) -> bool:
    """Return whether a schema labels groups; the rules of the synthetic dataset hold for those that do."""
    return any(table.group for table in graph.tables.values())


_EASY_HARD = {
    "forward": "easy", "reverse": "easy", "direct_fk": "easy", "count": "easy", "multi_source": "hard", "transitive": "hard",
    "combined_impact": "hard", "hop_count": "medium", "isolation": "medium", "membership": "medium", "connected": "easy",
    "full_enumeration": "hard",
}  # fmt: skip
_WITH_GROUPS = _EASY_HARD | {"multi_source": "medium", "hop_count": "hard"}


def difficulty_of(question: Question, graph: SchemaGraph | None) -> str:
    """Return easy, medium or hard, from the kind and the data as the published scripts set it.

    Paths go by their length, lists of a grouped schema by what they are over; for rows, tables of one group are easier.
    Without a graph, or for a kind of our own, the stored label stands.
    """
    if question.tier == 2:
        return _row_difficulty(question, graph) or question.difficulty
    grouped = graph is not None and has_groups(graph)
    if question.subtype == "join_path":
        hops = len(question.answer) - 1
        if grouped:
            return "easy" if hops <= 1 else "medium"
        return "easy" if hops <= 2 else "medium" if hops == 3 else "hard"
    if grouped and question.subtype == "connected":
        return "easy" if question.answer else "medium"
    if grouped and question.subtype == "full_enumeration":
        return "easy" if question.args.get("layer") else "medium"
    rules = _WITH_GROUPS if grouped else _EASY_HARD
    return rules.get(question.subtype, question.difficulty)


def _row_difficulty(question: Question, graph: SchemaGraph | None) -> str:
    tables = graph.tables if graph is not None else {}
    names = {key: str(question.args.get(key)) for key in ("source", "target", "a", "b", "table")}

    def same_group(first: str, second: str) -> bool:
        found = [tables[names[key]].group for key in (first, second) if names[key] in tables]
        return len(found) == 2 and found[0] is not None and found[0] == found[1]

    if not tables or question.subtype not in ROW_KINDS:
        return ""
    if question.subtype == "value_propagation":
        return "medium" if same_group("source", "target") else "hard"
    if question.subtype == "shared_source":
        return "medium" if same_group("a", "b") else "hard"
    if question.subtype == "value_origin":
        table = tables.get(names["table"])
        return (
            "medium"
            if table is not None and (table.layer == "core" or table.name.startswith("dim_"))
            else "hard"
        )
    return "hard"
