"""The tools around the sandbox: copy documents into the code's folder, run code there, say what holds."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any

from headwater.errors import LimitError, UsageError
from headwater.tools._lake import TOOLS
from headwater.tools._names import matching
from headwater.tools._quoting import line_of

if TYPE_CHECKING:
    from headwater.sandbox import CodeResult
    from headwater.tools._session import Session

MAX_FILES = 40
OUTPUT = 2_400
"""Characters of printed output that are told; the whole is kept under the handle."""


@dataclass(frozen=True, slots=True)
class CodeOutcome:
    """What a piece of code printed and gave, what confined it, and the documents it had."""

    outcome: CodeResult
    layers: dict[str, Any]
    documents_used: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        body = self.outcome.to_dict()
        body["files"] = [{"name": f["name"], "bytes": f["bytes"]} for f in body["files"]]
        return {**body, "sandbox": self.layers["tier"], "canary": self.layers}

    def plain(self) -> str:
        """Return output and value as text."""
        printed = "\n".join(line_of(x) for x in self.outcome.output.rstrip().split("\n"))
        if len(printed) > OUTPUT:
            printed = f"{printed[:OUTPUT]}\n[{OUTPUT:,} of {len(printed):,} characters]"
        value = "" if self.outcome.value is None else f"value: {line_of(self.outcome.value)[:OUTPUT]}"
        return "\n".join(p for p in (printed, value) if p) or "The code printed nothing; print the result."


@dataclass(frozen=True, slots=True)
class Lent:
    """Documents that code finds in its folder: name of the file → document."""

    files: dict[str, str]
    tier: str = ""
    layers: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        listed = [{"name": n, "document": d} for n, d in self.files.items()]
        return {"files": listed, **({"sandbox": self.layers} if self.layers else {})}

    def plain(self) -> str:
        """Return the names as text."""
        told = "\n".join(f"{line_of(n)} = {line_of(d)}" for n, d in self.files.items())
        return (f"sandbox: {self.tier}\n" if self.tier else "") + (
            told or "No file is lent yet; download DOCUMENT lends one."
        )


@TOOLS.add("run_code", "Run Python over documents", needs="session")
def run_code(
    session: Session,
    *,
    code: Annotated[str, "Python; pandas, numpy, polars and duckdb can be imported; print what you need"],
    files: Annotated[
        list[str] | None, "documents of the lake, or patterns with *; they lie beside the code by file name"
    ] = None,
    seconds: Annotated[float, "time at most"] = 20.0,
) -> Any:
    """Run Python in a sandbox without network, over documents of the lake; for what SQL cannot say."""
    from headwater.sandbox import CodeLimits, Sandbox

    names = lent_names([*session.downloads, *_resolved(session, files or [])])
    with copies(session, names) as paths, Sandbox(paths, CodeLimits(seconds=seconds)) as box:
        outcome = box.run(code)
        if outcome.error:
            raise outcome.error
        return CodeOutcome(outcome, dict(box.layers), tuple(names.values()))


@TOOLS.add("download", "Lend documents to code", needs="session")
def download(
    session: Session, *, documents: Annotated[list[str], "documents of the lake, or patterns with *"]
) -> Any:
    """Lend documents to all later run_code calls of this session; says under which file names they lie there."""
    added = _resolved(session, documents)
    session.downloads += [d for d in added if d not in session.downloads]
    names = lent_names(session.downloads)
    return Lent({n: d for n, d in names.items() if d in added})


@TOOLS.add("sandbox_info", "State of the sandbox", needs="session")
def sandbox_info(session: Session) -> Any:
    """List the files that code finds in its folder, and say what confines it on this machine."""
    from headwater.sandbox import Sandbox

    with Sandbox() as box:
        return Lent(lent_names(session.downloads), str(box.layers["tier"]), dict(box.layers))


def _resolved(session: Session, patterns: list[str]) -> list[str]:
    found = dict.fromkeys(d.id for p in patterns for d in matching(session.lake.catalog, p))
    if len(found) > MAX_FILES:
        raise LimitError(f"At most {MAX_FILES} files, not {len(found)}.")
    if any("!" in d for d in found):
        raise UsageError(
            "A member of an archive cannot be lent.", hint="Lend the archive itself; Python can open it."
        )
    return list(found)


def lent_names(documents: Iterable[str]) -> dict[str, str]:
    """Return plain file names for documents, each its own; where two would be equal, the folders come before the name.

    Args:
        documents: ids of documents; one that is named twice is lent once.

    Returns:
        The document of each file name.
    """
    names: dict[str, str] = {}
    plain = {d: PurePosixPath(d).name.lstrip(".") or "document" for d in documents}
    often = Counter(plain.values())
    for document, name in plain.items():
        wanted = name if often[name] == 1 else document.replace("/", "__").lstrip(".")
        free, number = wanted, 1
        while free in names:
            number += 1
            free = f"{number}-{wanted}"
        names[free] = document
    return names


@contextlib.contextmanager
def copies(session: Session, names: dict[str, str]) -> Iterator[dict[str, Path | bytes]]:
    """Lend the files of documents for as long as the context lasts."""
    from headwater.storage import open_storage

    with contextlib.ExitStack() as stack:
        storage = open_storage(session.lake.url, exclude=(session.lake.state,))
        yield {n: stack.enter_context(storage.local_copy(d)) for n, d in names.items()}
