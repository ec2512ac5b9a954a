"""Questions on the lineage of rows: the eight kinds of Tier 2, with the published numbers of draws a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations, permutations, product
from typing import TYPE_CHECKING, Any

from headwater.bench.dwbench._draft import layers_in_order
from headwater.bench.dwbench._wordings import ROWS
from headwater.errors import UsageError

if TYPE_CHECKING:
    from headwater.bench.dwbench._draft import Draft

_HALF, _HALF_CROSSING, _CROSSING_PAIRS = 20, 10, 25
_STAGING_TABLES, _CHAIN_TABLES, _COUNTED_TABLES = 8, 6, 5


def generate_rows(draft: Draft, parts: Mapping[str, str]) -> None:
    """Add questions of the eight kinds; `parts` says which tables are facts and which dimensions (see `make_rows`).

    Raises:
        UsageError: no rows are loaded, or there are fewer than two layers.
    """
    RowQuestions(draft, parts).generate()


class RowQuestions:
    """Generates the questions of one graph with rows. A table stands for its first row where a question names tables only."""

    def __init__(self, draft: Draft, parts: Mapping[str, str]) -> None:
        rows, layers = draft.graph.rows, layers_in_order(draft.graph)
        if rows is None or len(layers) < 2:
            raise UsageError("Questions on rows need loaded rows and layers.")
        self.draft, self.rows, self.parts = draft, rows, parts
        self.first, self.last = layers[0], layers[-1]
        self.middle = layers[1] if len(layers) > 2 else layers[0]
        self.sizes = {table.name: table.rows for table in rows.tables}
        self.group = {table.name: table.group for table in rows.tables}
        self.by_layer = {layer: sorted(t.name for t in rows.tables if t.layer == layer) for layer in layers}
        self.core = sorted(t.name for t in rows.tables if t.layer in layers[2:-1])
        self.reaching = {name: set(rows.first_row_sources(name)) for name in self.by_layer[self.last]}

    def generate(self) -> None:
        """Add questions of the eight kinds."""
        self.provenance()
        self.impact()
        self.propagation()
        self.crossing()
        self.shared()

    def add(self, kind: str, wording: str, answer: Any, semantics: str, **args: Any) -> None:
        """Add a question worded as `wording` says."""
        self.draft.add(kind, ROWS[wording].format(**args), answer, semantics, args)

    def drawn(self, table: str, most: int) -> Iterable[int]:
        """Return up to `most` rows of a table."""
        return self.draft.sample(range(self.sizes[table]), most)

    def provenance(self) -> None:
        """Direct source rows, first-layer tables behind a row, tables in between."""
        last, rows = self.by_layer[self.last], self.rows
        targets = [(name, 3 if self.parts.get(name) == "fact" else 4) for name in last] + [
            (name, 2) for name in self.core
        ]
        for name, most in targets:
            for row in self.drawn(name, most):
                self.add(
                    "row_provenance",
                    "row_provenance",
                    rows.direct_sources(name, row),
                    "rows.direct_sources",
                    table=name,
                    row=row,
                )
        dimensions = [name for name in self.core if self.parts.get(name) == "dimension"]
        for name, most in [(n, 3) for n in dimensions] + [(n, 2 if self.core else 3) for n in last]:
            for row in self.drawn(name, most):
                found = self._tables(rows.ancestors(name, row), self.first)
                if found:
                    self.add(
                        "value_origin",
                        "value_origin",
                        found,
                        "tables.ancestors@layer",
                        table=name,
                        row=row,
                        layer=self.first,
                    )
        for name in last:
            for row in self.drawn(name, 4):
                found = self._tables(rows.ancestors(name, row), self.middle)
                if found:
                    self.add(
                        "multi_hop_trace", "multi_hop_trace", found, "tables.ancestors@layer",
                        table=name, row=row, layer=self.middle,
                    )  # fmt: skip
        for name in last[:_CHAIN_TABLES]:
            for row in self.drawn(name, 2):
                found = rows.tables_of(rows.ancestors(name, row))
                if len(found) >= 2:
                    self.add(
                        "multi_hop_trace",
                        "multi_hop_trace_all",
                        found,
                        "tables.ancestors",
                        table=name,
                        row=row,
                    )

    def _tables(self, rows: Any, layer: str) -> list[str]:
        return self.rows.tables_of(rows, lambda table: table.layer == layer)

    def impact(self) -> None:
        """Tables and rows that a removed row takes with it."""
        rows, staging = self.rows, self.by_layer[self.middle][:_STAGING_TABLES]
        raw = self.by_layer[self.first]
        for name in raw:
            for row in self.drawn(name, 4 if self.core else 3):
                found = self._tables(rows.descendants(name, row), self.last)
                if found:
                    self.add(
                        "row_impact",
                        "row_impact",
                        found,
                        "tables.descendants@layer",
                        table=name,
                        row=row,
                        layer=self.last,
                    )
        for name in staging:
            for row in self.drawn(name, 2):
                found = rows.tables_of(rows.descendants(name, row))
                if len(found) >= (2 if self.core else 1):
                    self.add("row_impact", "row_impact_all", found, "tables.descendants", table=name, row=row)
        for name, most in [(n, 3) for n in raw] + [(n, 1) for n in staging if self.core]:
            for row in self.drawn(name, most):
                count = rows.count(rows.descendants(name, row))
                if count:
                    self.add(
                        "cascade_count", "cascade_count", count, "rows.descendants_count", table=name, row=row
                    )
        for name in raw[: _COUNTED_TABLES if self.core else 2 * _COUNTED_TABLES]:
            for row in self.drawn(name, 1):
                count = rows.count(rows.descendants(name, row), lambda table: table.layer == self.last)
                if count:
                    self.add(
                        "cascade_count", "cascade_count_layer", count, "rows.descendants_count@layer",
                        table=name, row=row, layer=self.last,
                    )  # fmt: skip

    def propagation(self) -> None:
        """Whether data of a first-layer table is in a last-layer table; half of the questions are true."""
        pairs = list(product(self.by_layer[self.first], self.by_layer[self.last]))
        for source, target, truth in self._balanced(pairs, _HALF):
            self.add(
                "value_propagation",
                "value_propagation",
                truth,
                "tables.reaches(first_row_of_target)",
                source=source,
                target=target,
            )

    def _balanced(self, pairs: list[tuple[str, str]], half: int) -> list[tuple[str, str, bool]]:
        true = [(a, b, True) for a, b in pairs if a in self.reaching[b]]
        false = [(a, b, False) for a, b in pairs if a not in self.reaching[b]]
        chosen = self.draft.sample(true, half) + self.draft.sample(false, half)
        self.draft.random.shuffle(chosen)
        return chosen

    def crossing(self) -> None:
        """Whether data of one group is in another: every ordered pair of groups, and pairs of tables of two groups."""
        groups = list(dict.fromkeys(group for group in self.group.values() if group))
        raw, last = self.by_layer[self.first], self.by_layer[self.last]
        for one, two in permutations(groups, 2):
            own = {name for name in raw if self.group[name] == one}
            truth = any(own & self.reaching[name] for name in last if self.group[name] == two)
            text = ROWS["cross_silo_groups"].format(
                source_group=one, target_group=two, first=self.first, last=self.last
            )
            args = {"source_group": one, "target_group": two}
            self.draft.add("cross_silo_reachability", text, truth, "groups.raw_reaches_mart(first_row)", args)
        pairs = [(a, b) for a, b in product(raw, last) if not groups or self.group[a] != self.group[b]]
        for source, target, truth in self._balanced(pairs, _HALF_CROSSING):
            self.add(
                "cross_silo_reachability", "cross_silo_tables", truth, "tables.reaches(first_row_of_target)",
                source=source, target=target,
            )  # fmt: skip

    def shared(self) -> None:
        """First-layer tables behind two last-layer tables: all pairs of one group, some of two; may be none."""
        pairs = list(combinations(self.by_layer[self.last], 2))
        within = [p for p in pairs if self.group[p[0]] is not None and self.group[p[0]] == self.group[p[1]]]
        across = [p for p in pairs if p not in set(within)]
        most = _CROSSING_PAIRS if within else len(self.by_layer[self.last]) * 4 + 9
        for a, b in within + self.draft.sample(across, most):
            found = sorted(name for name in self.reaching[a] & self.reaching[b] if name in self._first_layer)
            flags = [] if found else ["empty_gold_upstream_scores_any_answer_correct"]
            args = {"a": a, "b": b, "layer": self.first}
            text = ROWS["shared_source"].format(**args)
            self.draft.add(
                "shared_source", text, found, "tables.common_ancestors@layer(first_row)", args, flags=flags
            )

    @property
    def _first_layer(self) -> set[str]:
        return set(self.by_layer[self.first])
