"""From DuckDB's complaints to errors a user can act on: nearest names, no paths of the machine, no internal names."""

from __future__ import annotations

import difflib
import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from headwater.errors import HeadwaterError, LimitError, NotFoundError, RefusedError, SetupError, UsageError
from headwater.sql._aliases import excerpt
from headwater.sql._rewrite import Use
from headwater.sql._worker import WorkerDied, WorkerError

MISSING_COLUMN = tuple(
    re.compile(pattern)
    for pattern in (
        r'Referenced column "(?P<name>(?:[^"]|"")+)" not found',
        r'does not have a column named "(?P<name>(?:[^"]|"")+)"',
        r'Column (?:"[^"]*"\.)?"(?P<name>(?:[^"]|"")+)" in [A-Z]+ list not found',
        r'Column "(?P<name>(?:[^"]|"")+)" does not exist on (?:left|right) side of join',
    )
)
MISSING_ALIAS = re.compile(r'Referenced table "(?P<name>(?:[^"]|"")+)" not found')
MISSING_FUNCTION = re.compile(r"Function with name (?P<name>\S+) does not exist")
SUGGESTION = re.compile(r'Did you mean "(?P<name>[^"]+)"')
LINE = re.compile(r"\nLINE (\d+):")
POSITION = re.compile(r"\n+LINE \d+:.*", re.DOTALL)
MEMORY_ERRORS = ("OutOfMemoryException", "MemoryError")
TEXT_GIVEN = re.compile(r"\((?:[^()]*\W)?(?:VARCHAR|STRING_LITERAL)\b")
CHOOSE = "In order to select one, please add explicit type casts."
CANDIDATES = 2
"""Forms of a function that an error names."""
TEXT_HINT = "A text is no number or date by itself: try_cast(column as double), try_cast(column as date)."
SHORTEN_HINT = "Select fewer columns, filter earlier, or aggregate before joining."


@dataclass(slots=True)
class Context:
    """What is known of a statement when it fails.

    Attributes:
        uses: tables of the lake in it.
        names: name of a view -> name for the user.
        paths: paths of the data files.
        memory_mb, deadline_s: the limits in force.
        sql: the statement as the user wrote it.
    """

    memory_mb: int
    deadline_s: float
    uses: Sequence[Use] = ()
    names: dict[str, str] = field(default_factory=dict)
    paths: Sequence[str] = ()
    sql: str = ""

    def columns(self) -> dict[str, str]:
        """Return the columns of the tables in the statement, each with the name of its table."""
        return {column: use.alias or use.ref.name for use in self.uses for column in use.columns}


def nearest(name: str, names: Iterable[str], limit: int = 5) -> list[str]:
    """Return the names most like `name`, without regard to case, spaces and underscores."""
    folded: dict[str, list[str]] = {}
    for candidate in names:
        tail = candidate.rsplit("/", 1)[-1]
        for key in dict.fromkeys((_fold(candidate), _fold(tail), _fold(tail.split(".")[0]))):
            folded.setdefault(key, []).append(candidate)
    wanted = _fold(name)
    close = difflib.get_close_matches(wanted, folded, n=limit, cutoff=0.5)
    holding = [
        key for key in folded if key not in close and wanted and key and (wanted in key or key in wanted)
    ]
    ranked = [candidate for key in [*close, *sorted(holding, key=len)] for candidate in folded[key]]
    return list(dict.fromkeys(ranked))[:limit]


def explain_failure(error: WorkerError | WorkerDied, context: Context) -> HeadwaterError:
    """Return the error to raise for a failure in the query process."""
    if isinstance(error, WorkerDied):
        return _out_of_time(context) if error.late else _out_of_memory(context)
    message = clean(error.message, context)
    if error.kind == "InterruptException":
        return _out_of_time(context)
    if error.kind in MEMORY_ERRORS or "bad_alloc" in error.message or "malloc of size" in error.message:
        return _out_of_memory(context)
    if error.kind == "Refused":
        return LimitError(
            f"No result: {message}.", hint="Select fewer or shorter columns, for instance left(column, 200)."
        )
    if error.kind == "SerializationException" or "expression depth" in error.message:
        return RefusedError("The statement is nested too deeply.", hint="Break it up with WITH … AS.")
    if error.kind == "ParserException":
        line = LINE.search(error.message)
        around = excerpt(context.sql, error.message)
        return UsageError(
            f"The statement cannot be read: {message}",
            where=(f"line {line[1]}" if line else "") + (f": {around}" if around else ""),
            hint="The SQL is DuckDB's dialect.",
        )
    if error.kind == "PermissionException":
        return RefusedError(
            f"Not allowed: {message}", hint="A query reads the tables of the lake and nothing else."
        )
    if error.kind == "IOException":
        return SetupError(
            f"The data of a table cannot be read: {message}", hint="Run `headwater ingest` again."
        )
    return _missing_name(error, message, context) or UsageError(message, hint=_hint(error, context))


def clean(message: str, context: Context) -> str:
    """Return DuckDB's text without what a user must not or need not see."""
    message = _few_candidates(POSITION.sub("", message)).strip()
    message = re.sub(r"^[A-Z][\w ]*? Error: ", "", message)
    for view, name in context.names.items():
        message = message.replace(view, name)
    for path in sorted(context.paths, key=len, reverse=True):
        message = message.replace(path, Path(path).name)
    roots = {str(Path.home()), tempfile.gettempdir(), *(str(Path(p).parent) for p in context.paths)}
    for root in sorted(roots - {"/", ""}, key=len, reverse=True):
        message = message.replace(root, "…")
    return message


def _few_candidates(message: str) -> str:
    """Return DuckDB's text with the first forms of a function only, and none where a text stands for another type."""
    head, found, listed = message.partition("\n\tCandidate functions:")
    forms = [] if TEXT_GIVEN.search(head) else [line.strip() for line in listed.split("\n") if line.strip()]
    head = head.replace("You might need to add explicit type casts.", "").replace(CHOOSE, "").strip()
    return f"{head} It takes: {'; '.join(forms[:CANDIDATES])}." if found and forms else head


def _missing_name(error: WorkerError, message: str, context: Context) -> HeadwaterError | None:
    function = MISSING_FUNCTION.search(error.message)
    if function:
        near = [m["name"] for m in SUGGESTION.finditer(error.message)]
        return NotFoundError(
            f"There is no function {function['name']}().", hint=_did_you_mean(near), nearest=near
        )
    if alias := MISSING_ALIAS.search(error.message):
        names = [use.alias for use in context.uses]
        near = nearest(_unquoted(alias), names) or names
        return NotFoundError(
            f"No table in this query goes by the name {_unquoted(alias)!r}.",
            hint=_did_you_mean(near),
            nearest=near,
        )
    found = next((match for pattern in MISSING_COLUMN if (match := pattern.search(error.message))), None)
    if found is None:
        return None
    name = _unquoted(found)
    columns = context.columns()
    near = nearest(name, columns)
    listed = ", ".join(list(columns)[:30]) + (" …" if len(columns) > 30 else "")
    if f'"{name}"' in context.sql and not near:
        return NotFoundError(
            f"There is no column {name!r} in {_tables(context)}.",
            hint=f"If it is a text, write it in single quotes: '{name}'. The columns are: {listed}.",
        )
    hint = _did_you_mean(near) or (f"The columns are: {listed}." if listed else message)
    return NotFoundError(f"There is no column {name!r} in {_tables(context)}.", hint=hint, nearest=near)


def _unquoted(match: re.Match[str]) -> str:
    return match["name"].replace('""', '"')


def _tables(context: Context) -> str:
    names = list(dict.fromkeys(use.ref.name for use in context.uses))
    return ", ".join(names) if names else "this query"


def _did_you_mean(names: Sequence[str]) -> str:
    return f"Did you mean {', '.join(names[:3])}?" if names else ""


def _hint(error: WorkerError, context: Context) -> str:
    if error.kind == "ConversionException":
        return "try_cast(column as type) gives null where a value does not fit."
    if "argument types" in error.message or "best candidate" in error.message:
        return TEXT_HINT if TEXT_GIVEN.search(error.message.split("\n")[0]) else ""
    if "Ambiguous" in error.message:
        return f"Put the table before it: {', '.join(use.alias for use in context.uses)}."
    return ""


def _out_of_time(context: Context) -> LimitError:
    return LimitError(
        f"The statement was stopped after {context.deadline_s:g} s, the time limit.",
        hint="Filter first, avoid joins without an equality, or raise the limit.",
    )


def _out_of_memory(context: Context) -> LimitError:
    return LimitError(
        f"The statement needs more than the {context.memory_mb} MB of memory a query gets.", hint=SHORTEN_HINT
    )


def _fold(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())
