"""What a column and a table hold: feature types, statistics, cards."""

from __future__ import annotations

from headwater.profiles._card import Card, CardColumn, estimate_tokens, make_card
from headwater.profiles._features import FEATURE_TYPES, feature_type
from headwater.profiles._model import ColumnProfile, PlaceCoverage, TableProfile, TimeCoverage
from headwater.profiles._places import match_places, place_key, place_of
from headwater.profiles._profile import json_value, profile_table
from headwater.profiles._values import ColumnValues, TableValues, table_values

__all__ = [
    "FEATURE_TYPES",
    "Card",
    "CardColumn",
    "ColumnProfile",
    "ColumnValues",
    "PlaceCoverage",
    "TableProfile",
    "TableValues",
    "TimeCoverage",
    "estimate_tokens",
    "feature_type",
    "json_value",
    "make_card",
    "match_places",
    "place_key",
    "place_of",
    "profile_table",
    "table_values",
]
