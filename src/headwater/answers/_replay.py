"""An answer computed again from its program, without any model: does it still hold?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.answers._engines import Engine, LakeEngine, MemoryEngine, engine_of_table, first_table
from headwater.answers._evidence import file_hash, path_hash, quoted_row
from headwater.answers._graph import LANGUAGE, SAVED, replay_graph
from headwater.answers._origin import references, unfounded
from headwater.answers._score import values_of
from headwater.answers._told import check_form, text_problem, values_told
from headwater.answers._words import numeral, plain, words
from headwater.errors import HeadwaterError

if TYPE_CHECKING:
    from headwater.lake import Lake

DIGITS = 9
"""Significant digits of numbers that are compared: sums of floating point numbers depend on their order."""


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
    differences, files = _of_all(answer, lake, base or Path())
    program = answer.get("program")
    if program and program["language"] == LANGUAGE:
        try:
            replay_graph(answer, lake, base or Path(), differences)
        except HeadwaterError as error:
            differences.append(f"The graph cannot be asked any more: {error.message}")
        return _told(answer, differences, "value", "edges")
    engine: Engine | None = None
    try:
        engine = _engine(files, lake)
        _check_value(answer, program, engine, differences)
        _check_places(answer, engine, lake, differences)
    except HeadwaterError as error:
        differences.append(f"The program cannot be run any more: {error.message}")
    finally:
        if isinstance(engine, MemoryEngine):
            engine.close()
    return _told(answer, differences, "value" if program else "value in the quote", _pieces(answer))


def check_places(answer: dict[str, Any], lake: Lake, base: Path | None = None) -> Replay:
    """Compare form, inputs, text and evidence of an answer whose value is computed elsewhere.

    Raises:
        UsageError: the object is no answer, or was not answered.
    """
    differences, _ = _of_all(answer, lake, base or Path())
    try:
        _check_places(answer, LakeEngine(lake), lake, differences)
    except HeadwaterError as error:
        differences.append(f"The evidence cannot be read any more: {error.message}")
    return _told(answer, differences, _pieces(answer))


def _of_all(answer: dict[str, Any], lake: Lake | None, base: Path) -> tuple[list[str], dict[str, Path]]:
    """Return what differs in what every answer has, form, inputs and text; and its inputs that are files of their own."""
    check_form(answer)
    differences: list[str] = []
    files: dict[str, Path] = {}
    for told in answer["inputs"]:
        _check_input(told, lake, base, files, differences)
    if not answer["inputs"]:
        differences.append("The answer names no input: what it was computed from cannot be checked.")
    if problem := text_problem(answer):
        differences.append(problem)
    return differences, files


def _told(answer: dict[str, Any], differences: list[str], *checked: str) -> Replay:
    hashes = [f"hash of {told['document']}" for told in answer["inputs"]]
    return Replay(not differences, list(dict.fromkeys(differences)), [*hashes, *checked])


def _pieces(answer: dict[str, Any]) -> str:
    return f"{len(answer.get('evidence') or ())} pieces of evidence"


def _check_places(
    answer: dict[str, Any], engine: Engine | None, lake: Lake | None, differences: list[str]
) -> None:
    names = {told["document"] for told in answer["inputs"]}
    for told in answer.get("evidence") or ():
        _check_evidence(told, engine, lake, names, differences)


def _check_input(
    told: dict[str, Any], lake: Lake | None, base: Path, files: dict[str, Path], differences: list[str]
) -> None:
    name = told["document"]
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
    answer: dict[str, Any], program: dict[str, Any] | None, engine: Engine | None, differences: list[str]
) -> None:
    if program is None:
        _check_quoted(answer, differences)
        return
    if program["language"] != "sql":
        differences.append(f"A program in {program['language']!r} is not replayed here.")
        return
    if engine is None:
        differences.append("The inputs are not there: the program cannot be run.")
        return
    source, before = program["source"], values_told(answer)
    differences += unfounded(source)
    names = {told["document"] for told in answer["inputs"]}
    differences += [
        f"The program reads {reference}, which is not among the inputs."
        for reference in references(source)
        if not _among(engine, reference, names)
    ]
    now = values_of(engine.run(source))
    if not now or Counter(map(_same, before)) != Counter(map(_same, now)):
        differences.append(f"The value was {answer.get('value')!r}, the program gives {now[:20]!r} now.")


def _among(engine: Engine, reference: str, inputs: set[str]) -> bool:
    """Tell whether a table or series is read from inputs only."""
    documents = engine.documents(reference)
    return bool(documents) and documents <= inputs


def _check_quoted(answer: dict[str, Any], differences: list[str]) -> None:
    """A value without a program must stand in one of the quoted sentences, as it is or as a number word."""
    held = [list(words(plain(e["quote"]))) for e in answer.get("evidence") or () if e["kind"] == "sentence"]
    for passage in held:
        passage += [str(int(n)) for w in passage if w.isalpha() and (n := numeral(w)) is not None]
    for value in values_told(answer):
        wanted = list(words(plain(str(value))))
        if not wanted or not any(
            passage[i : i + len(wanted)] == wanted for passage in held for i in range(len(passage))
        ):
            differences.append(f"No program computes {value!r}, and no quoted passage holds it.")


def _same(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return float(f"{value:.{DIGITS}g}")


def _check_evidence(
    told: dict[str, Any], engine: Engine | None, lake: Lake | None, inputs: set[str], differences: list[str]
) -> None:
    locator, quote, document, kind = told["locator"], told["quote"], told["document"], told["kind"]
    if document not in inputs and not (engine is not None and _among(engine, document, inputs)):
        differences.append(f"The evidence is in {document}, which is not among the inputs.")
    if kind == "sentence" and lake is not None:
        record = lake.catalog.document(document)
        text = (lake.catalog.body(record.content).text or "") if record else ""
        if text[locator.get("start", 0) : locator.get("end", 0)].strip() != quote or not quote:
            differences.append(f"{document} no longer holds the quoted sentence at its place.")
    elif kind in ("cell", "row") and engine is not None:
        row, column = locator.get("row", 0), locator.get("column")
        source = "t('" + document.replace("'", "''") + "')"
        what = engine.everything
        if column:
            what = '"' + str(column).replace('"', '""') + '"'
            what = f"{what}, cast({what} as varchar)"  # a time is quoted as the engine prints it
        rows = engine.run(f"select {what} from {source} where _row = {row}")
        forms = [str(cell) for cell in rows[0]] if rows and column else [quoted_row(r) for r in rows]
        now = forms[0] if forms else None
        if quote not in forms:
            differences.append(f"{document}, row {row}, {column or 'whole row'}: was {quote!r}, is {now!r}.")
    else:
        differences.append(f"Evidence of kind {kind!r} in {document} cannot be checked here.")
