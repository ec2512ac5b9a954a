"""Ingest beside the bare parsing of the same files by the chosen libraries, in one run.

    python benchmarks/ingest.py [LAKE] [--big MB]

LAKE is copied to a temporary folder first; without one the handed lake is taken if it is there, else a generated lake.
Prints: ingest over bare parsing in two processes, in wall time and in processor time (which other work on the machine
does not touch), a second run over the first, and with --big the peak memory over all processes while a CSV of that many
megabytes goes in.

Bare parsing is what it takes to get the same content out of the files with the libraries of this package, and nothing
more; no typing, no profiles, no cache, no index:

- delimited text: UTF-8, else cchardet; clevercsv's sniffer on 20,000 characters; DuckDB's `read_csv` into Arrow, all
  columns text, one connection; the csv module where DuckDB refuses;
- spreadsheets: calamine, all sheets;
- HTML: selectolax, a walk over blocks and the cells of tables;
- PDF: the text of each page by pypdfium2;
- JSON, YAML, Parquet: json, the C loader of PyYAML, pyarrow; gz: unpacked first;
- all else: decoded.

Tables of PDF documents are counted apart, as "with pdfplumber": pages that look tabular (`looks_tabular`) go through
pdfplumber's `extract_tables`, which is slow. The package reads such tables too, by a way of its own; so both ratios are
printed, and neither is the whole truth: without pdfplumber the baseline has no tables of PDF documents at all.
"""

from __future__ import annotations

import argparse
import csv
import functools
import gzip
import io
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
HANDED = ROOT.parent / "shared" / "data" / "lake"


def decoded(data: bytes) -> str:
    import cchardet

    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode(cchardet.detect(data)["encoding"] or "latin-1", "replace")


@functools.cache
def connection() -> Any:
    import duckdb

    return duckdb.connect(":memory:", config={"threads": 1})


def parse_delimited(path: Path, data: bytes) -> int:
    import clevercsv
    import duckdb

    text = decoded(data)
    delimiter, quote, escape = ",", '"', '"'
    try:
        found = clevercsv.Sniffer().sniff(text[:20_000])
        if found is not None:
            delimiter, quote = found.delimiter or ",", found.quotechar or '"'
            escape = found.escapechar or quote
    except clevercsv.Error:
        pass
    if not data.isascii() or path.suffix == ".gz":
        path = Path(tempfile.gettempdir()) / f"bare-{os.getpid()}.csv"
        path.write_text(text, encoding="utf-8")
    try:
        table = (
            connection()
            .sql(
                "select * from read_csv(?, delim=?, quote=?, escape=?, header=false, all_varchar=true, strict_mode=false,"
                " null_padding=false, sample_size=-1, nullstr='\x01')",
                params=[str(path), delimiter, quote, escape],
            )
            .to_arrow_table()
        )
        return int(table.num_rows)
    except duckdb.Error:
        csv.field_size_limit(1 << 30)
        return sum(len(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def parse_html(data: bytes) -> int:
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(data)
    for node in tree.css("script, style, nav, header, footer, aside, noscript"):
        node.decompose()
    blocks = [n.text() for n in tree.css("h1, h2, h3, h4, h5, h6, p, li, pre, dt, dd, blockquote")]
    rows = [
        [c.text(strip=True) for c in row.css("td, th")]
        for table in tree.css("table")
        for row in table.css("tr")
    ]
    return len(blocks) + len(rows)


def parse_pdf(path: Path, tables: bool) -> int:
    import pypdfium2

    document, size, tabular = pypdfium2.PdfDocument(path), 0, []
    for index in range(len(document)):
        page = document[index]
        text = page.get_textpage().get_text_bounded()
        size += len(text)
        if tables and looks_tabular(page, text):
            tabular.append(index)
    if tabular:
        import pdfplumber

        with pdfplumber.open(path) as pages:
            for index in tabular:
                size += len(pages.pages[index].extract_tables())
                pages.pages[index].close()
    return size


def looks_tabular(page: Any, text: str) -> bool:
    """Tell a page with ruling lines, or with three lines in a row that each hold several numbers."""
    import pypdfium2.raw

    rules = sum(1 for o in page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_PATH], max_depth=1))
    streak = longest = 0
    for line in text.splitlines():
        streak = streak + 1 if len(re.findall(r"(?<!\S)[-($]?\d[\d,.%)]*(?!\S)", line)) >= 3 else 0
        longest = max(longest, streak)
    return rules >= 4 or longest >= 3


def parse(path: Path, tables: bool) -> int:
    """Parse one file with the bare library for its kind; return something that depends on the content."""
    kind = path.suffix.lower()
    if kind == ".pdf":
        return parse_pdf(path, tables)
    if kind == ".parquet":
        import pyarrow.parquet as pq

        return int(pq.read_table(path).num_rows)
    data = path.read_bytes()
    if kind == ".gz":
        data, kind = gzip.decompress(data), Path(path.stem).suffix
    if kind in (".csv", ".tsv"):
        return parse_delimited(path, data)
    if kind == ".json":
        return len(json.loads(data))
    if kind in (".yaml", ".yml"):
        import yaml

        return len(yaml.load(data, yaml.CSafeLoader))
    if kind in (".html", ".htm"):
        return parse_html(data)
    if kind in (".xls", ".xlsx", ".ods"):
        from python_calamine import CalamineWorkbook

        book = CalamineWorkbook.from_path(str(path))
        return sum(len(book.get_sheet_by_name(n).to_python()) for n in book.sheet_names)
    return len(decoded(data))


def attempt(path: Path, tables: bool = False) -> int:
    try:
        return parse(path, tables)
    except Exception:  # noqa: BLE001 - a bare library may fail on a messy file; its time counts all the same
        return 0


def used() -> float:
    """Return the processor seconds of this process's children so far, with theirs."""
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


def bare(root: Path, tables: bool) -> tuple[float, float]:
    """Return wall and processor seconds."""
    files = [p for p in sorted(root.rglob("*")) if p.is_file() and ".headwater" not in p.parts]
    started, before = time.perf_counter(), used()
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(functools.partial(attempt, tables=tables), files, chunksize=16))
    return time.perf_counter() - started, used() - before


def ingest(root: Path, state: Path) -> tuple[float, float]:
    """Return wall and processor seconds."""
    command = [
        sys.executable,
        "-m",
        "headwater",
        "ingest",
        str(root),
        "--state",
        str(state),
        "--workers",
        "2",
        "--json",
    ]
    started, before = time.perf_counter(), used()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(done.stderr)
    return time.perf_counter() - started, used() - before


def tree_memory(pid: int) -> int:
    """Return the resident bytes of a process and all below it, shared pages counted once each."""
    total, todo = 0, [pid]
    while todo:
        n = todo.pop()
        try:
            for line in Path(f"/proc/{n}/smaps_rollup").read_text(encoding="ascii").splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
            todo += [
                int(c)
                for t in Path(f"/proc/{n}/task").iterdir()
                for c in (t / "children").read_text(encoding="ascii").split()
            ]
        except OSError:
            continue
    return total


def big(megabytes: int, folder: Path) -> None:
    lake = folder / "big"
    lake.mkdir()
    rng = random.Random(1)
    block = "".join(
        f"{i},{rng.choice('abcdefgh')}{rng.randint(0, 10**6)},{rng.random() * 1000:.3f},2021-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}\n"
        for i in range(200_000)
    )
    with (lake / "big.csv").open("w", encoding="utf-8") as f:
        f.write("id,name,value,day\n")
        while f.tell() < megabytes << 20:
            f.write(block)
    command = [
        sys.executable,
        "-m",
        "headwater",
        "ingest",
        str(lake),
        "--state",
        str(folder / "s2"),
        "--json",
    ]
    started = time.perf_counter()
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak, stop = [0], threading.Event()

    def watch() -> None:
        while not stop.wait(0.1):
            peak[0] = max(peak[0], tree_memory(run.pid))

    thread = threading.Thread(target=watch)
    thread.start()
    report = json.loads(run.communicate()[0])
    stop.set()
    thread.join()
    print(
        f"{megabytes} MB CSV: {report['counts']}, {time.perf_counter() - started:.1f} s, peak {peak[0] / 1e6:,.0f} MB of all processes"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lake", nargs="?", type=Path)
    parser.add_argument("--big", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = arguments.lake or (HANDED if HANDED.is_dir() else ROOT / "examples" / "lake")
        lake = Path(shutil.copytree(source, folder / "lake", ignore=shutil.ignore_patterns(".headwater")))
        os.sync()
        plain, full = bare(lake, tables=False), bare(lake, tables=True)
        first, second = ingest(lake, folder / "state"), ingest(lake, folder / "state")
        print(f"ingest {first[0]:.1f} s, {first[1]:.1f} s of processor time; at most 2x is wanted")
        for name, parsing in (("with pdfplumber", full), ("without", plain)):
            print(
                f"bare parsing in two processes {name}: {parsing[0]:.1f} s, {parsing[1]:.1f} s of processor time;"
                f" ingest over it {first[0] / parsing[0]:.2f}x, {first[1] / parsing[1]:.2f}x"
            )
        print(
            f"second run without change {second[0]:.2f} s: {100 * second[0] / first[0]:.1f} % of the first (at most 5 % is wanted)"
        )
        if arguments.big:
            big(arguments.big, folder)


if __name__ == "__main__":
    main()
