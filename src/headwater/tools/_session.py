"""A session: one question, its tools, and the trace in which every call is kept."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.errors import HeadwaterError, UsageError
from headwater.text import visible
from headwater.tools._brief import Brief
from headwater.tools._findings import told_findings
from headwater.tools._hits import ASKED, told_searches
from headwater.tools._names import ShortNames
from headwater.tools._plain import PLAIN, told_error
from headwater.tools._quoting import clip, quote
from headwater.tools._registry import Registry
from headwater.tools._several import Findings, Several

if TYPE_CHECKING:
    from headwater.lake import Lake
    from headwater.trace import Trace

LONGEST_OUTPUT = 4_000
"""Characters of one output at most; the rest is read by its handle. LakeQA's harness cuts there too."""

MOST_READ = 1_000
"""Documents of a series that are entered as read by one query."""

SESSION_HITS = 12
"""Hits of a query, where the caller does not say how many."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a call gave.

    Attributes:
        text: as shown, at most `LONGEST_OUTPUT` characters.
        result: the result, or None if the call failed.
        error: why it failed.
        handle: under which the full result is kept, or "".
    """

    text: str
    result: Any = None
    error: HeadwaterError | None = None
    handle: str = ""
    touched: Touched = field(default_factory=lambda: Touched())


@dataclass(slots=True)
class Touched:
    """Documents that a call brought up, and those that it looked into."""

    retrieved: list[str] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)


class Session:
    """Tools over one lake; with a trace every call is recorded.

    Args:
        lake: an opened lake.
        trace: where to record, or None.
        registry: the tools; those that need a session get this object, the others the lake.

    Attributes:
        downloads: documents that code finds in its folder.
    """

    def __init__(self, lake: Lake, trace: Trace | None = None, registry: Registry | None = None) -> None:
        from headwater.tools._lake import TOOLS

        self.lake, self.trace = lake, trace
        self.registry = registry or TOOLS
        self.brief = Brief(lake, ShortNames(lake.catalog))
        self.downloads: list[str] = []
        self.graph: Any = None
        for event in trace.events() if trace else ():
            self.brief.described.update(event.get("described") or ())
            self.brief.known.update([*(event.get("quoted") or ()), *(event.get("led") or ())])
            self.downloads += [d for d in event.get("downloads") or () if d not in self.downloads]

    def call(self, name: str, arguments: Mapping[str, Any], *, whole: bool = False) -> Observation:
        """Call a tool, tell its result briefly, and record it; an error of the call is told, not raised.

        Args:
            name: of the tool.
            arguments: as its schema says.
            whole: the caller shows the whole JSON object instead of the brief text.
        """
        began, before, lent = time.monotonic(), set(self.brief.described), len(self.downloads)
        self.brief.quoted, self.brief.led = [], []
        given, result, error = dict(arguments), None, None
        try:
            result = self._run(name, given)
            text = self.tell(name, result)
        except HeadwaterError as failure:
            error, text = failure, told_error(failure)
        text, seconds = visible(text, lines=True), time.monotonic() - began
        body = _stored(result, error)
        handle = self.trace.keep(body) if self.trace else ""
        shown = body if whole else bounded(text, handle)
        self.brief.known.update(self.brief.quoted)
        touched = self.touched(name, result)
        touched.retrieved += [d for d in self.brief.led if d not in touched.retrieved]
        if self.trace:
            self.trace.append(
                "call", tool=name, arguments=given, ok=error is None, handle=handle, characters=len(shown),
                seconds=round(seconds, 3), retrieved=touched.retrieved, opened=touched.opened,
                retrieved_datasets=self.datasets(touched.retrieved), opened_datasets=self.datasets(touched.opened),
                described=sorted(self.brief.described - before), quoted=list(dict.fromkeys(self.brief.quoted)), led=self.brief.led,
                downloads=self.downloads[lent:],
                **({"error": error.to_dict()} if error else {}),
            )  # fmt: skip
        return Observation(shown, result, error, handle, touched)

    def _run(self, name: str, arguments: dict[str, Any]) -> Any:
        document = arguments.get("document")
        if name == "read" and self.trace and isinstance(document, str) and document.startswith("@"):
            return _Stored(document, self.trace.result(document), int(arguments.get("offset") or 0))
        tool = self.registry[name]
        if name == "search" and "k" not in arguments:
            arguments = {**arguments, "k": SESSION_HITS}
        target = {"lake": self.lake, "session": self, "graph": self.graph}.get(tool.needs)
        if target is None:
            raise UsageError(f"{name} needs a {tool.needs}, and there is none here.")
        return tool.call(target, arguments)

    def tell(self, name: str, result: Any) -> str:
        """Return a result as brief plain text."""
        if name == "search":
            several = isinstance(result, Several)
            asked, found = (result.asked, result.results) if several else (("",), (result,))
            return told_searches(asked, found, self.brief)
        if isinstance(result, Several):
            parts = []
            for n, (asked, one) in enumerate(zip(result.asked, result.results, strict=True), 1):
                text = told_error(one) if isinstance(one, HeadwaterError) else self.tell(name, one)
                parts.append(f"== {n if name == 'sql' else clip(asked, ASKED)}\n{text}")
            return "\n".join(parts)
        if isinstance(result, Findings):
            return told_findings(result, self.brief)
        if isinstance(result, _Stored):
            return result.text
        plain = PLAIN.get(name)
        if plain is not None:
            return plain(result, self.brief)
        told = getattr(result, "plain", None)
        return told() if callable(told) else json.dumps(result.to_dict(), ensure_ascii=False, default=str)

    def touched(self, name: str, result: Any) -> Touched:
        """Return which documents a call brought up and looked into."""
        out = Touched()
        parts = result.results if isinstance(result, Several) else [result]
        for part in parts:
            if part is None or isinstance(part, HeadwaterError | _Stored):
                continue
            if name == "search":
                out.retrieved += [d for h in part.hits for d in (h.document, *part.series.get(h.series, []))]
            elif isinstance(part, Findings):
                out.opened += [
                    d.document for d in part.documents if d.parts or d.passages or not part.without
                ]
            elif name == "sql":
                out.opened += self.documents_read(part.sql, part.tables)
            elif name == "list" and hasattr(part, "documents"):
                out.retrieved += [d.id for d in part.documents.items]
            elif name in ("inspect", "related", "read"):
                document = part.document if isinstance(part.document, str) else part.document.id
                place = part.columns.index("_document") if _is_series(document) else -1
                out.opened += [str(r[2][place]) for r in part.rows] if _is_series(document) else [document]
            out.opened += getattr(part, "documents_used", ())
        return Touched(list(dict.fromkeys(out.retrieved)), list(dict.fromkeys(out.opened)))

    def documents_read(self, statement: str, references: Iterable[str]) -> list[str]:
        """Return the documents that a query read: of a series those whose rows passed its conditions."""
        references, found = list(references), list[str]()
        try:
            narrowed = self.lake.documents_behind(statement) if any(map(_is_series, references)) else {}
        except HeadwaterError:
            narrowed = {}
        for reference in references:
            if _is_series(reference):
                found += (narrowed.get(reference) or series_documents(self.lake, reference))[:MOST_READ]
            else:
                table = self.lake.catalog.table(reference)
                found.append(table.document if table else reference)
        return list(dict.fromkeys(found))

    def datasets(self, documents: Iterable[str]) -> list[str]:
        """Return the datasets of documents, each once."""
        records = (self.lake.catalog.document(d) for d in documents)
        return list(dict.fromkeys(r.dataset for r in records if r is not None))


def _is_series(reference: str) -> bool:
    return reference.startswith("series:")


def series_documents(lake: Lake, reference: str) -> list[str]:
    """Return the documents of a series, named "series:ID"."""
    told = lake.catalog.relations.series(reference.removeprefix("series:"))
    return [m["document"] for m in told["members"]] if told else []


@dataclass(frozen=True, slots=True)
class _Stored:
    """A stretch of an earlier result."""

    handle: str
    body: str
    offset: int

    @property
    def text(self) -> str:
        end = min(len(self.body), self.offset + LONGEST_OUTPUT - 200)
        more = f"; next: --offset {end}" if end < len(self.body) else ""
        return f"{quote(self.body[self.offset : end])} [characters {self.offset:,} to {end:,} of {len(self.body):,}{more}]"

    def to_dict(self) -> dict[str, Any]:
        return {"handle": self.handle, "offset": self.offset, "text": self.text}


def bounded(text: str, handle: str, limit: int = LONGEST_OUTPUT) -> str:
    """Return text of at most `limit` characters: its beginning, its end, and between them what is left out."""
    if len(text) <= limit:
        return text
    where = f"; all of it: read @{handle}" if handle else ""
    head, tail = int(limit * 0.65), int(limit * 0.25)
    return f"{text[:head]}\n[… {len(text) - head - tail:,} of {len(text):,} characters left out{where} …]\n{text[-tail:]}"


def _stored(result: Any, error: HeadwaterError | None) -> str:
    body = error.to_dict() if error else result.to_dict()
    return json.dumps(body, ensure_ascii=False, default=str)


def session_folder(lake: Lake) -> Path:
    """Return where the traces of a lake's sessions live."""
    return lake.state / "traces"
