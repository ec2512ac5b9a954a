"""The text that a piece of wikitext shows: links, formatting and templates.

Templates cannot be looked up here, so those that carry numbers, units, dates and names in their arguments are
rendered by the table below, and an unknown one by its arguments: nothing that stands in a page is dropped but
references, navigation and notices.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mwparserfromhell.nodes import Template
    from mwparserfromhell.wikicode import Wikicode

Arguments = list[str]
Named = dict[str, str]

_SILENT = re.compile(
    r"^(?:ref|refn|reflist|references|efn\b.*|notelist|sfn\w*|r|rp|cite\b.*|citation\b.*|cn|fact|clear|clr|-|toc\b.*|toclimit"
    r"|short description|use \w+ dates|use \w+ english|good article|featured article|pp\b.*|protect\w*|hatnote.*|about"
    r"|other uses.*|redirect\b.*|distinguish.*|for|infobox mapframe|flagicon|flag icon|increase|decrease|steady|gain|loss"
    r"|portal\b.*|commons\b.*|authority control|default\s?sort|navbox.*|sister project.*|stub|.*-stub|anchor|coord missing"
    r"|sort\s?name-hidden|sronly|spoken wikipedia|refbegin|refend|col-?begin|col-?end|col-?\d+|div col.*|end div col|better source.*"
    r"|citation needed|update\b.*|more citations.*|unreferenced.*|dead link|webarchive|subscription required|isbnt?|doi|issn)$"
)
_LAST = re.compile(
    r"^(?:lang|lang-.*|transl|transliteration|sort|hs|color|font\s?color|nihongo2|resize|tooltip|background color|bg)$"
)
_FIRST = re.compile(
    r"^(?:nowrap|nobr|nobreak|small|smaller|big|bold|strong|em|abbr|nts|number table sorting|ntsh|nowrap begin|flag|flagcountry|flagu"
    r"|flagdeco|country|flaglist|fb|url|official website|mono|code|kbd|main|center|align|left|right|vert header|verth|sc|smallcaps"
    r"|nihongo|ill|interlanguage link|nastro|sup|sub|italics?|noitalic|wikt|visible anchor|vanchor|plainlist|flatlist|hlist-item|noflag)$"
)
_LISTS = {
    "ubl",
    "unbulleted list",
    "hlist",
    "plainlist",
    "flatlist",
    "bulleted list",
    "ordered list",
    "br separated entries",
    "cslist",
}
_DATES = {
    "birth date",
    "birth date and age",
    "death date",
    "death date and age",
    "start date",
    "end date",
    "dts",
    "date table sorting",
    "start date and age",
    "bda",
    "dda",
    "film date",
    "release date",
}
_FIXED = {
    "yes": "Yes",
    "no": "No",
    "n/a": "N/A",
    "na": "N/A",
    "dash": "–",
    "ndash": "–",
    "snd": " – ",
    "spaced ndash": " – ",
    "mdash": "—",
    "emdash": "—",
    "!": "|",
    "=": "=",
    "nbsp": " ",
    "·": " · ",
    "•": " • ",
    "dot": " · ",
    "pi": "π",
    "unknown": "Unknown",
    "won": "Won",
    "nom": "Nominated",
    "tba": "TBA",
    "tbd": "TBD",
    "pending": "Pending",
    "spaces": " ",
    "check": "✓",
    "tick": "✓",
    "cross": "✗",
    "xmark": "✗",
    "aye": "✓",
    "nay": "✗",
    "dunno": "?",
    "fdash": "–",
    "en dash": "–",
    "deg": "°",
    "minus": "−",
    "times": "×",
    "endash": "–",
}
_CURRENCIES = {
    "us$": "US$",
    "usd": "US$",
    "gbp": "£",
    "£": "£",
    "eur": "€",
    "€": "€",
    "inr": "₹",
    "indian rupee": "₹",
    "jpy": "¥",
    "au$": "A$",
    "aud": "A$",
    "ca$": "C$",
    "cad": "C$",
    "nz$": "NZ$",
    "cny": "CN¥",
    "sek": "SEK ",
    "nok": "NOK ",
    "chf": "CHF ",
}
_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES.split(), 1)}
_TAGS_DROPPED = {
    "ref",
    "references",
    "gallery",
    "imagemap",
    "templatestyles",
    "section",
    "timeline",
    "score",
    "mapframe",
    "graph",
}
_FILES = re.compile(r"^\s*:?(?:file|image|media|datei|fichier|archivo)\s*:", re.IGNORECASE)
_MAGIC = re.compile(
    r"^(formatnum|lc|uc|lcfirst|ucfirst|plural|gender|#expr|#if|#ifeq|#time|#invoke|defaultsort|displaytitle)\s*:(.*)$",
    re.DOTALL | re.IGNORECASE,
)
_MAX_DEPTH = 30


def render(source: str) -> str:
    """Return the text that a piece of wikitext shows."""
    if not any(mark in source for mark in ("[", "{", "<", "'", "&")):
        return source
    import mwparserfromhell

    return _nodes(mwparserfromhell.parse(source, skip_style_tags=True), 0)


def _nodes(code: Wikicode, depth: int) -> str:
    return "".join(_node(node, depth) for node in code.nodes) if depth < _MAX_DEPTH else str(code)


def _node(node: Any, depth: int) -> str:
    match type(node).__name__:
        case "Text":
            return re.sub(r"'{2,5}", "", str(node.value))
        case "Wikilink":
            return _link(node, depth)
        case "ExternalLink":
            shown = _nodes(node.title, depth + 1).strip() if node.title is not None else ""
            return shown or str(node.url)
        case "Template":
            return _template(node, depth)
        case "Tag":
            return _tag(node, depth)
        case "HTMLEntity":
            return str(node.normalize())
        case "Heading":
            return f"\n{_nodes(node.title, depth + 1).strip()}\n"
        case "Argument":
            return _nodes(node.default, depth + 1) if node.default is not None else ""
    return ""


def _link(node: Any, depth: int) -> str:
    title = str(node.title)
    if _FILES.match(title):
        return ""
    if node.text is not None and str(node.text).strip():
        return _nodes(node.text, depth + 1)
    return title.lstrip(":").strip()


def _tag(node: Any, depth: int) -> str:
    name = str(node.tag).strip().lower()
    if name in _TAGS_DROPPED:
        return ""
    if name == "br":
        return "\n"
    if name in ("li", "dd", "dt"):
        return "- " if node.wiki_markup in ("*", "#") else ""
    inner = _nodes(node.contents, depth + 1) if node.contents is not None else ""
    if name == "sup" and inner.strip().isdigit():
        return f"^{inner.strip()}"
    if name in ("div", "p", "li", "tr", "ul", "ol"):
        return f"\n{inner}\n"
    return inner


def _template(node: Template, depth: int) -> str:
    name = " ".join(str(node.name).replace("_", " ").split()).lower()
    magic = _MAGIC.match(str(node.name).strip())
    if magic:
        return _magic(magic.group(1).lower(), magic.group(2), node, depth)
    if _SILENT.match(name):
        return ""
    if name in _FIXED:
        own = [_nodes(p.value, depth + 1).strip() for p in node.params if not p.showkey]
        return (
            own[0]
            if own and own[0] and name in ("yes", "no", "n/a", "na", "unknown", "won", "nom")
            else _FIXED[name]
        )
    args = [_nodes(p.value, depth + 1).strip() for p in node.params if not p.showkey]
    named = {str(p.name).strip(): _nodes(p.value, depth + 1).strip() for p in node.params if p.showkey}
    made = _RENDERED.get(name)
    if made is not None:
        return made(args, named)
    if name in _CURRENCIES:
        return _CURRENCIES[name] + (args[0] if args else "")
    if name in _LISTS:
        return "; ".join(" ".join(a.replace("- ", "; ").split()).strip("; ") for a in args if a)
    if name in _DATES:
        return _date(args)
    if _LAST.match(name):
        return args[-1] if args else ""
    if _FIRST.match(name):
        return args[0] if args else named.get("1", "")
    if not args and len(named) >= 3 or name.startswith("infobox"):
        return (
            "\n"
            + "\n".join(f"{key.replace('_', ' ')}: {value}" for key, value in named.items() if value)
            + "\n"
        )
    return " ".join(filter(None, args))


def _magic(word: str, first: str, node: Template, depth: int) -> str:
    import mwparserfromhell

    text = _nodes(mwparserfromhell.parse(first), depth + 1).strip()
    if word == "uc":
        return text.upper()
    if word == "lc":
        return text.lower()
    if word in ("#if", "#ifeq", "plural", "gender") and node.params:
        return _nodes(node.params[0].value, depth + 1).strip()
    return "" if word in ("#invoke", "defaultsort", "displaytitle") else text


def _convert(args: Arguments, named: Named) -> str:
    """Render {{convert|120|m}} as the value with its first unit; ranges such as |5|to|10|km keep their word."""
    words = {
        "-": "–",
        "–": "–",
        "to": " to ",
        "and": " and ",
        "by": " by ",
        "x": " × ",
        "or": " or ",
        "+/-": " ± ",
        "±": " ± ",
    }
    out, i = args[0] if args else "", 1
    while i + 1 < len(args) and args[i] in words:
        out += words[args[i]] + args[i + 1]
        i += 2
    return f"{out} {args[i]}".strip() if i < len(args) else out


def _value(args: Arguments, named: Named) -> str:
    """Render {{val}}: number, uncertainty, power and unit."""
    text = args[0] if args else ""
    if len(args) > 1 and args[1]:
        text += f" ± {args[1]}"
    if named.get("e"):
        text += f"×10^{named['e']}"
    unit = named.get("u") or named.get("ul") or named.get("up") or ""
    return f"{named.get('p', '')}{text}{named.get('s', '')}" + (f" {unit}" if unit else "")


def _fraction(args: Arguments, named: Named) -> str:
    if len(args) >= 3:
        return f"{args[0]} {args[1]}/{args[2]}"
    return f"{args[0]}/{args[1]}" if len(args) == 2 else f"1/{args[0]}" if args else ""


def _date(args: Arguments) -> str:
    parts = [a for a in args if a]
    numbers = [str(_MONTHS.get(p.lower(), p)) for p in parts[:3]]
    if numbers and all(n.isdigit() for n in numbers) and len(numbers[0]) == 4:
        return "-".join(n.zfill(2) for n in numbers)
    return " ".join(parts)


def _coordinates(args: Arguments, named: Named) -> str:
    plain = [a for a in args if re.fullmatch(r"[-+]?[\d.]+|[NSEW]", a)]
    if len(plain) == 2:
        return f"{plain[0]}, {plain[1]}"
    text = ""
    marks = iter("°′″")
    for part in plain:
        if part in "NSEW":
            text += f"{part} "
            marks = iter("°′″")
        else:
            text += part + next(marks, "")
    return text.strip()


def _percentage(args: Arguments, named: Named) -> str:
    try:
        places = int(args[2]) if len(args) > 2 and args[2] else 0
        return f"{100 * float(args[0].replace(',', '')) / float(args[1].replace(',', '')):.{places}f}%"
    except (ValueError, IndexError, ZeroDivisionError):
        return " ".join(args)


_RENDERED: dict[str, Callable[[Arguments, Named], str]] = {
    "convert": _convert,
    "cvt": _convert,
    "val": _value,
    "frac": _fraction,
    "sfrac": _fraction,
    "fraction": _fraction,
    "coord": _coordinates,
    "percentage": _percentage,
    "pct": _percentage,
    "circa": lambda args, named: f"c. {args[0]}" if args else "c.",
    "c.": lambda args, named: f"c. {args[0]}" if args else "c.",
    "as of": lambda args, named: f"As of {_date(args)}",
    "sortname": lambda args, named: " ".join(args[:2]),
    "height": lambda args, named: " ".join(f"{value} {key}" for key, value in named.items() if value),
    "ship": lambda args, named: " ".join(filter(None, args[:2])),
    "ussmall": lambda args, named: " ".join(args),
    "fb": lambda args, named: args[0] if args else "",
    "isbn": lambda args, named: f"ISBN {args[0]}" if args else "",
    "increasenegative": lambda args, named: args[0] if args else "",
    "age": lambda args, named: " ".join(args),
    "small": lambda args, named: args[0] if args else "",
}
