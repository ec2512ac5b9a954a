"""Values derived a second time, over the cells as printed."""

from __future__ import annotations

import json
from pathlib import Path

import headwater


def test_times_with_a_zone_are_compared_with_days(tmp_path: Path) -> None:
    rates = [("2010-01-01", 8.7), ("2010-02-01", 27.1), ("2010-03-01", 24.2)]
    rows = [
        {"series": series, "date": f"{day}T00:00:00.000Z", "rate": rate + extra}
        for series, extra in (("Construction", 0), ("Mining", 3))
        for day, rate in rates
    ]
    (tmp_path / "rates.json").write_text(json.dumps(rows), encoding="utf-8")
    headwater.ingest_lake(str(tmp_path))
    with headwater.open(tmp_path) as lake:
        answer = lake.ask("What was the rate of construction in February 2010?")
        assert answer.value == 27.1, answer.text
        assert answer.verification == "agreed by two"
        assert answer.replay().holds
