"""How documents hang together: duplicates, series, joins, mentions.

Everything rests on sketches (`sketch_table`, `sketch_text`), made once when a document is read and kept as bytes.
`find_duplicates`, `find_series`, `find_joins` and `find_mentions` relate sketches; `dataset_links` and `linked_datasets`
lead from the hits of a search to further datasets. `group_records` puts documents together that are one object each.
"""

from __future__ import annotations

from headwater.relations._duplicates import Duplicate, find_duplicates, preference
from headwater.relations._entities import entity_key, title_keys
from headwater.relations._joins import Join, describe_join, find_joins
from headwater.relations._links import Link, LinkGraph, dataset_links, linked_datasets, question_clauses
from headwater.relations._mentions import Mention, find_mentions
from headwater.relations._names import column_similarity
from headwater.relations._records import RecordGroup, RecordSketch, group_records
from headwater.relations._series import Series, SeriesMember, find_series
from headwater.relations._sketch import (
    ColumnSketch,
    TableSketch,
    TextSketch,
    column_sketch,
    sketch_table,
    sketch_text,
)

__all__ = [
    "ColumnSketch",
    "Duplicate",
    "Join",
    "Link",
    "LinkGraph",
    "Mention",
    "RecordGroup",
    "RecordSketch",
    "Series",
    "SeriesMember",
    "TableSketch",
    "TextSketch",
    "column_similarity",
    "column_sketch",
    "dataset_links",
    "describe_join",
    "entity_key",
    "find_duplicates",
    "find_joins",
    "find_mentions",
    "find_series",
    "group_records",
    "linked_datasets",
    "preference",
    "question_clauses",
    "sketch_table",
    "sketch_text",
    "title_keys",
]
