"""Speed of search over many passages, as ratios to bare tantivy in the same run.

    python benchmarks/search.py [--passages 200000] [--queries FILE.jsonl] [--grow 10]

Builds two indexes over the same synthetic passages (Zipfian words around 2,000 topics, about 90 words each, ten a
document, ten documents a dataset): headwater's, and a bare tantivy index of the same records. "Bare" is what a few lines
with tantivy do. "The same": any word of the query in any field, the best 50 records, their datasets, snippets of the
first ten; "passages": the ten best of the one field of the passages, with snippets, and no word about datasets. Ratios
are to "the same". Prints medians and 95th percentiles of both, and with `--grow` how both grow when the passages are multiplied.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path

import tantivy

from headwater.search import Card, LocalIndex, Passage, Record, SearchOptions

FIELDS = ("title", "description", "body")
WORDS_A_PASSAGE = 90
PASSAGES_A_DOCUMENT = 10
DOCUMENTS_A_DATASET = 10
OWN_QUERIES = (
    "average class size in elementary schools", "county unemployment rate by year", "rivers with most plastic waste",
    "deaths from heart disease by race and sex", "coal and wind power output of states", "flight delays at airports",
    "women in parliament since 1990", "carbon dioxide measured on a mountain", "salaries of baseball players",
    "gun background checks by month", "volcanic eruptions and their deaths", "household income distribution",
)  # fmt: skip


def vocabulary(size: int, queries: list[str]) -> list[str]:
    """Return words in order of frequency: function words, words of the queries and made-up ones."""
    rng = random.Random(1)
    common = [
        "the",
        "of",
        "and",
        "in",
        "to",
        "a",
        "is",
        "for",
        "by",
        "with",
        "on",
        "from",
        "at",
        "as",
        "number",
        "year",
        "total",
        "per",
    ]
    asked = sorted({w for q in queries for w in re.findall(r"[a-z]+", q.lower())} - set(common))
    parts = [
        "ba",
        "co",
        "di",
        "fe",
        "gra",
        "ho",
        "in",
        "ka",
        "lo",
        "men",
        "no",
        "or",
        "pre",
        "qui",
        "ra",
        "ster",
        "ta",
        "un",
        "ver",
        "zo",
    ]
    made = {"".join(rng.choices(parts, k=rng.randint(2, 4))) for _ in range(2 * size)} - set(asked)
    rest = sorted(made)[: size - len(common) - len(asked)]
    rng.shuffle(rest)
    for word in asked:  # words of queries are spread over the middle ranks
        rest.insert(rng.randint(20, min(8000, len(rest))), word)
    return common + rest


def texts(count: int, words: list[str]) -> Iterator[str]:
    """Yield passages: half general Zipfian words, half from the passage's topic."""
    rng = random.Random(2)
    cumulative = list(accumulate(1 / (rank + 10) for rank in range(len(words))))
    topics = [rng.choices(words[100:], k=60) for _ in range(2000)]
    for n in range(count):
        general = rng.choices(words, cum_weights=cumulative, k=WORDS_A_PASSAGE // 2)
        special = rng.choices(
            topics[n // (PASSAGES_A_DOCUMENT * DOCUMENTS_A_DATASET) % 2000], k=WORDS_A_PASSAGE // 2
        )
        mixed = general + special
        rng.shuffle(mixed)
        yield " ".join(mixed)


def records(count: int, words: list[str]) -> Iterator[Record]:
    """Yield the passages with a card for each document and dataset."""
    for n, text in enumerate(texts(count, words)):
        document_number, number = divmod(n, PASSAGES_A_DOCUMENT)
        dataset = f"bench/set-{document_number // DOCUMENTS_A_DATASET}"
        document = f"{dataset}/files/{document_number}.txt"
        if number == 0:
            title = " ".join(text.split()[:6])
            yield Card(dataset=dataset, document=document, format="txt", title=title, text=text)
            if document_number % DOCUMENTS_A_DATASET == 0:
                yield Card(dataset=dataset, title=title, description=text)
        yield Passage(dataset=dataset, document=document, number=number, text=text, format="txt")


def bare_index(folder: Path, count: int, words: list[str]) -> dict[str, Callable[[str], object]]:
    """Build the bare index and return its two searches: of passages alone, and of what headwater searches."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("dataset", stored=True, tokenizer_name="raw")
    for name in FIELDS:
        builder.add_text_field(name, stored=True, tokenizer_name="en_stem")
    schema = builder.build()
    folder.mkdir()
    index = tantivy.Index(schema, path=str(folder))
    writer = index.writer(128_000_000, num_threads=1)
    for record in records(count, words):
        document = tantivy.Document()
        document.add_text("dataset", record.dataset)
        document.add_text("title", record.title)
        document.add_text("body", record.text)
        if isinstance(record, Card):
            document.add_text("description", record.description)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(text: str, fields: list[str], depth: int) -> object:
        query, _ = index.parse_query_lenient(text, fields)
        hits = searcher.search(query, depth).hits
        found = [searcher.doc(address) for _, address in hits]
        generator = tantivy.SnippetGenerator.create(searcher, query, schema, "body")
        snippets = [generator.snippet_from_doc(document).to_html() for document in found[:10]]
        return snippets, list(dict.fromkeys(document["dataset"][0] for document in found))[:10]

    return {
        "bare, passages": lambda text: search(text, ["body"], 10),
        "bare, the same": lambda text: search(text, list(FIELDS), SearchOptions().depth),
    }


def milliseconds(search: Callable[[str], object], queries: list[str], rounds: int = 3) -> tuple[float, float]:
    """Return median and 95th percentile over the queries, each the best of some rounds after a warm-up."""
    best = []
    for query in queries:
        search(query)
        times = []
        for _ in range(rounds):
            begin = time.perf_counter()
            search(query)
            times.append(time.perf_counter() - begin)
        best.append(1000 * min(times))
    best.sort()
    return statistics.median(best), best[min(len(best) - 1, int(0.95 * len(best)))]


def measure(count: int, queries: list[str], words: list[str], folder: Path) -> dict[str, tuple[float, float]]:
    """Return the times of all ways to search `count` passages."""
    bare = bare_index(folder / f"bare-{count}", count, words)
    begin = time.perf_counter()
    with LocalIndex(folder / f"headwater-{count}", write=True) as index:
        index.update(1, records(count, words))
        index.optimize()
        print(
            f"{count} passages: built in {time.perf_counter() - begin:.0f} s, {index.stats().bytes >> 20} MB"
        )
        modes = {m: SearchOptions(mode=m) for m in ("lexical", "hybrid")}  # type: ignore[arg-type]
        ours = {m: (lambda text, o=options: index.search(text, o)) for m, options in modes.items()}
        found = {name: milliseconds(search, queries) for name, search in {**bare, **ours}.items()}
    for name, (median, p95) in found.items():
        by = found["bare, the same"]
        print(
            f"  {name:15} median {median:7.2f} ms ({median / by[0]:.2f}x)   p95 {p95:7.2f} ms ({p95 / by[1]:.2f}x)"
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passages", type=int, default=200_000)
    parser.add_argument("--queries", type=Path, help="lines with a field `query`; own ones if absent")
    parser.add_argument("--grow", type=int, default=0, help="also measure this many times the passages")
    parser.add_argument("--folder", type=Path, help="where the indexes go; a temporary folder if absent")
    args = parser.parse_args()
    queries = list(OWN_QUERIES)
    if args.queries:
        queries = [
            json.loads(line)["query"] for line in args.queries.read_text(encoding="utf-8").splitlines()
        ]
    words = vocabulary(60_000, queries)
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        small = measure(args.passages, queries, words, Path(folder))
        if args.grow:
            large = measure(args.passages * args.grow, queries, words, Path(folder))
            bare = large["bare, the same"][0] / small["bare, the same"][0]
            ours = large["lexical"][0] / small["lexical"][0]
            print(
                f"{args.grow} times the passages: bare {bare:.2f}x, lexical {ours:.2f}x, ratio {ours / bare:.2f}"
            )


if __name__ == "__main__":
    main()
