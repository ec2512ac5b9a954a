"""Words and marks that tables use: missing values, units, currencies, totals, notes. Data only."""

from __future__ import annotations

import re


def _words(text: str) -> list[str]:
    return text.split()


MISSING = frozenset(
    _words("""- -- --- – — ― .. ... …  . : ? # x̄ n/a na n.a. n.a n/d n.d. nd nan null none nil missing unknown n/r n/k n/s
    #n/a #ref! #value! #div/0! #num! #name? #null! #error! <na> <null> (null) (na) (n/a) [na] [n/a] \\n
    not available not applicable not reported suppressed tba tbd tbc""")
    + ["not available", "not applicable", "not reported", "not recorded", "no data", "not known"]
)
"""Marks of a missing value, in lower case. They count as missing only where the rest of the column has a type."""

MISSING_PATTERN = re.compile(r"\*+|-{2,}|\.{2,}|_+|\[[a-z]{1,5}\]|\([A-Z]{1,2}\)|\[low\]")
"""Marks by form: stars, dashes, dots, and the shorthand in brackets of official statistics ([c], [x], (D))."""

FOOTNOTE = re.compile(
    r"""(?:\s*(?:\[\s*(?:note\s*)?[\w.,*†‡ ]{1,8}\]|\([a-z]{1,2}\)|[*†‡§¶^¹²³⁰⁴-⁹ᵃ-ᶻ]))+$""",
    re.IGNORECASE,
)
"""Footnote and revision marks at the end of a cell: [1], [note 2], [r], (p), *, †, superscripts."""

CURRENCIES = {
    "£": "GBP",
    "$": "USD",
    "€": "EUR",
    "¥": "JPY",
    "₹": "INR",
    "₽": "RUB",
    "₩": "KRW",
    "₺": "TRY",
    "₴": "UAH",
    "₪": "ILS",
    "₦": "NGN",
    "R$": "BRL",
    "US$": "USD",
    "A$": "AUD",
    "AU$": "AUD",
    "C$": "CAD",
    "CA$": "CAD",
    "NZ$": "NZD",
    "HK$": "HKD",
    "S$": "SGD",
    "zł": "PLN",
    "Kč": "CZK",
    "kr": "kr",
} | {
    code: code
    for code in _words("""GBP USD EUR JPY CNY RMB INR RUB KRW TRY UAH ILS NGN BRL AUD CAD NZD HKD SGD PLN CZK CHF SEK NOK DKK HUF
    RON BGN MXN ZAR THB IDR MYR PHP VND TWD ARS CLP COP PEN EGP SAR AED KES PKR""")
}
"""Signs and ISO 4217 codes of currencies and the code each stands for."""

SCALES = {
    "k": "thousand",
    "tsd": "thousand",
    "thousand": "thousand",
    "thousands": "thousand",
    "000": "thousand",
    "000s": "thousand",
    "m": "million",
    "mn": "million",
    "mln": "million",
    "mio": "million",
    "million": "million",
    "millions": "million",
    "b": "billion",
    "bn": "billion",
    "bln": "billion",
    "mrd": "billion",
    "billion": "billion",
    "billions": "billion",
    "tn": "trillion",
    "trillion": "trillion",
    "trillions": "trillion",
}
"""Words that scale an amount."""

LONG_SCALES = frozenset(
    {"thousand", "thousands", "million", "millions", "billion", "billions", "trillion", "trillions"}
)
"""Scale words that say so without a currency; the short ones may be units (m = metre)."""

UNITS = frozenset(
    _words("""% ‰ ° °c °f c f k celsius fahrenheit kelvin percent percentage percentages pct per cent pp ppm ppb
    kg g mg µg μg ug ng t kt mt lb lbs oz tonne tonnes ton tons kilogram kilograms kilogramme kilogrammes gram grams pounds
    km m cm mm µm μm nm mi mile miles ft feet foot in inch inches yd yards metre metres meter meters kilometre kilometres
    kilometer kilometers ha hectare hectares acre acres km2 km² m2 m² m3 m³ cm2 cm³ cm3 ft2 ft² ft3 sq
    l ml hl litre litres liter liters gal gallon gallons barrels bbl
    s sec secs second seconds ms min mins minute minutes h hr hrs hour hours day days week weeks month months year years yr yrs
    w kw mw gw tw wh kwh mwh gwh twh j kj mj gj tj pj kcal cal btu toe ktoe mtoe v kv a ma hz khz mhz ghz
    pa hpa kpa mpa bar mbar psi n kn db dba lux lx mol mmol
    km/h kph mph m/s kmh knots kn rpm
    usd gbp eur jpy dollars dollar euro euros pounds sterling cents pence yen
    thousand thousands million millions billion billions trillion trillions 000 000s '000 '000s bn mn
    number count counts persons people population households heads head units unit index rate ratio score points
    bytes kb mb gb tb bits bit px pixels
    equivalent co2e co2 carbon""")
)
"""Words that make up a unit, in lower case."""

QUANTITY_WORDS = frozenset(
    {
        "per",
        "of",
        "in",
        "1000",
        "1,000",
        "10,000",
        "100,000",
        "10000",
        "100000",
        "100",
        "capita",
        "cubic",
        "square",
        "and",
    }
)
"""Words that may stand inside a unit, but do not make one."""

TOTAL = re.compile(
    r"""(?:grand\s+|overall\s+|sub-?\s*)?totals?|total\s*[:*]|sum|overall|all|summe|gesamt|insgesamt|gesamtsumme|total(?:e|es)?
    |total\s+g[eé]n[eé]ral|totaal|suma|totale|в\s*сего|всего|итого|合計|合计|总计|總計|总和|المجموع""",
    re.IGNORECASE | re.VERBOSE,
)
"""Labels of a row that sums the rows above it."""

WEAK_TOTAL = re.compile(r"all|sum|overall|suma", re.IGNORECASE)
"""Labels that mean a total only if the figures add up."""

LIKELY_TOTAL = re.compile(
    r"(?:all|totals?)\b.{1,60}|.{1,60}\btotals?|gesamt.{1,30}|(?:всего|итого)\b.{1,60}|.{0,12}[総总總合小]計|.{0,12}合计|총계|합계",
    re.IGNORECASE,
)
"""Labels of a last row that mean a total only if the figures add up: "All years", "Total, both sexes", "State total"."""

NOTE = re.compile(
    r"""(?:foot)?notes?\b|sources?\b|quelle|fuente|fonte|nota\b|anmerkung|remarks?\s*:|comments?\s*:|last\s+(?:updated|modified|revised)
    |updated\b|copyright|©|\(c\)\s|disclaimer|data\s+(?:source|extracted|from|as\s+of|provided)|report\s+(?:created|generated|run)
    |generated\b|extracted\b|prepared\s+by|produced\s+by|end\s+of\s|\*|†|‡|\[\s*(?:note\s*)?\w{1,3}\s*\]|\(\d{1,2}\)\s|\d{1,2}\)\s|\#
    |(?:p|r|e|c)\s*=|https?://|n/?a\s*[=:]|licen[cs]e|contact\b|resum|注|出典|資料""",
    re.IGNORECASE | re.VERBOSE,
)
"""How a note, source or colophon below a table begins."""

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep sept",
            "october oct",
            "november nov",
            "december dec",
        ),
        1,
    )
    for name in names.split()
}
"""English names of months, in lower case, and their numbers."""

NAME_WORD = re.compile(
    r"""(?:^|[\W_])(?:id|ids|name|names|title|code|codes|date|type|category|status|country|state|city|county|region|address|
    description|notes?|comments?|url|link|email|gender|sex|age|group|year|month|day|time|key|value|label|source|field|
    number|no|count|total|rank|team|player|party|author|first|last)(?:$|[\W_])|[a-z]+_[a-z]+""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words that names of columns are made of."""
