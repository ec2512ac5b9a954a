"""Results as data frames and in notebooks: what every result of a lake that has rows can do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from headwater.errors import MissingExtraError
from headwater.layout import clean_text

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

HTML_ROWS = 50
"""Rows that a notebook shows."""

HTML_CELL = 200
"""Characters of a cell that a notebook shows."""


class Rows:
    """A result that is a list of rows; the class that uses it says which with `to_dicts`."""

    __slots__ = ()

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries of JSON values."""
        raise NotImplementedError

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table."""
        import pyarrow as pa

        return pa.Table.from_pylist(self.to_dicts())

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas data frame.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError.for_group("pandas", "frames") from error
        return pd.DataFrame(self.to_dicts())

    def to_polars(self) -> pl.DataFrame:
        """Return the rows as a polars data frame.

        Raises:
            MissingExtraError: polars is not installed.
        """
        try:
            import polars as pl
        except ImportError as error:
            raise MissingExtraError.for_group("polars", "frames") from error
        return pl.from_dicts(self.to_dicts(), infer_schema_length=None) if self.to_dicts() else pl.DataFrame()

    def _caption(self) -> str:
        """Return what stands under the table in a notebook."""
        return ""

    def _repr_html_(self) -> str:
        rows = self.to_dicts()
        columns = list(dict.fromkeys(name for row in rows for name in row))
        caption = self._caption()
        if len(rows) > HTML_ROWS:
            caption = f"{HTML_ROWS} of {len(rows):,} rows shown. {caption}"
        return html_table(columns, ([row.get(c) for c in columns] for row in rows[:HTML_ROWS]), caption)


def html_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """Return an HTML table; every text is escaped and free of invisible characters, as it may come from a lake."""
    head = "".join(f"<th>{_shown(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{_shown(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    below = f"<p>{_shown(caption)}</p>" if caption.strip() else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        value = "; ".join(map(str, value))
    return escape(clean_text(str(value), one_line=True, limit=HTML_CELL))
