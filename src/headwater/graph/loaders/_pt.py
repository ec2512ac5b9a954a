"""DW-Bench's `.pt` files, read without torch and without running the pickle.

`torch.save` writes a zip with a pickle and one raw file for each tensor storage. The unpickler here knows a fixed list
of classes, maps each to a plain stand-in and refuses every other name, so that no code of the file ever runs.
"""

from __future__ import annotations

import pickle
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.errors import LimitError, ReadError
from headwater.graph._model import ForeignKey, GraphTable, LineageEdge, Origin, SchemaGraph

if TYPE_CHECKING:
    import numpy as np

_MAX_BYTES = 1 << 30

# Storage classes and their little-endian element types.
_STORAGES = {
    "FloatStorage": "<f4", "DoubleStorage": "<f8", "HalfStorage": "<f2", "LongStorage": "<i8", "IntStorage": "<i4",
    "ShortStorage": "<i2", "CharStorage": "<i1", "ByteStorage": "<u1", "BoolStorage": "<u1",
}  # fmt: skip
_STAND_INS = {
    ("torch_geometric.data.hetero_data", "HeteroData"),
    ("torch_geometric.data.storage", "BaseStorage"),
    ("torch_geometric.data.storage", "NodeStorage"),
    ("torch_geometric.data.storage", "EdgeStorage"),
    ("torch_geometric.data.graph_store", "EdgeAttr"),
    ("torch_geometric.data.feature_store", "TensorAttr"),
}
# Name prefixes of the layers in the benchmark's warehouse.
_LAYERS = {"raw_": "raw", "stg_": "staging", "dim_": "core", "fact_": "core", "mart_": "mart"}


class _Plain:
    """Stand-in for the classes of a file: keeps what the pickle sets and does nothing."""

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, dict):
            self.__dict__.update({str(k): v for k, v in state.items()})


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: Any, archive: zipfile.ZipFile, root: str) -> None:
        super().__init__(file)
        self._archive, self._root = archive, root

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _STAND_INS:
            return _Plain
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _tensor
        if module in ("torch", "torch.storage") and name in _STORAGES:
            return _STORAGES[name]
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        raise pickle.UnpicklingError(f"it names {module}.{name}, which a schema graph has no use for")

    def persistent_load(self, pid: Any) -> Any:
        import numpy as np

        if not (isinstance(pid, tuple) and len(pid) >= 5 and pid[0] == "storage" and isinstance(pid[1], str)):
            raise pickle.UnpicklingError("it refers to something that is no tensor storage")
        data = self._archive.read(f"{self._root}/data/{pid[2]}")
        return np.frombuffer(data, dtype=pid[1])


def _tensor(
    storage: Any, offset: int, size: tuple[int, ...], stride: tuple[int, ...], *_: Any
) -> np.ndarray[Any, Any]:
    """Build an array from its storage, offset, size and stride (the last two count elements)."""
    import numpy as np

    if len(size) != len(stride) or any(n < 0 for n in (*size, *stride, offset)):
        raise pickle.UnpicklingError("a tensor has an impossible shape")
    last = offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True)) if all(size) else offset - 1
    if last >= len(storage):
        raise pickle.UnpicklingError("a tensor is larger than its storage")
    width = storage.dtype.itemsize
    return np.lib.stride_tricks.as_strided(
        storage[offset:], tuple(size), tuple(s * width for s in stride), writeable=False
    )


def read_pt(path: Path) -> Any:
    """Return the stand-in of the object in a `.pt` file.

    Raises:
        ReadError: the file is damaged, or its pickle names anything but the classes of a graph.
        LimitError: it is too large when unpacked.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(i.file_size for i in archive.infolist()) > _MAX_BYTES:
                raise LimitError(
                    f"{path.name} is larger than {_MAX_BYTES:,} bytes when unpacked.", where=path.name
                )
            member = next(n for n in archive.namelist() if n.endswith("/data.pkl"))
            with archive.open(member) as file:
                return _Unpickler(file, archive, member[: -len("/data.pkl")]).load()
    except (
        zipfile.BadZipFile, StopIteration, pickle.UnpicklingError, KeyError, EOFError, ValueError, TypeError,
        AttributeError, IndexError, RecursionError, UnicodeDecodeError, MemoryError, OverflowError, NotImplementedError,
    ) as error:  # fmt: skip
        raise ReadError(
            f"{path.name} is no graph file that can be read safely: {error}", where=path.name
        ) from error


def load_pt(graph: SchemaGraph, path: Path, *, keys: bool = True, lineage: bool = True) -> None:
    """Read tables, foreign keys and lineage of a `.pt` file into the graph.

    Args:
        graph: where to.
        path: the file.
        keys: take its foreign keys (child to parent; their columns are not in the file).
        lineage: take its lineage (source to target).

    Raises:
        ReadError: the file is damaged or holds no schema graph.
    """
    data = read_pt(path)
    nodes = getattr(data, "_node_store_dict", {})
    table_store = getattr(nodes.get("table"), "_mapping", {}) if isinstance(nodes, dict) else {}
    names = table_store.get("table_names")
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
        raise ReadError(
            f"{path.name} holds no tables (node type 'table' with 'table_names').", where=path.name
        )
    origin = Origin("pt", path.name)
    layers = [
        next((layer for prefix, layer in _LAYERS.items() if name.startswith(prefix)), None) for name in names
    ]
    layered = all(layers)  # the prefix of a single name may be a word like any other
    for name, found in zip(names, layers, strict=True):
        layer = found if layered else None
        graph.add_table(
            GraphTable(
                name, kind="source_file" if name.startswith("SRC.") else "table", layer=layer, origin=origin
            )
        )
    stores = getattr(data, "_edge_store_dict", {})
    for kind, store in stores.items() if isinstance(stores, dict) else ():
        if kind not in (("table", "fk_to", "table"), ("table", "derived_from", "table")):
            continue
        index = getattr(store, "_mapping", {}).get("edge_index")
        if index is None or getattr(index, "ndim", 0) != 2 or len(index) != 2:
            raise ReadError(f"{path.name}: edges {kind[1]} have no edge_index of two rows.", where=path.name)
        for start, end in zip(index[0].tolist(), index[1].tolist(), strict=True):
            if not (0 <= start < len(names) and 0 <= end < len(names)):
                graph.add_problem(
                    path.name,
                    0,
                    f"an edge {kind[1]} points to table number {max(start, end)}, which does not exist",
                )
            elif kind[1] == "fk_to" and keys:
                graph.add_foreign_key(ForeignKey("", names[start], (), names[end], (), origin))
            elif kind[1] == "derived_from" and lineage:
                graph.add_lineage(LineageEdge(names[start], names[end], origin=origin))
