"""Small lakes for tests, made from a seed."""

from __future__ import annotations

import json
import random
from pathlib import Path

WORDS = [
    "river",
    "lake",
    "dam",
    "flow",
    "basin",
    "delta",
    "spring",
    "canal",
    "glacier",
    "marsh",
    "harbour",
    "estuary",
    "reservoir",
    "tide",
    "stream",
    "gauge",
]


def make_lake(root: Path, *, datasets: int = 6, seed: int = 7) -> Path:
    """Write a lake of a few formats: yearly tables, a lookup table, metadata, text, a broken and an empty file."""
    rng = random.Random(seed)
    for n in range(datasets):
        folder = root / "water" / f"basin-{n:02d}"
        (folder / "files").mkdir(parents=True)
        title = f"{rng.choice(WORDS)} {rng.choice(WORDS)} {n}"
        (folder / "metadata.json").write_text(
            json.dumps({"title": title, "description": f"Readings of {title}", "publisher": "Water Board"}),
            encoding="utf-8",
        )
        stations = [f"ST-{n:02d}-{i:03d}" for i in range(12)]
        for year in (2020, 2021, 2022):
            lines = ["station,measured_on,level_m"]
            lines += [
                f"{s},{year}-0{rng.randint(1, 9)}-1{rng.randint(0, 9)},{rng.randint(10, 900) / 100}"
                for s in stations
            ]
            (folder / "files" / f"levels_{year}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        rows = [
            {"station": s, "river": f"{rng.choice(WORDS)} {i}", "opened": 1990 + i}
            for i, s in enumerate(stations)
        ]
        (folder / "files" / "stations.json").write_text(json.dumps(rows), encoding="utf-8")
        text = " ".join(rng.choice(WORDS) for _ in range(300))
        (folder / "files" / "notes.txt").write_text(f"Notes on {title}\n\n{text}\n", encoding="utf-8")
    (root / "water" / "basin-00" / "files" / "copy.csv").write_bytes(
        (root / "water" / "basin-00" / "files" / "levels_2020.csv").read_bytes()
    )
    (root / "water" / "basin-01" / "files" / "broken.xlsx").write_bytes(b"PK\x03\x04 this is no workbook")
    (root / "water" / "basin-01" / "files" / "empty.csv").write_bytes(b"")
    return root
