"""The catalog's tables and series as the SQL room wants them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from headwater.catalog import RECORDS, Catalog, Names, TableRecord, nearest
from headwater.errors import NotFoundError
from headwater.lake._cells import check_cached
from headwater.sql import SeriesMember, SeriesRef, TableRef

SERIES = "series:"


class CatalogTables:
    """Resolves names in SQL to Parquet files."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def resolve(self, reference: str) -> TableRef | SeriesRef:
        """Return the table or series of that name (see `headwater.sql.TableCatalog`)."""
        if reference.startswith(SERIES) or self._catalog.relations.series_kind(reference.rstrip("/"))[0]:
            return self._series(reference.rstrip("/"))
        ref = Names(self._catalog).table_ref(reference)
        table = self._catalog.table(ref)
        assert table is not None  # noqa: S101 - the reference comes from the catalog
        return table_ref(table)

    def names(self) -> Sequence[str]:
        """Return the references of all tables and series."""
        return [r[0] for r in self._catalog.table_refs()] + [
            SERIES + s for s in self._catalog.relations.series_ids()
        ]

    def _sheet(self, series: str) -> TableRef | None:
        """Return a series of records, whose rows lie together; None for another one."""
        kind, count = self._catalog.relations.series_kind(series)
        whole = self._catalog.sheets.whole(series) if kind == RECORDS else None
        if whole is None:
            return None
        ref = table_ref(whole)
        if count == ref.row_count:
            return ref
        rows = tuple(
            row for row, _, _ in self._catalog.sheets.rows(series)
        )  # of the documents that are shown
        return replace(ref, rows=rows, row_count=count)

    def _series(self, reference: str) -> TableRef | SeriesRef:
        sheet = self._sheet(reference.removeprefix(SERIES))
        if sheet is not None:
            return sheet
        series = self._catalog.relations.series(reference.removeprefix(SERIES))
        if series is None:
            names = [SERIES + s for s in self._catalog.relations.series_ids()]
            near = nearest(reference, names)
            raise NotFoundError(
                f"There is no series {reference!r}.",
                nearest=near,
                hint="headwater related DOCUMENT names the series of a document.",
            )
        members = []
        for member in series["members"]:
            table = self._catalog.table(member["ref"])
            if table is not None:
                source = {"_document": table.document, **member.get("label", {})}
                members.append(SeriesMember(table_ref(table), dict(member["columns"]), source))
        labels = list(dict.fromkeys(k for m in members for k in m.source if k != "_document"))
        source_columns = [
            ("_document", "text"),
            *((k, _label_type([m.source.get(k) for m in members])) for k in labels),
        ]
        called = series_names([str(n) for n, _ in series["columns"]], labels)
        columns = tuple((called[str(n)], str(t)) for n, t in series["columns"])
        for member in members:
            renamed = {called.get(n, n): own for n, own in member.columns.items()}
            member.columns.clear()
            member.columns.update(renamed)
        return SeriesRef(
            SERIES + series["id"], series["title"], columns, tuple(source_columns), tuple(members)
        )


def series_names(columns: Sequence[str], labels: Sequence[str]) -> dict[str, str]:
    """Return the columns' names in a series: one that a label has too is called "value", so that both can be asked for.

    That happens where each member names its figures after its label: a column "2018" in the table of 2018.
    """
    taken = {n.casefold() for n in (*columns, *labels)}
    clashing = {label.casefold() for label in labels}
    names = {}
    for name in columns:
        names[name] = name
        if name.casefold() in clashing:
            free = (f"value{n}" for n in ("", *range(2, len(taken) + 3)))
            names[name] = next(f for f in free if f not in taken)
            taken.add(names[name])
    return names


def _label_type(labels: Sequence[object]) -> str:
    """Return "integer" where every label is a whole number without leading zeros, else "text"."""
    return "integer" if all(re.fullmatch(r"0|[1-9]\d{0,8}", str(x)) for x in labels) else "text"


def table_ref(table: TableRecord) -> TableRef:
    """Return a catalog table as the SQL room wants it.

    Raises:
        SetupError: its file is gone from the cache.
    """
    check_cached(table.typed_path, table.ref)
    name = table.ref.rsplit("/", 1)[-1]
    columns = tuple((c["name"], c["type"]) for c in table.columns)
    rows = (table.row,) if table.sheet else None
    return TableRef(table.ref, name, (table.typed_path,), columns, table.row_count, rows)
