"""An answer with its proof."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Literal

from headwater.text import clean_text, visible

if TYPE_CHECKING:
    from headwater.answers._replay import Replay
    from headwater.lake import Lake

Status = Literal["answered", "abstained", "failed"]
Verification = Literal["replayed", "agreed by two", "quoted", "unverified"]

SHOWN_EVIDENCE = 8
"""Pieces of evidence in a notebook and in a terminal."""

SHOWN_TEXT = 300
"""Characters of a quote in a notebook."""


@dataclass(frozen=True, slots=True)
class Program:
    """What computes the value: its language and its source."""

    language: str
    source: str

    def to_dict(self) -> dict[str, str]:
        """Return the JSON object."""
        return {"language": self.language, "source": self.source}


@dataclass(frozen=True, slots=True)
class Evidence:
    """One place that proves the value.

    Attributes:
        document: id or path of the document.
        kind: "cell", "row", "page", "sentence" or "edge".
        locator: {"row", "column"}, {"page", "box"}, {"start", "end"} or {"edge"}.
        quote: what stands there.
    """

    document: str
    kind: str
    locator: dict[str, Any]
    quote: str

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {"document": self.document, "kind": self.kind, "locator": self.locator, "quote": self.quote}


@dataclass(slots=True)
class Answer:
    """An answer, or why there is none. The fields are those of `headwater ask --json`.

    Attributes:
        question: as asked.
        status: answered, abstained or failed.
        value: a JSON value, or a list of several; None if there is none.
        text: one or two sentences for people.
        reading: how the question was understood.
        program: what computed the value.
        inputs: documents with the hash of their bytes.
        evidence: places that prove the value.
        diagnostics: {kind, level, message} of what was noticed on the way.
        assumptions: what was taken for granted.
        verification: how far the value was checked.
        found: documents that were considered, for an answer that was not given.
        missing: what it would take.
        usage: calls, tokens, money and seconds.
    """

    question: str
    status: Status
    value: Any = None
    text: str = ""
    reading: str = ""
    program: Program | None = None
    inputs: list[dict[str, str]] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    diagnostics: list[dict[str, Any]] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    verification: Verification = "unverified"
    stop_reason: str = "answer"
    usage: dict[str, Any] = field(default_factory=dict)
    trace: str = ""
    found: list[str] = field(default_factory=list)
    missing: str = ""
    _lake: Lake | None = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the object of the JSON contract, without `schema` and `ok`."""
        return {
            "question": self.question,
            "status": self.status,
            "value": self.value,
            "text": self.text,
            "reading": self.reading,
            "program": self.program.to_dict() if self.program else None,
            "inputs": self.inputs,
            "evidence": [e.to_dict() for e in self.evidence],
            "diagnostics": self.diagnostics,
            "assumptions": self.assumptions,
            "verification": self.verification,
            "stop_reason": self.stop_reason,
            "usage": {"calls": 0, "input_tokens": 0, "output_tokens": 0, "usd": 0.0, "seconds": 0.0}
            | self.usage,
            "trace": self.trace or None,
            "found": self.found,
            "missing": self.missing,
        }

    @property
    def places(self) -> dict[str, list[str]]:
        """The evidence for people, by document: where in it, and what stands there; cells of one row on one line."""
        found: dict[str, dict[str, list[str]]] = {}
        for piece in self.evidence:
            told, locator = (
                piece.quote,
                {k: v for k, v in piece.locator.items() if v is not None and k != "edge"},
            )
            if column := locator.pop("column", None):
                told = f"{column} = {told}"
            place = ", ".join(f"{k} {v}" for k, v in locator.items())
            found.setdefault(piece.document, {}).setdefault(place, []).append(told)
        return {
            document: [f"{place}: {', '.join(told)}" for place, told in lines.items() if place]
            + lines.get("", [])
            for document, lines in found.items()
        }

    def replay(self, lake: Lake | None = None) -> Replay:
        """Compute the value again from its program and compare.

        Args:
            lake: where its documents are; if left out, the lake that was asked.
        """
        from headwater.answers._replay import replay

        return replay(self.to_dict(), lake or self._lake)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        shown, left = 0, 0
        rows = []
        for document, lines in self.places.items():
            for line in lines:
                shown += 1
                if shown <= SHOWN_EVIDENCE:
                    rows.append(f"<tr><td>{escape(_line(document))}</td><td>{escape(_line(line))}</td></tr>")
        left = shown - SHOWN_EVIDENCE
        more = f"<tr><td></td><td>… {left} more</td></tr>" if left > 0 else ""
        notes = [str(n.get("message", "")) for n in self.diagnostics if n.get("level") == "warning"]
        parts = [
            f"<p><b>{escape(_line(self.text))}</b></p>",
            *(f"<p>Assumed: {escape(_line(a))}</p>" for a in self.assumptions),
            *(f"<p>Warning: {escape(_line(n))}</p>" for n in notes),
            f"<p>Read as: {escape(_line(self.reading))}</p>" if self.reading else "",
            f"<table><tr><th>document</th><th>what stands there</th></tr>{''.join(rows)}{more}</table>"
            if rows
            else "",
            f"<pre>{escape(visible(self.program.source, lines=True))}</pre>" if self.program else "",
            f"<p>Verification: {escape(self.verification)}</p>" if self.status == "answered" else "",
        ]
        return "".join(parts)


def _line(text: str) -> str:
    return clean_text(text, one_line=True, limit=SHOWN_TEXT)


def show(value: Any) -> str:
    """Return a value as people read it."""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
