"""Builds datasets of questions from graphs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.bench.dwbench._draft import Draft
from headwater.bench.dwbench._suite import write_questions, write_schema
from headwater.errors import HeadwaterError, UsageError

if TYPE_CHECKING:
    from headwater.graph import SchemaGraph

STYLES = ("auto", "plain", "grouped")


def build_questions(
    sources: Sequence[str],
    out: Path,
    *,
    seed: int = 42,
    name: str | None = None,
    style: str = "auto",
    tier: int = 1,
    scale: float = 1.0,
) -> dict[str, dict[str, int]]:
    """Write a folder a dataset with `questions.jsonl` and `schema.json` (or row lineage); return counts by dataset and kind.

    The sources are one graph, unless one of them is a folder of datasets (folders with `schema.json` each): then each is one.
    Every gold is computed on the graph and then once more by reading the question; where the two disagree nothing is written.

    Args:
        sources: whatever `load_graph` takes.
        out: folder to write to; must be new or empty.
        seed: the same seed gives the same questions.
        name: name of the dataset.
        style: "plain", "grouped" or "auto" (grouped where every table has a group and a layer).
        tier: 1 for questions on tables, 2 for rows (which are made up too).
        scale: Tier 2: the number of rows of every table, times this.

    Raises:
        UsageError: the style is unknown, the graph is empty or lacks what the style needs, or `out` is not empty.
        HeadwaterError: a gold does not come out the same twice.
    """
    if style not in STYLES:
        raise UsageError(f"There is no style {style!r}.", hint=f"Use {', '.join(STYLES)}.")
    fresh_folder(out)
    built = {}
    for dataset, graph in _graphs(sources, name):
        if not graph.tables:
            raise UsageError(f"{dataset} has no tables to ask about.")
        folder = out / dataset if tier == 1 else out / f"{dataset}_rows"
        if tier == 1:
            draft = _tables(Draft(dataset, graph, random.Random(seed)), style)
        else:
            from headwater.bench.dwbench._rows_data import make_rows
            from headwater.bench.dwbench._rows_questions import generate_rows

            rows, parts = make_rows(graph, folder, dataset, seed=seed, scale=scale)
            draft = Draft(dataset, rows, random.Random(seed), tier=2)
            generate_rows(draft, parts)
        wrong = draft.check()
        if wrong:
            raise HeadwaterError(
                f"The gold of {len(wrong)} questions of {dataset} does not come out the same when the question is read: "
                f"{', '.join(wrong[:5])}.",
                hint="Nothing was written; please report it with the schema.",
            )
        folder.mkdir(parents=True, exist_ok=True)
        write_questions(folder / "questions.jsonl", draft.questions)
        if tier == 1:
            write_schema(folder / "schema.json", graph)
        built[dataset] = draft.counts()
    return built


def _tables(draft: Draft, style: str) -> Draft:
    from headwater.bench.dwbench._generate import generate_plain
    from headwater.bench.dwbench._generate_grouped import Grouped

    labelled = all(table.group and table.layer for table in draft.graph.tables.values())
    if style == "grouped" or (style == "auto" and labelled):
        Grouped(draft).generate()
    else:
        generate_plain(draft)
    return draft


def _graphs(sources: Sequence[str], name: str | None) -> list[tuple[str, SchemaGraph]]:
    from headwater.graph import load_graph

    if len(sources) == 1 and (place := Path(sources[0])).is_dir() and not (place / "schema.json").is_file():
        folders = [folder for folder in sorted(place.iterdir()) if (folder / "schema.json").is_file()]
        if folders:
            return [(folder.name, load_graph([str(folder / "schema.json")])) for folder in folders]
    first = Path(sources[0])
    if len(sources) == 1 and (first / "schema.json").is_file():
        return [(name or first.resolve().name, load_graph([str(first / "schema.json")]))]
    plain = first.parent.resolve().name if first.name == "schema.json" else first.stem
    return [(name or plain or "schema", load_graph(list(sources)))]


def fresh_folder(out: Path) -> None:
    """Raise UsageError if a folder to write to has something in it."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is not empty.", hint="Name another folder.")
