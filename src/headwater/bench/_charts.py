"""Bar charts as SVG: no library, no script, colours that follow the page's light or dark style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_LABELS, _PLOT, _ROW, _BAR = 190, 420, 12, 9
_COLOURS = ("var(--one, #3b6fb6)", "var(--two, #c8742b)", "var(--three, #4d8f57)", "var(--four, #8a63a8)")
_STYLE = (
    "<style>text{fill:var(--ink,#24292f);font:11px system-ui,sans-serif}.grid{stroke:var(--line,#d0d7de)}"
    ".whisker{stroke:var(--ink,#24292f);stroke-width:1.2}"
    "@media(prefers-color-scheme:dark){svg.alone{--ink:#d8dee4;--line:#3d444d;--one:#6ca0e8;--two:#e39a58;--three:#78bd83;--four:#b592d1}}"
    "</style>"
)


@dataclass(frozen=True, slots=True)
class Bar:
    """A share from 0 to 1 with its interval (equal to the value if there is none); `colour` sets it apart."""

    value: float
    low: float
    high: float
    note: str = ""
    colour: int | None = None


def bar_chart(title: str, groups: Sequence[tuple[str, Sequence[Bar | None]]], names: Sequence[str]) -> str:
    """Return horizontal bars, one group a label and one bar a name in it, with whiskers for the intervals.

    Args:
        title: what is shown, read out by screen readers.
        groups: labels with one bar for each of `names` (None: nothing to show).
        names: what the bars of a group stand for.
    """
    body, y = [], 26 if len(names) > 1 else 8
    for label, bars in groups:
        height = _ROW * len(bars)
        body.append(
            f'<text x="{_LABELS - 8}" y="{y + height / 2 + 4:.1f}" text-anchor="end">{escape(label)}</text>'
        )
        for i, bar in enumerate(bars):
            if bar is not None:
                body.append(
                    _bar(
                        bar, y + i * _ROW, _COLOURS[(i if bar.colour is None else bar.colour) % len(_COLOURS)]
                    )
                )
        y += height + 7
    width, bottom = _LABELS + _PLOT + 60, y + 18
    grid = "".join(
        f'<line class="grid" x1="{_x(s)}" x2="{_x(s)}" y1="4" y2="{y}"/><text x="{_x(s)}" y="{y + 13}" text-anchor="middle">{s:.0%}</text>'
        for s in (0, 0.25, 0.5, 0.75, 1)
    )
    legend = "".join(
        f'<rect x="{_LABELS + 130 * i}" y="6" width="9" height="9" fill="{_COLOURS[i % len(_COLOURS)]}"/>'
        f'<text x="{_LABELS + 13 + 130 * i}" y="15">{escape(name[:20])}</text>'
        for i, name in enumerate(names)
        if len(names) > 1
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="alone" role="img" viewBox="0 0 {width} {bottom}" width="{width}">'
        f"<title>{escape(title)}</title>{_STYLE}{grid}{legend}{''.join(body)}</svg>"
    )


def _x(share: float) -> float:
    return round(_LABELS + min(max(share, 0.0), 1.0) * _PLOT, 1)


def _bar(bar: Bar, y: float, colour: str) -> str:
    middle, end = y + _BAR / 2, _x(bar.value)
    whisker = ""
    if bar.high > bar.low:
        whisker = (
            f'<line class="whisker" x1="{_x(bar.low)}" x2="{_x(bar.high)}" y1="{middle}" y2="{middle}"/>'
        )
    told = f"{bar.value:.1%}{f', {bar.note}' if bar.note else ''}"
    return (
        f'<rect x="{_LABELS}" y="{y}" width="{end - _LABELS:.1f}" height="{_BAR}" fill="{colour}"><title>{escape(told)}</title></rect>'
        f'{whisker}<text x="{max(end, _x(bar.high)) + 5:.1f}" y="{y + _BAR - 0.5}">{bar.value:.1%}</text>'
    )
