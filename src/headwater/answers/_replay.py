"""An answer computed again from its program, without any model: does it still hold?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.answers._engines import Engine, LakeEngine, MemoryEngine, engine_of_table, first_table
from headwater.answers._evidence import file_hash, path_hash, quoted_row
from headwater.answers._graph import LANGUAGE, SAVED, replay_graph
from headwater.answers._score import values_of
from headwater.answers._words import numeral, plain, words
from headwater.errors import HeadwaterError, UsageError

if TYPE_CHECKING:
    from headwater.lake import Lake

TOLERANCE = 1e-9
"""Relative difference of numbers that counts as none: sums of floating point numbers depend on their order."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Whether an answer holds over what is there now.

    Attributes:
        holds: nothing differs.
        differences: one sentence each.
        checked: what was compared.
    """

    holds: bool
    differences: list[str] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return the object of the JSON contract, without `schema` and `ok`."""
        return {"holds": self.holds, "differences": self.differences, "checked": self.checked}


def replay(answer: dict[str, Any], lake: Lake | None = None, base: Path | None = None) -> Replay:
    """Compute an answer again and compare inputs, value and evidence.

    Args:
        answer: the object of `headwater ask --json`.
        lake: where its documents are, if not in files of their own.
        base: folder that relative paths of files are taken from; the working folder if left out.

    Raises:
        UsageError: the object is no answer, or was not answered.
    """
    if answer.get("status") != "answered" or not isinstance(answer.get("inputs"), list):
        raise UsageError(
            "Only an answer with status 'answered' can be replayed.",
            hint="headwater ask … --json > answer.json",
        )
    differences: list[str] = []
    checked: list[str] = []
    files: dict[str, Path] = {}
    for told in answer["inputs"]:
        _check_input(told, lake, base or Path(), files, differences)
        checked.append(f"hash of {told.get('document')}")
    program = answer.get("program")
    engine: Engine | None = None
    if program and program.get("language") == LANGUAGE:
        replay_graph(answer, lake, base or Path(), differences)
        return Replay(not differences, list(dict.fromkeys(differences)), [*checked, "value", "edges"])
    try:
        engine = _engine(files, lake)
        if answer.get("verification") == "quoted":
            _check_quoted(answer, differences)
            checked.append("value in the quote")
        if program:
            _check_value(answer, program, engine, differences)
            checked.append("value")
        for told in answer.get("evidence", []):
            _check_evidence(told, engine, lake, differences)
        checked.append(f"{len(answer.get('evidence', []))} pieces of evidence")
    except HeadwaterError as error:
        differences.append(f"The program cannot be run any more: {error.message}")
    finally:
        if isinstance(engine, MemoryEngine):
            engine.close()
    return Replay(not differences, list(dict.fromkeys(differences)), checked)


def _check_input(
    told: dict[str, Any], lake: Lake | None, base: Path, files: dict[str, Path], differences: list[str]
) -> None:
    name = str(told.get("document", ""))
    document = lake.catalog.document(name) if lake is not None else None
    if document is not None:
        now = document.sha256
    elif lake is not None and name == SAVED and (Path(lake.state) / SAVED).is_file():
        now = path_hash(Path(lake.state) / SAVED)
    elif (base / name).is_dir():
        now = path_hash(base / name)
    elif (base / name).is_file():
        files[name] = base / name
        now = file_hash(base / name)
    else:
        differences.append(f"{name} is not there any more.")
        return
    if now != told.get("sha256"):
        differences.append(
            f"{name} has changed: its SHA-256 was {str(told.get('sha256'))[:12]}…, it is {now[:12]}…."
        )


def _engine(files: dict[str, Path], lake: Lake | None) -> Engine | None:
    if files:
        name, path = next(iter(files.items()))
        return engine_of_table(first_table(path), name)
    return LakeEngine(lake) if lake is not None else None


def _check_value(
    answer: dict[str, Any], program: dict[str, Any], engine: Engine | None, differences: list[str]
) -> None:
    if program.get("language") != "sql":
        differences.append(f"A program in {program.get('language')!r} is not replayed here.")
        return
    if engine is None:
        return
    before = answer.get("value")
    now = values_of(engine.run(str(program.get("source"))))
    if Counter(map(_same, before if isinstance(before, list) else [before])) != Counter(map(_same, now)):
        differences.append(f"The value was {before!r}, the program gives {now[:20]!r} now.")


def _check_quoted(answer: dict[str, Any], differences: list[str]) -> None:
    """A value that is quoted must stand in one of the quotes, as it is or as a number word."""
    quotes = " ".join(plain(str(e.get("quote"))) for e in answer.get("evidence", ()))
    quotes += " " + " ".join(
        str(int(n)) for w in words(quotes) if w.isalpha() and (n := numeral(w)) is not None
    )
    value, held = answer.get("value"), " ".join(words(quotes))
    values = value if isinstance(value, list) else [value]
    missing = [v for v in values if " ".join(words(str(v))) not in held]
    differences += [f"No quoted passage holds {v!r}." for v in missing]


def _same(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return float(f"{value:.{9}g}")


def _check_evidence(
    told: dict[str, Any], engine: Engine | None, lake: Lake | None, differences: list[str]
) -> None:
    locator, quote, document = told.get("locator") or {}, str(told.get("quote")), str(told.get("document"))
    if told.get("kind") == "sentence" and lake is not None:
        record = lake.catalog.document(document)
        text = (lake.catalog.body(record.content).text or "") if record else ""
        if text[int(locator.get("start", 0)) : int(locator.get("end", 0))].strip() != quote:
            differences.append(f"{document} no longer holds the quoted sentence at its place.")
    elif told.get("kind") in ("cell", "row") and engine is not None:
        row, column = int(locator.get("row", 0)), locator.get("column")
        source = "t('" + document.replace("'", "''") + "')"
        what = '"' + str(column).replace('"', '""') + '"' if column else engine.everything
        rows = engine.run(f"select {what} from {source} where _row = {row}")
        now = (str(rows[0][0]) if column else quoted_row(rows[0])) if rows else None
        if now != quote:
            differences.append(f"{document}, row {row}, {column or 'whole row'}: was {quote!r}, is {now!r}.")
