"""Ingest beside the bare parsing of the same files by the chosen libraries, in one run.

    python benchmarks/ingest.py [LAKE] [--big MB]

LAKE is copied to a temporary folder first; without one the handed lake is taken if it is there, else a generated lake.
Prints: ingest over bare parsing in two processes (dialect sniffing included), a second run over the first, and with
--big the peak memory over all processes while a CSV of that many megabytes goes in.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
HANDED = ROOT.parent / "shared" / "data" / "lake"


def parse(path: Path) -> int:
    """Parse one file with the bare library for its kind; return something that depends on the content."""
    kind = path.suffix.lower()
    if kind in (".csv", ".tsv"):
        import cchardet
        import clevercsv

        data = path.read_bytes()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode(cchardet.detect(data)["encoding"] or "latin-1", "replace")
        try:
            delimiter = clevercsv.Sniffer().sniff(text[:20_000]).delimiter or ","
        except clevercsv.Error:
            delimiter = ","
        csv.field_size_limit(1 << 30)
        return sum(len(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    if kind == ".json":
        return len(json.loads(path.read_bytes()))
    if kind == ".pdf":
        import pypdfium2

        document = pypdfium2.PdfDocument(path)
        return sum(len(document[i].get_textpage().get_text_bounded()) for i in range(len(document)))
    if kind in (".html", ".htm"):
        from selectolax.lexbor import LexborHTMLParser

        parsed = LexborHTMLParser(path.read_bytes())
        return len(parsed.body.text()) if parsed.body else 0
    if kind in (".xls", ".xlsx"):
        from python_calamine import CalamineWorkbook

        book = CalamineWorkbook.from_path(str(path))
        return sum(len(book.get_sheet_by_name(n).to_python()) for n in book.sheet_names)
    if kind == ".parquet":
        import pyarrow.parquet as pq

        return int(pq.read_table(path).num_rows)
    return len(path.read_bytes().decode("utf-8", "replace"))


def attempt(path: Path) -> int:
    try:
        return parse(path)
    except Exception:  # noqa: BLE001 - a bare library may fail on a messy file; its time counts all the same
        return 0


def bare(root: Path) -> float:
    files = [p for p in sorted(root.rglob("*")) if p.is_file() and ".headwater" not in p.parts]
    started = time.perf_counter()
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(attempt, files, chunksize=16))
    return time.perf_counter() - started


def ingest(root: Path, state: Path) -> float:
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
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(done.stderr)
    return time.perf_counter() - started


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
        parsing, first = bare(lake), ingest(lake, folder / "state")
        second = ingest(lake, folder / "state")
        print(
            f"bare parsing in two processes {parsing:.1f} s; ingest {first:.1f} s: {first / parsing:.2f}x (at most 2x is wanted)"
        )
        print(
            f"second run without change {second:.2f} s: {100 * second / first:.1f} % of the first (at most 5 % is wanted)"
        )
        if arguments.big:
            big(arguments.big, folder)


if __name__ == "__main__":
    main()
