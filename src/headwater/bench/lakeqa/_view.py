"""The part of a lake that a run is on: N documents, the gold ones of all tasks among them, the others drawn by lot."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.errors import SetupError, UsageError

if TYPE_CHECKING:
    from headwater.lake import Lake

_TAKEN = ("ingested", "duplicate")


@dataclass(frozen=True, slots=True)
class View:
    """Which documents a run sees.

    Attributes:
        documents: their ids, None for the whole lake.
        of: documents of the lake that could be chosen.
        gold: gold documents among them.
        missing: gold documents that the lake does not hold.
    """

    documents: tuple[str, ...] | None
    of: int
    gold: int
    missing: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return what a result has to state."""
        listed = "" if self.documents is None else "\n".join(sorted(self.documents))
        return {
            "documents": self.of if self.documents is None else len(self.documents),
            "of": self.of,
            "gold": self.gold,
            "gold_missing": list(self.missing),
            "digest": hashlib.sha256(listed.encode("utf-8", "surrogatepass")).hexdigest()[:16]
            if listed
            else "",
        }


def choose(lake: Lake, gold: Collection[str], wanted: int, seed: int) -> View:
    """Choose `wanted` documents of a lake.

    Gold documents, those that stand for them, and the metadata of their datasets are always in; the rest is drawn by a
    seeded hash of the id, so that a smaller choice is part of every larger one. Members of archives are not counted:
    they come with their archive.

    Args:
        lake: an opened lake.
        gold: gold documents of all tasks of the source, whatever of them is run.
        wanted: number of documents, 0 for the whole lake.
        seed: of the lot.

    Raises:
        UsageError: the gold documents alone are more.
    """
    records = [d for d in lake.catalog.documents() if not d.parent and d.state in _TAKEN]
    held = {d.id for d in records}
    found = {g: g if g in held else g.split("!")[0] for g in gold}
    kept = {root for root in found.values() if root in held}
    missing = tuple(sorted(g for g, root in found.items() if root not in held))
    if not wanted or wanted >= len(records):
        return View(None, len(records), len(kept), missing)
    datasets = {d.dataset for d in records if d.id in kept}
    chosen = kept | {d.id for d in records if d.role == "metadata" and d.dataset in datasets}
    if len(chosen) > wanted:
        raise UsageError(
            f"The gold documents and their metadata are {len(chosen)}, more than {wanted}.",
            hint=f"Ask for at least {len(chosen)} documents.",
        )
    lot = sorted(
        held - chosen, key=lambda d: hashlib.sha256(f"{seed}:{d}".encode("utf-8", "surrogatepass")).digest()
    )
    chosen.update(lot[: wanted - len(chosen)])
    return View(tuple(sorted(chosen)), len(records), len(kept), missing)


class Places:
    """Opens the lake of a run, or the part of it that the run is on.

    Args:
        parameters: of the run: lake, state, generation, documents, seed, view.
        gold: as for `choose`.
        workspace: where the index of a part is kept.

    Raises:
        SetupError: the lake is gone, or has changed since the run began.
    """

    def __init__(self, parameters: Mapping[str, Any], gold: Collection[str], workspace: Path) -> None:
        from headwater.lake import Lake

        self._url, self._state = str(parameters["lake"]), Path(str(parameters["state"]))
        self._workspace = workspace
        with Lake(self._url, self._state) as lake:
            self._view = choose(lake, gold, parameters["documents"], parameters["seed"])
            same = lake.catalog.generation == parameters["generation"]
        if not same or self._view.to_dict()["digest"] != parameters["view"]["digest"]:
            raise SetupError(
                "The lake has changed since this run began, so its answers would not compare.",
                where=self._url,
                hint="Begin a new run.",
            )

    def open(self) -> Lake:
        """Open it anew; every thread needs its own."""
        from headwater.lake import Lake, Subset

        lake = Lake(self._url, self._state)
        if self._view.documents is None:
            return lake
        return Subset(lake, self._view.documents, self._workspace)
