"""The report of one or several runs: what was run, how well it did, against what, what it cost, where it failed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from headwater.bench._charts import Bar, bar_chart
from headwater.bench._model import Metric, Suite
from headwater.bench._runner import predictions
from headwater.bench._score import compare_runs, score_run
from headwater.bench._store import Run
from headwater.bench._suites import open_suite
from headwater.errors import UsageError

_MOST_MISSES = 50
_SHOWN_SLICES = ("difficulty", "dataset", "condition", "gold", "documents", "K", "hops", "namespaces")


@dataclass(slots=True)
class Section:
    """A heading with sentences, tables (head and rows) and charts (name and SVG)."""

    title: str
    words: list[str] = field(default_factory=list)
    tables: list[tuple[Sequence[str], Sequence[Sequence[str]]]] = field(default_factory=list)
    charts: list[tuple[str, str]] = field(default_factory=list)


def write_report(runs: Sequence[Run], out: Path) -> list[Path]:
    """Write `report.html` (one file, nothing loaded) and `report.md` with its charts into a folder; return the paths.

    Args:
        runs: the run, and others of the same suite to set beside it.
        out: the folder.

    Raises:
        UsageError: the runs are of different suites.
    """
    names = {run.info["suite"] for run in runs}
    if len(names) > 1:
        raise UsageError(f"The runs are of different suites: {', '.join(sorted(names))}.")
    suite = open_suite(names.pop())
    sections = list(_sections(suite, runs))
    title = f"{suite.name}: {', '.join(_names(runs))}"
    out.mkdir(parents=True, exist_ok=True)
    html, markdown = out / "report.html", out / "report.md"
    html.write_text(_html(title, sections), encoding="utf-8")
    markdown.write_text(_markdown(title, sections), encoding="utf-8")
    charts = []
    for name, svg in (chart for section in sections for chart in section.charts):
        charts.append(out / f"{name}.svg")
        charts[-1].write_text(svg, encoding="utf-8")
    return [html, markdown, *charts]


def _label(run: Run) -> str:
    return f"{run.info['agent']}{' ' + run.info['model'] if run.info['model'] else ''}"


def _names(runs: Sequence[Run]) -> list[str]:
    """Return what runs are called: agent and model, with the folder where that does not tell them apart."""
    labels = [_label(run) for run in runs]
    return [
        f"{label} ({run.folder.resolve().name})" if labels.count(label) > 1 else label
        for label, run in zip(labels, runs, strict=True)
    ]


def _sections(suite: Suite, runs: Sequence[Run]) -> Iterator[Section]:
    scores = [score_run(suite, run) for run in runs]
    names = _names(runs)
    yield _overview(suite, scores, names)
    if len(runs) > 1:
        yield _differences(suite, runs, names)
    yield _by_kind(scores, names)
    yield _slices(scores, names)
    published = _published(suite, scores, names)
    if published is not None:
        yield published
    yield _cost(scores, names)
    yield _misses(suite, runs[0])
    yield _setup(runs)


_SHARE = Metric("", "", "")


def _figure(figure: Mapping[str, Any] | None, metric: Metric = _SHARE) -> str:
    if figure is None:
        return "–"
    return f"{metric.told(figure['value'])} ({metric.told(figure['low'])} to {metric.told(figure['high'])})"


def _overview(suite: Suite, scores: Sequence[dict[str, Any]], names: Sequence[str]) -> Section:
    section = Section("Results")
    for name, score in zip(names, scores, strict=True):
        told = ", ".join(f"{n} {kind}" for kind, n in score["failures"].items()) or "none failed or abstained"
        section.words.append(f"{name}: {score['n']} of {score['expected']} items; {told}.")
    rows = [
        [
            metric.name,
            *(_figure(score["metrics"].get(metric.name), metric) for score in scores),
            f"{metric.help} (version {metric.version})",
        ]
        for metric in suite.metrics
        if any(metric.name in score["metrics"] for score in scores)
    ]
    section.words.append("In brackets the 95 % interval from 2,000 resamples of the items.")
    section.tables.append((["metric", *names, "definition"], rows))
    return section


def _differences(suite: Suite, runs: Sequence[Run], names: Sequence[str]) -> Section:
    section = Section("Differences")
    rows = []
    for other, name in zip(runs[1:], names[1:], strict=True):
        found = compare_runs(suite, runs[0], other)
        if found is None:
            rows.append([name, "no items in common", "", ""])
            continue
        verdict = (
            "within noise: no ranking"
            if found.low <= 0 <= found.high
            else "first is better"
            if found.value > 0
            else "first is worse"
        )
        rows.append(
            [name, f"{found.value:+.1%} ({found.low:+.1%} to {found.high:+.1%})", str(found.n), verdict]
        )
    section.words.append(f"{names[0]} minus the other, over the items that both tried, resampled in pairs.")
    section.tables.append((["other run", "difference", "n", "verdict"], rows))
    return section


def _main(part: Mapping[str, Any]) -> dict[str, Any] | None:
    """The figure that charts show: the first metric of the suite that is there."""
    found: dict[str, Any] | None = next(iter(part["metrics"].values()), None)
    return found


def _bar(part: Mapping[str, Any] | None) -> Bar | None:
    figure = _main(part) if part else None
    return Bar(figure["value"], figure["low"], figure["high"], f"n {figure['n']}") if figure else None


def _chart(title: str, slice_name: str, scores: Sequence[dict[str, Any]], names: Sequence[str]) -> str:
    values = list(dict.fromkeys(value for score in scores for value in score["by"].get(slice_name, {})))
    groups = [
        (value, [_bar(score["by"].get(slice_name, {}).get(value)) for score in scores]) for value in values
    ]
    return bar_chart(title, groups, names)


def _slice_table(
    name: str, scores: Sequence[dict[str, Any]], names: Sequence[str]
) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    rows: list[Sequence[str]] = []
    values = dict.fromkeys(value for score in scores for value in score["by"].get(name, {}))
    for value in values:
        parts = [score["by"].get(name, {}).get(value) for score in scores]
        size = next(str(part["n"]) for part in parts if part)
        rows.append([value, size, *(_figure(_main(part) if part else None) for part in parts)])
    return [name, "n", *names], rows


def _by_kind(scores: Sequence[dict[str, Any]], names: Sequence[str]) -> Section:
    section = Section("By kind of question")
    section.charts.append(
        ("report-kinds", _chart("Exact answers by kind of question", "kind", scores, names))
    )
    section.tables.append(_slice_table("kind", scores, names))
    return section


def _slices(scores: Sequence[dict[str, Any]], names: Sequence[str]) -> Section:
    section = Section("By difficulty, dataset and form")
    charted = next((name for name in _SHOWN_SLICES if scores[0]["by"].get(name)), None)
    if charted:
        section.charts.append(
            (f"report-{charted}", _chart(f"Exact answers by {charted}", charted, scores, names))
        )
    section.tables += [table for name in _SHOWN_SLICES if (table := _slice_table(name, scores, names))[1]]
    return section


def _published(suite: Suite, scores: Sequence[dict[str, Any]], names: Sequence[str]) -> Section | None:
    told = suite.published()
    if told is None:
        return None
    section = Section("Beside the published figures", [told.source])
    bars = [(label, Bar(value / 100, value / 100, value / 100)) for label, value in told.bars]
    found = [(name, score["metrics"].get(told.metric)) for name, score in zip(names, scores, strict=True)]
    mine = [
        (f"{name} (this report)", Bar(f["value"], f["low"], f["high"], colour=1)) for name, f in found if f
    ]
    ordered = sorted(bars + mine, key=lambda pair: -pair[1].value)
    section.charts.append(
        ("report-published", bar_chart(told.title, [(label, [bar]) for label, bar in ordered], [""]))
    )
    own = [
        [f"{name} (this report)", *row]
        for name, score in zip(names, scores, strict=True)
        if (row := suite.row(score))
    ]
    for heading, columns, figures in told.tables:
        rows = [[str(part) for part in row] for row in figures]
        section.tables.append(([heading or columns[0], *columns[1:]], [*rows, *own]))
    return section


def _cost(scores: Sequence[dict[str, Any]], names: Sequence[str]) -> Section:
    section = Section("Cost", ["Sums over all attempts and sessions, failed and interrupted ones included."])
    keys = ("calls", "input_tokens", "output_tokens", "usd", "seconds")
    rows = [
        [key, *("unknown" if s["usage"][key] is None else f"{s['usage'][key]:g}" for s in scores)]
        for key in keys
    ]
    section.tables.append((["", *names], rows))
    spread = scores[0]["usage"]["tokens_by_kind"] or scores[0]["usage"]["seconds_by_kind"]
    what = "tokens" if scores[0]["usage"]["tokens_by_kind"] else "seconds"
    rows = [[kind, *(f"{part[key]:g}" for key in ("median", "p95", "sum"))] for kind, part in spread.items()]
    section.tables.append(([f"{what} an item, {names[0]}", "median", "95th percentile", "sum"], rows))
    return section


def _misses(suite: Suite, run: Run) -> Section:
    section = Section("Answers that are not right")
    score, items = suite.scorer(run.data), {item.id: item for item in suite.load(run.data).items}
    rows: list[Sequence[str]] = []
    name, total = suite.metrics[0].score, 0
    for (item_id, repeat), (record, prediction) in predictions(run).items():
        item = items.get(item_id)
        if item is None or score(item, prediction).get(name, 1.0) == 1.0:
            continue
        total += 1
        if len(rows) < _MOST_MISSES:
            error = (record.get("error") or {}).get("message", "")
            got = error or (
                _short(prediction.value) if prediction and prediction.status == "answered" else "no answer"
            )
            rows.append(
                [f"{item_id}{f' #{repeat}' if repeat else ''}", item.question, _short(item.gold), got]
            )
    cut = f"; the first {_MOST_MISSES} are shown" if total > _MOST_MISSES else ""
    section.words.append(f"{total} answers of {_label(run)}{cut}." if total else "There are none.")
    if rows:
        section.tables.append((["item", "question", "right answer", "answer"], rows))
    return section


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:200]} … ({len(text)} characters)"


def _setup(runs: Sequence[Run]) -> Section:
    section = Section("Set-up")
    for run in runs:
        info = run.info
        rows = [
            [
                "suite, agent, model",
                f"{info['suite']} {info['versions']['suite']}, {info['agent']}, {info['model'] or 'no model'}",
            ],
            ["parameters", json.dumps(info["parameters"], ensure_ascii=False)],
            ["data", f"{info['items']} items of {info['source']}, generation {info['data']['generation']}"],
            ["headwater", json.dumps(info["headwater"])],
            ["machine", ", ".join(str(v) for v in info["host"].values() if v)],
            ["created", info["created"]],
            ["not loaded", f"{len(info['problems'])} items" if info["problems"] else "nothing"],
        ]
        section.tables.append((["", run.folder.name], rows))
    return section


# --- output

_CSS = """
:root{--ink:#24292f;--soft:#57606a;--paper:#fff;--line:#d0d7de;--one:#3b6fb6;--two:#c8742b;--three:#4d8f57;--four:#8a63a8}
@media(prefers-color-scheme:dark){:root{--ink:#d8dee4;--soft:#9198a1;--paper:#16191d;--line:#3d444d;--one:#6ca0e8;--two:#e39a58;
--three:#78bd83;--four:#b592d1;color-scheme:dark}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:62rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.2rem}p{color:var(--soft);max-width:46rem}
.wide{overflow-x:auto}table{border-collapse:collapse;margin:.8rem 0;font-size:.86rem}
th,td{border-bottom:1px solid var(--line);padding:.25rem .7rem .25rem 0;text-align:left;vertical-align:top;overflow-wrap:anywhere}
th{font-weight:600}svg{max-width:100%;height:auto}
"""


def _html(title: str, sections: Sequence[Section]) -> str:
    parts = []
    for section in sections:
        parts.append(f"<h2>{escape(section.title)}</h2>")
        parts += [f"<p>{escape(words)}</p>" for words in section.words]
        parts += [f"<div>{svg}</div>" for _, svg in section.charts]
        for head, rows in section.tables:
            cells = "".join(
                f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows
            )
            top = "".join(f"<th>{escape(str(cell))}</th>" for cell in head)
            parts.append(
                f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{cells}</tbody></table></div>'
            )
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title><style>{_CSS}</style></head>'
        f"<body><h1>{escape(title)}</h1>{''.join(parts)}</body></html>\n"
    )


def _markdown(title: str, sections: Sequence[Section]) -> str:
    lines = [f"# {_cell(title)}", ""]
    for section in sections:
        lines += [f"## {_cell(section.title)}", ""]
        for words in section.words:
            lines += [_cell(words), ""]
        for name, _ in section.charts:
            lines += [f"![{name}]({name}.svg)", ""]
        for head, rows in section.tables:
            lines.append(f"| {' | '.join(_cell(cell) for cell in head)} |")
            lines.append(f"|{' --- |' * len(head)}")
            lines += [f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows]
            lines.append("")
    return "\n".join(lines)


def _cell(value: Any) -> str:
    """Return text that is no markup in Markdown: what a model or a question wrote stays what it is."""
    text = escape(" ".join(str(value).split()), quote=False)
    return "".join("\\" + char if char in "\\`*_[]|#!" else char for char in text)
