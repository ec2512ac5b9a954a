"""What looking for words in documents gives, as text: how often a word stands there, which sentences hold most words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater.tools._brief import Brief
from headwater.tools._passages import words_of
from headwater.tools._quoting import line_of, quote

if TYPE_CHECKING:
    from headwater.tools._several import Findings, FoundIn

FEW, NAMED = 6, 12
"""Documents up to which a counted word comes with a sentence; names of documents that are listed without one."""

CHARACTERS = 2_000
"""Characters of all sentences."""


def told_findings(found: Findings, brief: Brief) -> str:
    """Return how often words stand in documents, and the sentences that hold most of them.

    One word is counted; of several the sentences count, and documents that hold fewer of the words are only named.
    """
    lines = _counted(found, brief) if len(found.find.split()) == 1 else _quoted(found, brief)
    lines += [f"{line_of(name)}: {line_of(why)}" for name, why in found.failed]
    if found.without:
        lines.append(f"{found.without:,} more documents hold none of it")
    if found.apart:
        lines.append(f"texts there that do not fit the pattern: {_named(found.apart, brief, FEW)}")
    if found.unread:
        lines.append(f"{found.unread:,} more documents fit and were not looked through: narrow the pattern")
    return "\n".join(lines)


def _counted(found: Findings, brief: Brief) -> list[str]:
    """Return the lines of one word: its counts, with sentences where the documents are few."""
    held = sorted((d for d in found.documents if d.parts), key=lambda d: (-d.whole, -d.parts))
    near = [d for d in found.documents if not d.parts and d.passages][:FEW] if not held else []
    none = [d.document for d in found.documents if not d.parts and d not in near]
    if len(held) > FEW:
        counts = (f"{brief.names.of(d.document)} {d.whole}" + _longer(d, " ({})") for d in held)
        lines = [f"times as a whole word (in brackets: with longer words): {', '.join(counts)}"]
    else:
        lines = [
            f"{brief.names.of(d.document)}: {d.whole} time{'' if d.whole == 1 else 's'}"
            f"{_longer(d, ' ({} with longer words)')} {_said(d)}".rstrip()
            for d in held
        ]
    lines += [f"{brief.names.of(d.document)}: 0 times; another form: {_said(d)}" for d in near]
    return [*lines, *([f"0 times: {_named(none, brief)}"] if none else [])]


def _quoted(found: Findings, brief: Brief) -> list[str]:
    """Return the lines of several words: the documents with most of them, with their sentences, then the others."""
    held = [d for d in found.documents if d.passages]
    held.sort(key=lambda d: (-d.words, -bool(d.whole), -d.passages[0].score))
    most, asked = max((d.words for d in held), default=0), len(words_of(found.find))
    near = [d for d in held if d.words == most]
    lines, used = (
        [f"no sentence holds more than {most} of the {asked} words"] if 0 < 2 * most < asked else [],
        0,
    )
    for number, d in enumerate(near):
        lacks = f" (nowhere there: {line_of(', '.join(d.missing))})" if d.missing else ""
        line = f"{brief.names.of(d.document)}: {_said(d)}{lacks}"
        if used and used + len(line) > CHARACTERS:
            lines.append(f"[{number} of {len(near)} documents shown; narrow the names or the words]")
            break
        lines.append(line)
        used += len(line) + 1
    less = [d.document for d in held if d.words < most]
    none = [d.document for d in found.documents if not d.passages]
    lines += [f"less fitting: {_named(less, brief)}"] if less else []
    return [*lines, *([f"no match: {_named(none, brief)}"] if none else [])]


def _longer(d: FoundIn, form: str) -> str:
    return form.format(d.parts) if d.parts != d.whole else ""


def _said(d: FoundIn) -> str:
    return " ".join(quote(p.text) for p in d.passages)


def _named(documents: Sequence[str], brief: Brief, limit: int = NAMED) -> str:
    more = f" … {len(documents)} in all" if len(documents) > limit else ""
    return ", ".join(map(brief.names.of, documents[:limit])) + more
