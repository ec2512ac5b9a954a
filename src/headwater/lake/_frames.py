"""Results as data frames and in notebooks: what every result of a lake that has rows can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.errors import MissingExtraError
from headwater.text import html_table

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

HTML_ROWS = 50
"""Rows that a notebook shows."""


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
