"""Questions in plain language, answered exactly or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from headwater.graph._intents import Query, Unclear, parse
from headwater.graph._labels import Labels, Scope, labels_of
from headwater.graph._mentions import Mentions, Reader
from headwater.graph._names import names_of

if TYPE_CHECKING:
    from headwater.graph._evaluate import Evaluator, Result
    from headwater.graph._model import SchemaGraph

_LONGEST_QUESTION = 4_000


@dataclass(frozen=True)
class GraphAnswer:
    """The answer to a question about a graph.

    Attributes:
        status: "answered" or "abstained".
        answer: names, a path, a number, a truth value or a label; None if abstained.
        answer_type: list, ordered_list, integer, boolean or string; "" if abstained.
        semantics: what was computed, for instance "lineage.descendants@layer".
        args: the tables and options it was computed for.
        reading: how the question was understood, one phrase.
        missing: what it would take to answer; "" if answered.
        nearest: existing names close to one that was not found.
    """

    status: str
    answer: Any = None
    answer_type: str = ""
    semantics: str = ""
    args: dict[str, Any] = field(default_factory=dict)
    reading: str = ""
    missing: str = ""
    nearest: list[str] = field(default_factory=list)
    _prove: Callable[[], list[Any]] = field(default=list, repr=False, compare=False)

    @cached_property
    def proof(self) -> list[dict[str, Any]]:
        """The edges that prove the answer, as JSON objects; worked out on first use."""
        return [edge if isinstance(edge, dict) else edge.to_dict() for edge in self._prove()]

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in the form of the JSON contract."""
        names = (
            "status",
            "answer",
            "answer_type",
            "semantics",
            "args",
            "reading",
            "proof",
            "missing",
            "nearest",
        )
        return {name: getattr(self, name) for name in names}


def ask(graph: SchemaGraph, question: str) -> GraphAnswer:
    """Answer a question in plain language, or say what is missing.

    The question is read by a grammar (no model): names are found and replaced, the rest is matched against patterns. Where
    the wording leaves several readings open, they are all computed: if they agree the answer stands, else it abstains and
    says what they differ in.
    """
    if not question.strip() or len(question) > _LONGEST_QUESTION:
        return GraphAnswer(
            "abstained", missing=f"A question of 1 to {_LONGEST_QUESTION} characters is needed."
        )
    mentions = Reader(graph, question).read()
    answer = _answered(graph, mentions)
    if not mentions.doubtful:
        return answer
    doubt = not mentions.tables
    if mentions.tables:
        other = _answered(graph, Reader(graph, question, keep_doubtful=True).read())
        if other.status == "answered" and answer.status == "abstained":
            return other
        doubt = other.status == "answered" and _asked(other) != _asked(answer)
    if doubt or answer.status == "abstained":
        word = mentions.doubtful[0]
        note = f" {word!r} was read as an ordinary word; write 'table {word}' if the table is meant."
        return GraphAnswer(
            "abstained", missing=(answer.missing or "It is not clear whether a table is named.") + note
        )
    return answer


def _asked(answer: GraphAnswer) -> tuple[str, list[str]]:
    return answer.semantics, sorted(map(str, answer.args.values()))


def _answered(graph: SchemaGraph, mentions: Mentions) -> GraphAnswer:
    trouble = _name_trouble(graph, mentions)
    if trouble is not None:
        return trouble
    try:
        return _settle(graph, parse(mentions, labels_of(graph), graph.rows is not None))
    except Unclear as unclear:
        return GraphAnswer("abstained", missing=str(unclear))


def _name_trouble(graph: SchemaGraph, mentions: Mentions) -> GraphAnswer | None:
    if mentions.ambiguous:
        text, found = mentions.ambiguous[0]
        listed = ", ".join(found[:5])
        return GraphAnswer(
            "abstained",
            missing=f"{text!r} names {len(found)} tables ({listed}): write the qualified name.",
            nearest=found[:5],
        )
    whole = not mentions.tables and not mentions.scopes
    unknown = [word for word in mentions.unknown if not (whole and _names_the_schema(mentions.text, word))]
    if not unknown:
        return None
    near = names_of(graph).nearest(unknown[0])
    hint = f" Did you mean {' or '.join(near[:3])}?" if near else ""
    return GraphAnswer("abstained", missing=f"There is no table called {unknown[0]!r}.{hint}", nearest=near)


def _names_the_schema(text: str, word: str) -> bool:
    """Tell whether an unknown word can only be the name of the whole schema ("the Sales graph", "in AdventureWorks")."""
    import re

    from headwater.graph._lexicon import LOOSE_NAMES

    name = re.escape(word.lower())
    return (
        re.search(rf"\b{name} {LOOSE_NAMES}\b|\b(?:tables? in|in|of|for|across) {name} ?(?:[?.,!]|$)", text)
        is not None
    )


def _settle(graph: SchemaGraph, queries: list[Query]) -> GraphAnswer:
    """Compute the readings and answer if they leave no doubt.

    A reading marked "?" is a fallback: it counts only if the one before it comes to nothing.
    """
    from headwater.graph._evaluate import Evaluator

    evaluator, labels = Evaluator(graph), labels_of(graph)
    settled: list[tuple[Query, Result]] = []
    refusals: list[Unclear] = []
    for query in queries:
        if query.semantics.startswith("?") and settled and settled[-1][1].answer not in ([], 0):
            continue
        try:
            result = evaluator.run(query)
        except Unclear as unclear:
            refusals.append(unclear)
            continue
        if query.semantics.startswith("?"):
            settled.clear()
        settled.append((query, result))
    if not settled:
        raise refusals[0]
    # "which raw tables …" takes for granted that there are some: a reading that finds none is not the one meant
    settled = [s for s in settled if s[1].answer != []] or settled
    query, result = settled[0]
    _doubt_emptiness(evaluator, query, result)
    if any(other.answer != result.answer for _, other in settled[1:]):
        readings = "; or: ".join(dict.fromkeys(r.reading for _, r in settled))
        raise Unclear(f"The wording leaves open what is meant, and the answers differ. Either: {readings}.")
    return _answer(query, result, labels)


def _doubt_emptiness(evaluator: Evaluator, query: Query, result: Result) -> None:
    """Refuse an empty layer of one direction of lineage where the other direction has tables of it."""
    opposite = _OPPOSITE.get(query.semantics.removeprefix("?"))
    if result.answer or opposite is None or not query.scope.layers:
        return
    other = evaluator.run(Query(opposite, query.args, query.scope))
    if other.answer:
        raise Unclear(
            f"There are no {result.reading}. There are {len(other.answer)} {other.reading}: is that what is meant?"
        )


_OPPOSITE = {
    "lineage.descendants": "lineage.ancestors",
    "lineage.direct_targets": "lineage.ancestors",
    "lineage.ancestors": "lineage.descendants",
    "lineage.direct_sources": "lineage.descendants",
}


def _answer(query: Query, result: Result, labels: Labels) -> GraphAnswer:
    args = {key: value for key, value in query.args.items() if not isinstance(value, Scope)}
    semantics = query.semantics.removeprefix("?")
    scope = query.scope
    if scope.layers and "layer" not in args and len(scope.layers) == 1:
        args["layer"] = min(scope.layers)
        semantics = semantics if semantics.startswith(("group.", "layer.")) else _at_layer(semantics)
    if scope.groups and "group" not in args and len(scope.groups) == 1:
        args["group"] = min(scope.groups)
    if scope.prefixes:
        args["within"] = sorted(prefix.rstrip(".") for prefix in scope.prefixes)
    if query.shape == "count" and not semantics.endswith("size") and "count" not in semantics:
        semantics = f"count:{semantics}"
    return GraphAnswer(
        "answered", result.answer, result.answer_type, semantics, args, result.reading, _prove=result.proof
    )


def _at_layer(semantics: str) -> str:
    name, bracket, rest = semantics.partition("(")
    return f"{name}@layer{bracket}{rest}"
