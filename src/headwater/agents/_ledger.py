"""What the explorer is shown each round: its notes, and every candidate with what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headwater.tools import Session

PENDING = 14
"""Pending documents that are named; the number of all is told."""

_NOTE = 240
_NOTES = 8


@dataclass(slots=True)
class Ledger:
    """Candidates of one question: pending, opened, or set aside with a reason.

    Attributes:
        pending: documents that were found and not looked into, in order of finding.
        opened: documents that were looked into.
        aside: document → reason.
        notes: the model's last notes: known, missing, next.
    """

    pending: list[str] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    aside: dict[str, str] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)

    def found(self, documents: Iterable[str]) -> None:
        """Enter documents that a search returned."""
        for document in documents:
            if document not in self.pending and document not in self.opened and document not in self.aside:
                self.pending.append(document)

    def open(self, documents: Iterable[str]) -> None:
        """Mark documents as opened."""
        for document in documents:
            if document in self.pending:
                self.pending.remove(document)
            self.aside.pop(document, None)
            if document not in self.opened:
                self.opened.append(document)

    def note(self, notes: Mapping[str, Any], session: Session) -> None:
        """Take in the notes of one round; what does not fit the form is passed over."""
        for name in ("known", "missing", "next"):
            given = notes.get(name)
            if isinstance(given, str):
                given = [given]
            if isinstance(given, list):
                self.notes[name] = [str(g)[:_NOTE] for g in given[:_NOTES]]
        aside = notes.get("set_aside")
        for item in aside if isinstance(aside, list) else []:
            told: dict[str, Any] = item if isinstance(item, dict) else {"document": item}
            why = told.get("reason")
            document = self._resolve(str(told.get("document")), session)
            if document:
                self.aside[document] = str(why or "no reason given")[:_NOTE]
                if document in self.pending:
                    self.pending.remove(document)

    def _resolve(self, name: str, session: Session) -> str | None:
        bare = name.removeprefix("t('").removesuffix("')").split("#")[0]
        known = [*self.pending, *self.opened]
        return next((d for d in known if bare in (d, session.brief.names.of(d))), None)

    def told(self, session: Session) -> str:
        """Return the state in words for the model."""
        names = session.brief.names
        lines = []
        for name, title in (("known", "Known"), ("missing", "Missing"), ("next", "Next")):
            if self.notes.get(name):
                lines.append(f"{title}: {'; '.join(self.notes[name])}")
        if self.opened:
            lines.append(f"Opened: {', '.join(names.of(d) for d in self.opened[-PENDING:])}")
        if self.pending:
            more = f" … {len(self.pending)} in all" if len(self.pending) > PENDING else ""
            lines.append(f"Pending: {', '.join(names.of(d) for d in self.pending[:PENDING])}{more}")
        if self.aside:
            lines.append(
                "Set aside: " + "; ".join(f"{names.of(d)} ({r})" for d, r in list(self.aside.items())[-6:])
            )
        neighbours = [j for d in self.opened[-2:] if (j := session.brief.joins(d))]
        lines += [f"For the next hop, {j}" for j in neighbours]
        series = {r.series for d in self.opened if (r := session.lake.catalog.document(d)) and r.series}
        lines += [x for s in sorted(series)[:2] if (x := session.brief.series(s))]
        return "\n".join(lines)
