"""A lake with many more documents: distractors made from Debian's package descriptions.

    python benchmarks/distractors.py LAKE OUT --documents 60000 [--seed 1] [--lists FOLDER | --fetch]

OUT, a folder that is not there yet, gets copies of the files of LAKE (no links, so that nothing done to OUT reaches LAKE; its
state folder stays behind) and beside them as many documents as asked for, made from the package lists of apt:

- seven tenths are pages of text, a dataset each: `debian-packages/<package>/content.txt`;
- two tenths JSON records, one a package, together by source: `debian-records/<source>/files/<package>.json`;
- a tenth CSV tables of packages, by source, by maintainer and by section:
  `debian-sources/<source>/files/…`, `debian-maintainers/<name>/files/…`, `debian-sections/<section>/files/…`.

Where one kind runs out, the others take its share. A `metadata.json` stands beside a tenth of the pages, half of the
records and nine tenths of the tables, in four publishers' forms; these are not counted as documents. The same lists,
number and seed make the same files.

The lists are those that apt has on this machine (Debian and its kin); descriptions are the long ones where apt has the
English translations, else the single lines of the package lists. `--fetch` lets apt fetch both into a folder that is
thrown away afterwards; it needs no root and leaves apt's own lists alone. `--lists` takes a folder that was filled by
`apt-get update -o Dir::State::Lists=FOLDER -o Acquire::Languages=en`.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

Package = dict[str, str]
File = tuple[str, str]
"""Path in the lake, content."""

PAGES, RECORDS = 0.7, 0.2
"""Shares of text pages and of JSON records; the rest are tables."""

MIN_ROWS = 3
"""Packages that a table has at least."""

STATE = ".headwater"
LICENCE = "as the packages; descriptions by their maintainers"
SITE = "https://packages.debian.org"
HINT = (
    "This needs the package lists of apt. On Debian or a system made from it, run `apt-get update` as root and try again, "
    "or add --fetch. On another system, fill a folder on a Debian machine with\n"
    "  mkdir -p FOLDER/partial && apt-get update -o Dir::State::Lists=FOLDER -o Acquire::Languages=en\n"
    "bring it here with its files unpacked (`lz4 -d`), and give it as --lists FOLDER."
)


def stanzas(text: str) -> Iterator[Package]:
    """Yield the paragraphs of a Debian control file (deb822) as field → value, lines of a value joined by newlines."""
    for block in text.split("\n\n"):
        found: Package = {}
        name = ""
        for line in block.split("\n"):
            if line[:1] in (" ", "\t"):
                found[name] += "\n" + line[1:]
            elif ":" in line:
                name, value = line.split(":", 1)
                found[name] = value.strip()
        if "Package" in found:
            yield found


def lists(folder: Path | None) -> tuple[list[str], list[str]]:
    """Return the texts of the package lists and of the English translations, from a folder or from apt's own."""
    if folder is not None:
        paths = sorted(p for p in folder.iterdir() if p.is_file())
    elif shutil.which("apt-get"):
        told = subprocess.run(
            ["apt-get", "indextargets", "-o", "Acquire::Languages=en", "--format", "$(FILENAME)"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        paths = sorted({Path(line) for line in told.stdout.splitlines()})
    else:
        paths = []
    kinds = [
        [p for p in paths if mark in p.name and p.is_file()] for mark in ("_Packages", "_Translation-en")
    ]
    return [_read(p) for p in kinds[0]], [_read(p) for p in kinds[1]]


def _read(path: Path) -> str:
    """Return the text of a list; apt itself unpacks it."""
    if path.suffix not in {".lz4", ".xz", ".gz", ".bz2", ".zst"}:
        return path.read_text(encoding="utf-8", errors="replace")
    helper = "/usr/lib/apt/apt-helper"
    if not Path(helper).exists():
        sys.exit(f"{path} is packed, and apt is not here to unpack it.\n{HINT}")
    done = subprocess.run([helper, "cat-file", str(path)], capture_output=True, check=True)
    return done.stdout.decode("utf-8", errors="replace")


def fetch(folder: Path) -> None:
    """Let apt fetch package lists and English translations into a folder."""
    (folder / "lists" / "partial").mkdir(parents=True)
    options = [
        f"Dir::State::Lists={folder / 'lists'}", f"Dir::Cache={folder / 'cache'}", "Acquire::Languages=en",
        "APT::Sandbox::User=", "Debug::NoLocking=1",
    ]  # fmt: skip
    if not shutil.which("apt-get"):
        sys.exit(HINT)
    done = subprocess.run(
        ["apt-get", "update", "-q", *(part for o in options for part in ("-o", o))], check=False
    )
    if done.returncode:
        sys.exit(f"apt-get update failed.\n{HINT}")


def packages(texts: Iterable[str], translations: Iterable[str]) -> list[Package]:
    """Return one package a name, by name, with `Summary` and `Text` from the longest description there is."""
    long = {
        (t["Package"], t["Description-md5"]): t["Description-en"]
        for text in translations
        for t in stanzas(text)
        if {"Description-md5", "Description-en"} <= t.keys()
    }
    found: dict[str, Package] = {}
    for text in texts:
        for package in stanzas(text):
            told = package.get("Description", "")
            told = long.get((package["Package"], package.get("Description-md5", "")), told)
            summary, _, rest = told.partition("\n")
            package["Summary"] = summary
            package["Text"] = re.sub(r"(?<!\n)\n(?![\n ])", " ", re.sub(r"(?m)^\.$", "", rest)).strip()
            found.setdefault(package["Package"], package)
    return [found[name] for name in sorted(found)]


def source(package: Package) -> str:
    return package.get("Source", package["Package"]).split(" ")[0]


def maintainer(package: Package) -> str:
    return package.get("Maintainer", "").partition(" <")[0].strip('"') or "unknown"


def section(package: Package) -> str:
    return package.get("Section", "misc").rpartition("/")[2]


def slug(name: str) -> str:
    return re.sub(r"[^a-z0-9+.-]+", "-", name.lower()).strip("-.") or "unnamed"


def page(package: Package) -> str:
    """Return a page of text about a package."""
    lines = [package["Package"], package["Summary"], package["Text"]]
    lines.append(
        f"{package['Package']} is in section {section(package)} of Debian; version {package.get('Version', '?')}, "
        f"maintained by {maintainer(package)}."
    )
    if "Homepage" in package:
        lines.append(f"Homepage: {package['Homepage']}")
    return "\n\n".join(line for line in lines if line) + "\n"


def record(package: Package) -> str:
    """Return a package as a JSON record."""
    depends = [re.split(r"[ (|]", d.strip())[0] for d in package.get("Depends", "").split(",") if d.strip()]
    told = {
        "name": package["Package"], "source": source(package), "version": package.get("Version"),
        "section": section(package), "summary": package["Summary"], "description": package["Text"],
        "maintainer": maintainer(package), "homepage": package.get("Homepage"),
        "installed_size": _number(package, "Installed-Size"), "size": _number(package, "Size"),
        "tags": [t.strip() for t in package.get("Tag", "").split(",") if t.strip()],
        "depends": [{"name": name, "position": i} for i, name in enumerate(depends, 1)],
    }  # fmt: skip
    return (
        json.dumps({k: v for k, v in told.items() if v not in (None, "", [])}, ensure_ascii=False, indent=1)
        + "\n"
    )


def _number(package: Package, field: str) -> int | None:
    return int(package[field]) if package.get(field, "").isdigit() else None


Columns = dict[str, Callable[[Package], object]]
COMMON: Columns = {"package": lambda p: p["Package"], "version": lambda p: p.get("Version", "")}
COLUMNS: dict[str, Columns] = {
    "sources": COMMON | {
        "architecture": lambda p: p.get("Architecture", ""),
        "installed_size_kb": lambda p: p.get("Installed-Size", ""),
        "summary": lambda p: p["Summary"],
    },
    "maintainers": COMMON | {
        "source": source,
        "section": section,
        "download_bytes": lambda p: p.get("Size", ""),
    },
    "sections": COMMON | {
        "maintainer": maintainer,
        "priority": lambda p: p.get("Priority", ""),
        "dependencies": lambda p: len([d for d in p.get("Depends", "").split(",") if d.strip()]),
        "homepage": lambda p: p.get("Homepage", ""),
        "description": lambda p: p["Summary"],
    },
}  # fmt: skip


def table(kind: str, rows: Iterable[Package]) -> str:
    """Return packages as a CSV table with the columns of its kind."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS[kind])
    writer.writerows([value(p) for value in COLUMNS[kind].values()] for p in rows)
    return out.getvalue()


def tables(all_packages: list[Package]) -> Iterator[tuple[str, str, File]]:
    """Yield dataset, title and file of every table that can be made."""
    groups: dict[tuple[str, str, str], list[Package]] = defaultdict(list)
    for package in all_packages:
        groups["sources", source(package), "binary-packages"].append(package)
        groups["maintainers", maintainer(package), "packages"].append(package)
        name = package["Package"]
        for start in (name[:1], name[:2]):
            groups["sections", section(package), f"{section(package)}-{slug(start)}"].append(package)
    titles = {
        "sources": "Binary packages of the source {}",
        "maintainers": "Packages maintained by {}",
        "sections": "Debian packages of the section {}",
    }
    taken: set[str] = set()
    for (kind, name, file), rows in sorted(groups.items()):
        path = f"debian-{kind}/{slug(name)}/files/{file}.csv"
        if len(rows) >= MIN_ROWS and path not in taken:
            taken.add(path)
            yield f"debian-{kind}/{slug(name)}", titles[kind].format(name), (path, table(kind, rows))


def metadata(form: int, dataset: str, title: str, description: str, tags: list[str], files: list[str]) -> str:
    """Return a metadata.json in one of four forms: plain, CKAN, Project Open Data, Frictionless."""
    url = f"{SITE}/{dataset.rpartition('/')[2]}"
    names = [f.removeprefix(f"{dataset}/") for f in files]
    told: dict[str, object]
    if form == 0:
        told = {"title": title, "source": url, "license": LICENCE, "language": "en"}
    elif form == 1:
        told = {
            "title": title, "notes": description, "organization": {"title": "Debian"}, "license_title": LICENCE,
            "tags": [{"name": t} for t in tags], "url": url,
            "resources": [{"name": n.rpartition("/")[2], "path": n, "format": n.rpartition(".")[2]} for n in names],
        }  # fmt: skip
    elif form == 2:
        told = {
            "@type": "dcat:Dataset", "title": title, "description": description, "keyword": tags,
            "publisher": {"name": "Debian"}, "landingPage": url, "license": LICENCE,
            "distribution": [{"title": n.rpartition("/")[2], "downloadURL": f"{url}/{n}"} for n in names],
        }  # fmt: skip
    else:
        told = {
            "name": slug(title), "title": title, "description": description, "keywords": tags,
            "licenses": [{"title": LICENCE}], "resources": [{"name": slug(n), "path": n} for n in names],
        }  # fmt: skip
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"


def distractors(all_packages: list[Package], count: int, seed: int) -> Iterator[File]:
    """Yield the files of so many documents with their metadata.

    Raises:
        ValueError: the lists do not hold that many.
    """
    rng = random.Random(seed)
    shuffled = rng.sample(all_packages, len(all_packages))
    made = list(tables(all_packages))
    rng.shuffle(made)
    wanted = count - (pages := min(len(shuffled), round(PAGES * count)))
    records = min(len(shuffled), round(RECORDS * count), wanted)
    made = made[: wanted - records]
    short = count - pages - records - len(made)
    pages, short = pages + min(short, len(shuffled) - pages), short - min(short, len(shuffled) - pages)
    records += short
    if records > len(shuffled):
        raise ValueError(
            f"the package lists make {count - (records - len(shuffled)):,} documents, not {count:,}"
        )
    for package in shuffled[:pages]:
        dataset = f"debian-packages/{package['Package']}"
        path = f"{dataset}/content.txt"
        yield path, page(package)
        if rng.random() < 0.1:
            yield (
                f"{dataset}/metadata.json",
                metadata(
                    rng.choice((0, 0, 1, 2)),
                    dataset,
                    package["Package"],
                    package["Summary"],
                    [section(package)],
                    [path],
                ),
            )
    by_source: dict[str, list[Package]] = defaultdict(list)
    for package in shuffled[len(shuffled) - records :]:  # from the other end: few have a page and a record
        by_source[source(package)].append(package)
    for name, group in sorted(by_source.items()):
        dataset = f"debian-records/{name}"
        files = [(f"{dataset}/files/{p['Package']}.json", record(p)) for p in group]
        yield from files
        if rng.random() < 0.5:
            tags = sorted({section(p) for p in group})
            told = (f"Package records of {name}", group[0]["Summary"], tags, [f for f, _ in files])
            yield f"{dataset}/metadata.json", metadata(rng.randrange(4), dataset, *told)
    by_dataset: dict[str, tuple[str, list[File]]] = {}
    for dataset, title, file in sorted(made):
        by_dataset.setdefault(dataset, (title, []))[1].append(file)
    for dataset, (title, files) in by_dataset.items():
        yield from files
        if rng.random() < 0.9:
            told = (
                title,
                f"{title}, with versions and sizes.",
                ["debian", "packages"],
                [f for f, _ in files],
            )
            yield f"{dataset}/metadata.json", metadata(rng.randrange(1, 4), dataset, *told)


def copy(lake: Path, out: Path) -> int:
    """Copy the files of a lake into a folder that is to be made; return how many."""

    def state(folder: str, names: list[str]) -> set[str]:
        return {STATE} & set(names) if Path(folder) == lake else set()

    shutil.copytree(lake, out, symlinks=True, ignore=state)
    for folder in (out, *(Path(at, name) for at, names, _ in os.walk(out) for name in names)):
        folder.chmod(folder.stat().st_mode | 0o700)  # those of a lake that is only read cannot be added to
    return sum(len(files) for _, _, files in os.walk(out))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lake", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--documents", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=1)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--lists", type=Path, help="folder with package lists; apt's own if absent")
    where.add_argument("--fetch", action="store_true", help="let apt fetch the lists into a temporary folder")
    args = parser.parse_args()
    if not args.lake.is_dir():
        sys.exit(f"{args.lake} is not a folder.")
    if args.out.exists():
        sys.exit(f"{args.out} is there already. Give a folder that is to be made.")
    if args.lists is not None and not args.lists.is_dir():
        sys.exit(f"{args.lists} is not a folder.\n{HINT}")
    with tempfile.TemporaryDirectory() as temporary:
        if args.fetch:
            fetch(Path(temporary))
        texts, translations = lists(Path(temporary, "lists") if args.fetch else args.lists)
    if not texts:
        sys.exit(f"No package lists were found.\n{HINT}")
    if not translations:
        print(
            "No long descriptions here; the single lines of the package lists are used. --fetch fetches them.",
            file=sys.stderr,
        )
    all_packages = packages(texts, translations)
    try:
        files = list(distractors(all_packages, args.documents, args.seed))
    except ValueError as error:
        sys.exit(f"{error}. Ask for fewer.")
    lake = copy(args.lake, args.out)
    for path, content in files:
        target = args.out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
    size = sum(len(content.encode()) for _, content in files)
    beside = sum(path.endswith("/metadata.json") for path, _ in files)
    print(
        f"{lake:,} files of {args.lake}, {len(files) - beside:,} documents from {len(all_packages):,} packages "
        f"with {beside:,} metadata files beside them ({size / 1e6:.0f} MB), seed {args.seed}, in {args.out}"
    )


if __name__ == "__main__":
    main()
