"""One script on its way into a graph: its name, dialect and lines, and the session its statements share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from headwater.graph._model import Origin
from headwater.graph.loaders._lexer import PUNCT, WORD, Lines, Token
from headwater.graph.loaders._statements import Statement

if TYPE_CHECKING:
    from headwater.graph.loaders._lineage import Session


@dataclass(slots=True)
class ScriptFile:
    """A script, or the body of a routine or a literal in one.

    Attributes:
        name: of the file.
        dialect: sqlglot's name of the dialect, "" for plain SQL.
        lines: of the text.
        session: temporary tables.
        database: the database or schema that USE or search_path has selected, or "".
        settings: variables of a sqlcmd script, `$(name)` with its value.
        variables: SELECT … INTO fills variables here.
        routine: the text is the body of a routine, where anything may stand.
    """

    name: str
    dialect: str
    lines: Lines
    session: Session
    database: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    variables: bool = False
    routine: bool = False

    @property
    def tool(self) -> str:
        """The tool of origins: "ddl:" and the dialect."""
        return f"ddl:{self.dialect or 'sql'}"

    def origin(self, statement: Statement) -> Origin:
        """Return where a statement stands."""
        return Origin(self.tool, self.name, statement.line, statement.number)

    def inner(self, text: str, position: int, *, variables: bool = False) -> ScriptFile:
        """Return the script for SQL inside this one that starts at `position`."""
        lines = Lines(text, self.lines.at(position))
        return ScriptFile(
            self.name, self.dialect, lines, self.session, self.database, self.settings, variables, True
        )


# What begins a clause after the query of a view or table that is no part of the query.
_TAILS = (
    ("WITH", "CHECK", "OPTION"), ("WITH", "CASCADED", "CHECK"), ("WITH", "LOCAL", "CHECK"), ("WITH", "READ", "ONLY"),
    ("WITH", "NO", "DATA"), ("WITH", "DATA"), ("WITH", "NO", "SCHEMA"), ("DISTRIBUTED", "BY"), ("DISTRIBUTED", "RANDOMLY"),
    ("DISTRIBUTED", "REPLICATED"), ("PRIMARY", "INDEX"), ("UNIQUE", "PRIMARY", "INDEX"), ("ON", "COMMIT"),
)  # fmt: skip
_TAIL_STARTS = {tail[0] for tail in _TAILS}


def without_tail(tokens: list[Token]) -> list[Token]:
    """Return the tokens of a query without clauses of the view or table around it."""
    depth = 0
    for i, token in enumerate(tokens):
        if token.kind == PUNCT:
            depth += (token.key == "(") - (token.key == ")")
        elif token.kind == WORD and token.key in _TAIL_STARTS and i and depth <= 0:
            for tail in _TAILS:
                following = tokens[i : i + len(tail) + 1]
                # WITH data AS (…) is a query of its own.
                if tuple(t.key for t in following[: len(tail)]) == tail and following[-1].key != "AS":
                    return tokens[:i]
    return tokens


def comment_before(statement: Statement) -> str:
    """Return the line comments that stand right before a statement."""
    start = statement.tokens[0].start
    lines = statement.text[max(0, start - 500) : start].split("\n")[:-1]
    out: list[str] = []
    while lines and lines[-1].lstrip().startswith("--"):
        out.append(lines.pop())
    return "\n".join(out)
