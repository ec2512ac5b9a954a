"""Which files form a dataset, and what its publisher says of it.

`Layout` (or `dataset_of` for one path) groups files; `is_metadata_file` and `parse_metadata` read the documents that
publishers put beside their tables; `describe_columns` carries a data dictionary's entries over to a table's columns.
"""

from __future__ import annotations

from headwater.layout._datasets import ROOT_DATASET, Layout, dataset_of
from headwater.layout._dictionary import header_roles
from headwater.layout._files import is_metadata_file, metadata_rank
from headwater.layout._match import ColumnDoc, column_docs, describe_columns
from headwater.layout._metadata import DatasetMetadata, FieldDoc, Resource, merge_metadata
from headwater.layout._parse import parse_metadata
from headwater.text import clean_text

__all__ = [
    "ROOT_DATASET",
    "ColumnDoc",
    "DatasetMetadata",
    "FieldDoc",
    "Layout",
    "Resource",
    "clean_text",
    "column_docs",
    "dataset_of",
    "describe_columns",
    "header_roles",
    "is_metadata_file",
    "merge_metadata",
    "metadata_rank",
    "parse_metadata",
]
