"""LakeQA's own tools, as the paper and its harness define them (arXiv 2606.10460, section 3 and appendix).

A second set beside headwater's, so that the two can be compared on the same lake. They see names and bytes only: no
card, no cell, no index. Differences to the harness: candidates of `search_keyword` come from the lake's own titles and
ids instead of live search services, `download` copies into a folder that the session names, and code runs behind the
walls of headwater's sandbox, in a copy of that folder whose new files are kept.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from headwater.errors import AmbiguousError, HeadwaterError, LimitError, NotFoundError, UsageError
from headwater.tools._lake import FROM_0
from headwater.tools._registry import Registry

if TYPE_CHECKING:
    from headwater.lake import Lake
    from headwater.storage import Storage

LAKEQA_TOOLS = Registry()
"""The baseline tools; their target is a `LakeQaSession`."""

WINDOW_BYTES = 65_536
"""Bytes that `inspect_file` reads from the start of a file."""

MAX_DOWNLOADS = 5
FILES_PER_DATASET = 100
HITS_PER_PREFIX = 50
MIN_PREFIX = 2
DELIMITERS = ",\t|;"


@dataclass(slots=True)
class Answer:
    """Any JSON object."""

    value: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the object."""
        return self.value


class FileName(TypedDict):
    """One file of a dataset."""

    dataset_id: str
    file_path: str


@dataclass(slots=True)
class LakeQaSession:
    """One episode: the lake, its sandbox folder, and what was retrieved and opened (for D_ret and D_acc).

    Attributes:
        lake: an opened lake.
        sandbox: an existing folder for downloads, the session's own.
        retrieved: dataset ids that a search tool returned.
        accessed: dataset ids passed to list_files, inspect_file or download.
        submitted: the submitted answer, or None.
        downloaded: path in the sandbox → document.
        code_seconds: time that one piece of code may take.
    """

    lake: Lake
    sandbox: Path
    retrieved: set[str] = field(default_factory=set)
    accessed: set[str] = field(default_factory=set)
    submitted: dict[str, Any] | None = None
    downloaded: dict[str, str] = field(default_factory=dict)
    code_seconds: float = 450.0
    _storage: Storage | None = None

    @property
    def storage(self) -> Storage:
        """The lake's bytes, opened at first use."""
        if self._storage is None:
            from headwater.storage import open_storage

            self._storage = open_storage(self.lake.url, exclude=(self.lake.state,))
        return self._storage

    def datasets(self) -> Iterator[tuple[str, str]]:
        """Yield (namespace, bare dataset id); a dataset in no folder has the namespace ""."""
        for dataset in self.lake.catalog.dataset_sizes():
            namespace, _, bare = dataset.rpartition("/")
            yield namespace, bare

    def resolve(self, dataset_id: str) -> str:
        """Return the full id of a bare one.

        Raises:
            NotFoundError: no namespace has it.
            AmbiguousError: several have it.
        """
        found = [
            f"{n}/{d}".strip("/") for n, d in self.datasets() if d == dataset_id or f"{n}/{d}" == dataset_id
        ]
        if not found:
            raise NotFoundError(f"unknown dataset_id {dataset_id!r}")
        if len(found) > 1:
            raise AmbiguousError(f"dataset_id {dataset_id!r} is in several namespaces", nearest=found)
        self.accessed.add(dataset_id.rsplit("/", 1)[-1])
        return found[0]

    def files(self, dataset: str) -> list[tuple[str, int]]:
        """Return (path below the dataset, size) of the files of a dataset, by path."""
        documents = self.lake.catalog.documents(dataset=dataset)
        return [(d.id.removeprefix(f"{dataset}/"), d.size) for d in documents if not d.parent]


@LAKEQA_TOOLS.add("search", "Prefix search", needs="lakeqa")
def search(
    session: LakeQaSession,
    *,
    prefixes: Annotated[list[str], "beginnings of dataset ids, case-sensitive, at least two characters each"],
    limit: Annotated[int, "results per namespace and prefix", FROM_0] = HITS_PER_PREFIX,
) -> Answer:
    """Find datasets whose id begins with a prefix."""
    by_prefix: dict[str, list[dict[str, str]]] = {}
    for prefix in prefixes:
        if len(prefix) < MIN_PREFIX:
            raise UsageError(f"prefix {prefix!r} needs at least {MIN_PREFIX} characters")
        found: list[dict[str, str]] = []
        counts: Counter[str] = Counter()
        for namespace, dataset in session.datasets():
            if dataset.startswith(prefix) and counts[namespace] < limit:
                counts[namespace] += 1
                found.append({"dataset_id": dataset, "type": namespace})
        by_prefix[prefix] = found
    return Answer(_results(session, by_prefix))


@LAKEQA_TOOLS.add("search_keyword", "Keyword search", needs="lakeqa")
def search_keyword(
    session: LakeQaSession,
    *,
    keywords: Annotated[list[str], "short tags"],
    limit: Annotated[int, "results per keyword", FROM_0] = 20,
) -> Answer:
    """Find datasets by the overlap of keyword tokens with the tokens of title and id, best first."""
    titles = {d.id: d.title for d in session.lake.catalog.datasets()}
    by_keyword: dict[str, list[dict[str, Any]]] = {}
    for keyword in keywords:
        scored = []
        for namespace, dataset in session.datasets():
            title = titles.get(f"{namespace}/{dataset}".strip("/"), dataset)
            score = overlap(keyword, f"{title} {dataset}")
            if score > 0:
                scored.append((-score, dataset, title))
        by_keyword[keyword] = [{"title": t, "dataset_id": d} for _, d, t in sorted(scored)[:limit]]
    return Answer(_results(session, by_keyword, "results_by_keyword"))


def overlap(query: str, text: str) -> float:
    """Return 0.8 |Q∩T|/|Q| + 0.2 |Q∩T|/|T| over lower-case runs of letters and digits, 0 if nothing is shared."""
    asked, held = (set(re.findall(r"[^\W_]+", part.lower())) for part in (query, text))
    shared = len(asked & held)
    return 0.8 * shared / len(asked) + 0.2 * shared / len(held) if shared else 0.0


def _results(
    session: LakeQaSession, groups: dict[str, list[Any]], name: str = "results_by_prefix"
) -> dict[str, Any]:
    merged = list({r["dataset_id"]: r for found in groups.values() for r in found}.values())
    session.retrieved |= {r["dataset_id"] for r in merged}
    return {"results": merged, name: groups, "count": len(merged)}


@LAKEQA_TOOLS.add("list_files", "List files", needs="lakeqa")
def list_files(
    session: LakeQaSession,
    *,
    dataset_ids: Annotated[list[str], "datasets"],
    limit: Annotated[int, "files per dataset", FROM_0] = FILES_PER_DATASET,
) -> Answer:
    """List the files of datasets; an unknown or ambiguous id is an error for that id only."""
    files: list[dict[str, Any]] = []
    datasets: dict[str, Any] = {}
    for dataset_id in dataset_ids:
        try:
            found = session.files(session.resolve(dataset_id))
        except HeadwaterError as error:
            datasets[dataset_id] = {"error": error.message}
            continue
        files += [{"path": p, "size": s, "dataset_id": dataset_id} for p, s in found[:limit]]
        datasets[dataset_id] = {"count": len(found), "truncated": len(found) > limit}
    return Answer({"files": files, "datasets": datasets})


@LAKEQA_TOOLS.add("inspect_file", "Inspect a file", needs="lakeqa")
def inspect_file(
    session: LakeQaSession,
    *,
    dataset_id: Annotated[str, "dataset"],
    file_path: Annotated[str, "path below the dataset"],
    max_lines: Annotated[int, "lines sampled", FROM_0] = 5,
) -> Answer:
    """Tell size, delimiter and header of a file from its first 64 KB; no cell or sentence of the content comes back."""
    dataset = session.resolve(dataset_id)
    size = dict(session.files(dataset)).get(file_path)
    if size is None:
        raise NotFoundError(f"no file {file_path!r} in {dataset_id!r}")
    text = session.storage.open_range(f"{dataset}/{file_path}", 0, WINDOW_BYTES).decode("utf-8", "ignore")
    lines = text.splitlines()[:max_lines]
    first = lines[0] if lines else ""
    counts = {d: first.count(d) for d in DELIMITERS}
    delimiter = max(counts, key=lambda d: counts[d]) if any(counts.values()) else None
    keys = _object_keys(first)
    return Answer(
        {
            "size_bytes": size,
            "line_count_sampled": len(lines),
            "looks_like_json": first.lstrip().startswith(("{", "[")),
            "delimiter_guess": delimiter,
            "header_columns": [c.strip() for c in first.split(delimiter)]
            if delimiter and keys is None
            else None,
            "json_keys": keys,
        }
    )


def _object_keys(line: str) -> list[str] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return list(value) if isinstance(value, dict) else None


@LAKEQA_TOOLS.add("download", "Download files", needs="lakeqa", read_only=False)
def download(
    session: LakeQaSession,
    *,
    files: Annotated[list[FileName], "at most five, each with its dataset and its path below it"],
) -> Answer:
    """Copy at most five files into the sandbox folder."""
    if len(files) > MAX_DOWNLOADS:
        raise LimitError(f"at most {MAX_DOWNLOADS} files in one call")
    downloaded, errors = [], []
    for file in files:
        dataset_id, file_path = file["dataset_id"], file["file_path"]
        try:
            dataset = session.resolve(dataset_id)
            size = dict(session.files(dataset)).get(file_path)
            if size is None:
                raise NotFoundError(f"no file {file_path!r} in {dataset_id!r}")
            target = session.sandbox / dataset_id.rsplit("/", 1)[-1] / file_path
            target.parent.mkdir(parents=True, exist_ok=True)
            with session.storage.local_copy(f"{dataset}/{file_path}") as source:
                shutil.copyfile(source, target)
        except HeadwaterError as error:
            errors.append({"dataset_id": dataset_id, "file_path": file_path, "error": error.message})
            continue
        local = target.relative_to(session.sandbox).as_posix()
        session.downloaded[local] = f"{dataset}/{file_path}"
        downloaded.append(
            {"local_path": local, "file_path": file_path, "dataset_id": dataset_id, "size": size}
        )
    return Answer({"downloaded": downloaded, "sandbox_dir": ".", "errors": errors})


@LAKEQA_TOOLS.add("execute_code", "Run Python", needs="lakeqa", read_only=False)
def execute_code(
    session: LakeQaSession,
    *,
    code: Annotated[str, "Python; only what it prints comes back"],
) -> Answer:
    """Run Python in the sandbox folder without network; pandas (pd), json, csv, os, glob, re, Path, SANDBOX_DIR and FILES are there."""
    from headwater.sandbox import CodeLimits, Sandbox

    held = _sandbox_files(session)
    flat = {local if "/" not in local else f"lent-by-headwater-{n}": local for n, local in enumerate(held)}
    lent: dict[str, Path | bytes] = {name: session.sandbox / local for name, local in flat.items()}
    moves = {name: local for name, local in flat.items() if name != local}
    setup = _SETUP.format(moves=moves, files=list(held))
    with Sandbox(lent, CodeLimits(seconds=session.code_seconds)) as box:
        result = box.run(code, setup=setup)
        for name, path in result.files.items():
            shutil.copyfile(path, session.sandbox / name)
    told: dict[str, Any] = {"output": result.output, "success": result.error is None}
    if result.error:
        told |= {"error": result.error.message, "traceback": result.error.where}
    files = _sandbox_files(session)
    return Answer(
        {**told, "files": list(files), "dataset_ids": sorted({f.split("/")[0] for f in files if "/" in f})}
    )


_SETUP = """
import csv, glob, json, os, re
from pathlib import Path
for _flat, _place in {moves!r}.items():
    os.makedirs(os.path.dirname(_place), exist_ok=True)
    os.replace(_flat, _place)
SANDBOX_DIR, FILES = ".", {files!r}
try:
    import pandas as pd
except ImportError:
    pass
"""


def _sandbox_files(session: LakeQaSession) -> dict[str, int]:
    """Return the files of the sandbox with their sizes, by path in it."""
    files = sorted(p for p in session.sandbox.rglob("*") if p.is_file())
    return {p.relative_to(session.sandbox).as_posix(): p.stat().st_size for p in files}


@LAKEQA_TOOLS.add("get_sandbox_info", "Files in the sandbox", needs="lakeqa")
def get_sandbox_info(session: LakeQaSession) -> Answer:
    """List the files in the sandbox folder with their sizes."""
    return Answer({"files": [{"path": p, "size": size} for p, size in _sandbox_files(session).items()]})


@LAKEQA_TOOLS.add("submit_answer", "Submit the answer", needs="lakeqa", read_only=False)
def submit_answer(
    session: LakeQaSession,
    *,
    answer: Annotated[str, "the value, in square brackets"],
    reasoning: Annotated[str, "how it was found"] = "",
    sources: Annotated[list[str] | None, "files it rests on"] = None,
) -> Answer:
    """End the episode with an answer."""
    session.submitted = {"answer": answer, "reasoning": reasoning, "sources": sources or []}
    return Answer({"submitted": True})
