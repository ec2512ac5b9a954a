"""Which files form one dataset.

Rules, the first that fits decides:

1. A member of an archive belongs where the archive belongs.
2. A file below a folder that only sorts files (`files/`, `archive/`, `data/` … see `SORTING_FOLDERS`) belongs to the
   folder above the outermost of these: `datagov/permits/files/2019/a.csv` to `datagov/permits`. The first segment of a
   path is never such a folder.
3. A file at or below a folder with a metadata document of its own (`datapackage.json`, `metadata.json` …; a README is
   not enough) belongs to the innermost such folder.
4. A file two or more folders deep belongs to the first two, the `<namespace>/<dataset>` of LakeQA.
5. A file in one folder belongs to that folder.
6. A file in the root belongs to the root's dataset, whose id is ".".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from headwater.layout._files import metadata_rank

ROOT_DATASET = "."
"""Id of the dataset of the files that lie in the root of a lake."""

SORTING_FOLDERS = frozenset(
    {"files", "archive", "archives", "data", "raw", "resources", "distributions", "tables"}
)
"""Names (case counts) of folders that sort the files of one dataset and are no dataset themselves."""

_FORMAL = 2
"""Largest `metadata_rank` of a document that makes its folder a dataset."""


def dataset_of(path: str, metadata_folders: Collection[str] = ()) -> str:
    """Return the id of the dataset that `path` belongs to.

    Args:
        path: a document's id: path relative to the lake's root, "/" between the parts, `archive.zip!member`.
        metadata_folders: folders that hold a metadata document (`Layout` finds them).
    """
    parts = path.split("!", 1)[0].strip("/").split("/")[:-1]
    if not parts:
        return ROOT_DATASET
    for i in range(1, len(parts)):
        if parts[i] in SORTING_FOLDERS:
            return "/".join(parts[:i])
    for i in range(len(parts), 0, -1):
        folder = "/".join(parts[:i])
        if folder in metadata_folders:
            return folder
    return "/".join(parts[:2])


class Layout:
    """The datasets of a lake, from the paths of its files."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._folders: set[str] = set()
        self.add(paths)

    @property
    def metadata_folders(self) -> frozenset[str]:
        """Folders that are datasets because a metadata document lies in them."""
        return frozenset(self._folders)

    def add(self, paths: Iterable[str]) -> None:
        """Take more files into account."""
        for path in paths:
            rank = metadata_rank(path)
            if rank is not None and rank <= _FORMAL and "!" not in path and "/" in path:
                self._folders.add(path.rsplit("/", 1)[0])

    def dataset_of(self, path: str) -> str:
        """Return the id of the dataset that `path` belongs to."""
        return dataset_of(path, self._folders)

    def datasets(self, paths: Iterable[str]) -> dict[str, list[str]]:
        """Return the paths of each dataset, sorted."""
        out: dict[str, list[str]] = {}
        for path in sorted(paths):
            out.setdefault(self.dataset_of(path), []).append(path)
        return out
