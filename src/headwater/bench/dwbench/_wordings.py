"""How generated questions are put, by kind: one sentence each, which says what the gold follows.

The published texts of two kinds say something else than their gold: "connected through foreign keys" is computed over lineage
too. Here the text follows the gold.
"""

from __future__ import annotations

from typing import Final

PLAIN: Final = {
    "forward": "Which tables are fed directly by {table}?",
    "reverse": "Which tables is {table} directly derived from?",
    "multi_source": "{table} is built from several tables. List all tables that directly feed it.",
    "transitive": "Which tables are derived from {table}, directly or indirectly?",
    "combined_impact": (
        "If {table} changes, which tables are affected, either because they are derived from it directly or indirectly, or because "
        "they have a foreign key on an affected table?"
    ),
    "count": "How many connected components (data silos) does this schema have?",
    "membership": "Which other tables share a silo with {table}?",
    "isolation": "Is {a} connected with {b} over foreign keys or lineage?",
    "connected": "Are {a} and {b} in the same data silo?",
    "full_enumeration": "Name all tables of the largest silo.",
    "join_path": "Give the shortest join path over foreign keys from {source} to {target}.",
    "hop_count": "How many foreign key joins does the shortest path from {source} to {target} take?",
    "direct_fk": "Does {child} have a foreign key that references {parent}?",
}

GROUPED: Final = PLAIN | {
    "combined_impact": (
        "If {table} holds bad data, which tables are affected through lineage and, one step further, through foreign keys in "
        "either direction?"
    ),
    "transitive_up": "Which {layer} tables feed {table}, directly or indirectly?",
    "transitive_down": "Which {layer} tables are derived from {table}, directly or indirectly?",
    "count_group": "How many tables does the {group} silo have?",
    "count_layer": "How many {layer} tables does the {group} silo have?",
    "membership": "Which silo is {table} part of?",
    "isolation": "Is there any connection between {a} and {b}, through foreign keys or lineage?",
    "enumerate_group": "Name all tables of the {group} silo.",
    "enumerate_layer": "Name all {layer} tables of the {group} silo.",
    "hop_count": "How many steps over foreign keys and lineage are there at least from {source} to {target}?",
    "join_path": "Which tables lie on the shortest join path from {source} to {target}?",
}

ROWS: Final = {
    "row_provenance": "From which rows was {table} row_{row} made directly?",
    "value_origin": "From which {layer} tables does {table} row_{row} come?",
    "multi_hop_trace": "Which {layer} tables did the data of {table} row_{row} pass through?",
    "multi_hop_trace_all": "Name every table behind {table} row_{row}, at any depth.",
    "row_impact": "Which {layer} tables depend on {table} row_{row}?",
    "row_impact_all": "Which tables depend on {table} row_{row}?",
    "value_propagation": "Does any data of {source} reach {target}?",
    "cascade_count": "How many rows depend on {table} row_{row}, over all tables?",
    "cascade_count_layer": "How many {layer} rows depend on {table} row_{row}?",
    "cross_silo_groups": "Does data of the {source_group} silo's {first} tables reach the {target_group} silo's {last} tables?",
    "cross_silo_tables": "Does data of {source} end up in {target}?",
    "shared_source": "Which {layer} tables are sources of both {a} and {b}?",
}
