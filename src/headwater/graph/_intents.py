"""From a question in canonical form to typed queries; what the wording leaves open becomes several readings or a refusal."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from headwater.graph import _lexicon as lexicon
from headwater.graph._direction import direction_of
from headwater.graph._labels import Labels, Scope
from headwater.graph._mentions import Mentions
from headwater.graph._phrases import TAGS


@cache
def _tag(tag: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(TAGS[tag])})(?!\w)")


_YES_NO = r"^(?:is|are|does|do|did|can|could|will|would|has|have) T1\b(?!.*\b(?:which|what|list|name|show|who|give)\b)"
_YES_NO_KINDS = (
    "fk.directed",
    "fk.edge",
    "edge.",
    "component.",
    "lineage.reaches",
    "lineage.directed",
    "impact.reaches",
    "group.",
)
_NEGATION = re.compile(r"\b(?:not|never|no longer|nor|neither|none|nothing|no|without|outside|elsewhere)\b")


@dataclass(frozen=True)
class Query:
    """One exact question.

    Attributes:
        semantics: what is computed.
        args: tables and options of it.
        scope: restriction of a list.
        shape: "list" or "count" for sets; "" where the semantics alone decide.
        note: added to the reading.
    """

    semantics: str
    args: dict[str, Any] = field(default_factory=dict)
    scope: Scope = Scope()
    shape: str = "list"
    note: str = ""


class Unclear(Exception):
    """The question cannot be read one way; the message says what is missing."""


@dataclass
class Context:
    """What the rules look at: canonical text without harmless negations, tags, mentions, labels."""

    mentions: Mentions
    labels: Labels
    has_rows: bool
    text: str = ""
    negated: bool = False
    _known: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        raw = self.mentions.text
        only = {tag for tag in ("ONLY_FK", "ONLY_LINEAGE") if _tag(tag).search(raw)}
        if len(only) > 1 or not self.mentions.tables:
            only = set()  # "no keys and no lineage", "tables without a key": not a choice of edges
        text = raw
        for tag in sorted(only):
            text = _tag(tag).sub(lambda m: re.sub(r"\b(?:not|no|without)\b", "ignoring", m.group()), text)
        itself = (lexicon.EXCEPT_ITSELF,) if len(self.mentions.tables) == 1 else ()
        for pattern in (*lexicon.HARMLESS_NEGATIONS, *itself):
            text = re.sub(rf"\b(?:{pattern})", " ", text)
        text = re.sub(r"\( (?:[LD]\d+(?: (?:,|and|or|/|&|-) )?){2,} ?\)", " ", text)
        text = re.sub(r"\( ?,? ?\)", " ", text)
        self.text = re.sub(r"\s+", " ", text).strip()
        self._known = {tag: tag in only for tag in ("ONLY_FK", "ONLY_LINEAGE")}
        self.negated = bool(_NEGATION.search(self.text))

    def has(self, *tags: str) -> bool:
        """Tell whether all tags are there."""
        return all(map(self._holds, tags))

    def any(self, *tags: str) -> bool:
        """Tell whether one of the tags is there."""
        return any(map(self._holds, tags))

    def _holds(self, tag: str) -> bool:
        if tag not in self._known:
            self._known[tag] = _tag(tag).search(self.text) is not None
        return self._known[tag]

    def says(self, pattern: str) -> bool:
        """Tell whether the text matches."""
        return re.search(pattern, self.text) is not None

    def scope(self, codes: list[str] | None = None) -> Scope:
        """Return the restriction that the given codes (by default all in the text) add up to."""
        codes = re.findall(r"\b[LGSD]\d+\b", self.text) if codes is None else codes
        parts = [self.mentions.scopes[code] for code in codes]
        return Scope(
            *(frozenset().union(*(getattr(p, name) for p in parts)) for name in Scope.__dataclass_fields__)
        )

    @property
    def shape(self) -> str:
        """Whether a set is asked for as a list or as a number; "is there any" is answered by the list, which says more."""
        return "count" if self.has("COUNT") and not self.has("LISTS_TABLES_OF_T") else "list"

    def edges(self, default: str) -> str:
        """Return the edge kinds that the wording asks for."""
        if self.has("ONLY_LINEAGE"):
            return "lineage"
        if self.has("ONLY_FK"):
            return "fk"
        if self.has("EITHER_KIND"):
            return "fk+lineage"
        fk = self.says(r"\bfk\b|\bkeys?\b|\bjoin\w*|\breferenc\w+")
        lineage = self.has("LINEAGE_EDGES")
        if fk and lineage:
            return "fk+lineage"
        return "fk" if fk else "lineage" if lineage else default


def parse(mentions: Mentions, labels: Labels, has_rows: bool) -> list[Query]:
    """Return the readings of a question, the preferred one first.

    Raises:
        Unclear: none of the rules fits, or something is missing.
    """
    from headwater.graph import _one_table, _rows_intents, _two_tables, _whole_graph

    context = Context(mentions, labels, has_rows)
    _refuse(context)
    tables = list(mentions.tables)
    if mentions.rows or (has_rows and _rows_intents.applies(context)):
        return _rows_intents.parse(context)
    if context.says(r"\b[GL]\d+\b.*\b[GL]\d+\b") and not tables and _rows_intents.applies(context):
        return _rows_intents.parse(context)
    if not tables:
        return _whole_graph.parse(context)
    if len(tables) == 1:
        queries = _one_table.parse(context)
        if queries[0].shape == "list" and context.says(_YES_NO):
            raise Unclear("This reads as a yes-no question, but only one table was recognised in it.")
        return queries
    queries = _two_tables.parse(context)
    if queries[0].semantics.startswith(_YES_NO_KINDS) and context.has("ASKS_WHAT"):
        raise Unclear(
            "This asks which or what, but is recognised only as a yes-no question; ask it in other words."
        )
    plain_yes_no = context.says(r"^(?:is|are|does|do|did|can|could)\b") and not context.any(
        "ASKS_WHAT", "PATH_WH"
    )
    if queries[0].semantics.startswith("path.shortest") and plain_yes_no:
        raise Unclear(
            "This reads as a yes-no question about a path; ask whether they are connected, or for the path."
        )
    return queries


def _refuse(context: Context) -> None:
    for pattern, about in lexicon.OUT_OF_SCOPE:
        if re.search(pattern, context.text) and not _allowed(context, about):
            raise Unclear(
                f"The question asks about {about}, which the graph of tables, keys and lineage does not answer."
            )
    if context.mentions.missing_label:
        raise Unclear(
            f"No table of this graph is known as one of the kind {context.mentions.missing_label!r}."
        )


def _allowed(context: Context, about: str) -> bool:
    if about == "people":
        return context.says(r"\b(?:which|what)\b.*\b(?:silo|domain|group|area)\b")
    if about == "numbers of rows":
        return bool(context.mentions.rows)
    if about == "rankings":
        return context.says(r"\bat (?:the )?(?:least|most)\b|\bmost tables\b")
    if about == "a given number of steps":
        return context.says(r"\b(?:one|1) (?:step|hop|level|join)s?\b") and not context.says(
            r"\b(?:two|three|four|[2-9]) "
        )
    if about == "the ends of a chain":
        return bool(context.scope().layers)
    if about == "reasons":
        return context.says(r"\bwhich\b|\bwhat\b")
    return False


def split_words(text: str) -> list[str]:
    """Return the words of a canonical text."""
    return text.split()


def flow_query(context: Context, table: str, direction: str) -> list[Query]:
    """Return the readings of a list of lineage sources or targets: one step, any number of steps, or either."""
    scope = context.scope()
    name = context.mentions.tables[table]
    near = "lineage.direct_sources" if direction == "up" else "lineage.direct_targets"
    far = "lineage.ancestors" if direction == "up" else "lineage.descendants"
    if context.has("TRANSITIVE", "DIRECT") and not context.says(r"\btransitively\b|\bnot (?:only|just)\b"):
        order = [near, far]
    elif context.has("TRANSITIVE"):
        order = [far]
    elif context.has("DIRECT"):
        order = [near]
    elif context.has("FAR"):
        order = [far, near]
    else:
        order = [near]
        if scope.layers:
            order.append("?" + far)
    args = {"table": name}
    return [Query(s, args, scope, context.shape) for s in order]


def direction(context: Context, table: str) -> str:
    """Return the direction of the data flow asked for."""
    return direction_of(context.text, table)
