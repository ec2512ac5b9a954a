"""Settings: one table for flags, arguments, environment variables and configuration keys.

A setting has one name. ``ingest.timeout`` is the flag ``--timeout`` of ``headwater ingest``, the argument ``timeout``
of the function, the environment variable ``HEADWATER_INGEST_TIMEOUT`` and the key ``timeout`` in the section
``[ingest]`` of ``headwater.toml``. The first of these that is given counts: flag or argument, environment, file of
the project (``headwater.toml`` in the working folder), file of the user, default.

A lake is untrusted: a project file that lies in a lake is not read unless the user said ``headwater trust``, and no
project file at all sets what would send requests or credentials elsewhere (`Setting.user_only`).
"""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final

from headwater.errors import HeadwaterError, UsageError

CONFIG_FILE: Final = "headwater.toml"
_PREFIX: Final = "HEADWATER_"
_NUMBER: Final = re.compile(r"\s*([+-]?[0-9][0-9_]*(?:\.[0-9]+)?|\.[0-9]+)\s*([A-Za-z]*)\s*$")

_SECONDS: Final = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_SECOND_NAMES: Final = {"": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s", "m": "min", "mins": "min"} | {
    "minute": "min", "minutes": "min", "hour": "h", "hours": "h", "hr": "h", "day": "d", "days": "d", "msec": "ms"
}  # fmt: skip
_BYTES: Final = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12} | {
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40
}  # fmt: skip


def parse_seconds(text: str | float) -> float:
    """Return the seconds of a time span: ``90``, ``90s``, ``5min``, ``1.5h``, ``250ms``, ``2d``.

    Raises:
        UsageError: it is none, or negative.
    """
    number, unit = _number_and_unit(text, "a time span such as 90s, 5min or 2h")
    unit = unit.lower()
    scale = _SECONDS.get(_SECOND_NAMES.get(unit, unit))
    if scale is None or number < 0:
        raise _bad(text, "a time span such as 90s, 5min or 2h")
    return float(number) * scale


def parse_bytes(text: str | int) -> int:
    """Return the bytes of an amount: ``600MB`` (10^6), ``1GiB`` (2^30), ``64k``, ``1000000``.

    Raises:
        UsageError: it is none, or negative.
    """
    number, unit = _number_and_unit(text, "an amount such as 600MB or 1GiB")
    names = {name.lower(): scale for name, scale in _BYTES.items()}
    scale = names.get(unit.lower() or "b") or names.get(f"{unit.lower()}b")
    if scale is None or number < 0:
        raise _bad(text, "an amount such as 600MB or 1GiB")
    return int(number * scale)


def parse_usd(text: str | float) -> Decimal:
    """Return an amount of money in US dollars: ``0.50usd``, ``$0.50``, ``0.5``.

    Raises:
        UsageError: it is none, or negative.
    """
    number, unit = _number_and_unit(str(text).strip().removeprefix("$"), "an amount such as 0.50usd")
    if unit.lower() not in ("", "usd") or number < 0:
        raise _bad(text, "an amount such as 0.50usd")
    return number


def format_seconds(seconds: float) -> str:
    """Return a time span in the largest unit that holds it whole; `parse_seconds` reads it."""
    for unit in ("d", "h", "min", "s"):
        if seconds and seconds % _SECONDS[unit] == 0:
            return f"{seconds / _SECONDS[unit]:.0f}{unit}"
    return f"{seconds:g}s"


def format_bytes(amount: int) -> str:
    """Return an amount in the largest unit that holds it whole; `parse_bytes` reads it."""
    fitting = [name for name, scale in _BYTES.items() if amount and amount % scale == 0]
    unit = max(fitting, key=lambda name: _BYTES[name], default="B")
    return f"{amount // _BYTES[unit]}{unit}"


def _number_and_unit(text: str | float, wanted: str) -> tuple[Decimal, str]:
    found = _NUMBER.match(str(text))
    if found is None or isinstance(text, bool):
        raise _bad(text, wanted)
    try:
        return Decimal(found[1].replace("_", "")), found[2]
    except InvalidOperation as error:
        raise _bad(text, wanted) from error


def _bad(text: object, wanted: str) -> UsageError:
    return UsageError(f"{text!r} is not {wanted}.")


def _parse_flag(text: str | bool) -> bool:
    words = {
        "1": True,
        "true": True,
        "yes": True,
        "on": True,
        "0": False,
        "false": False,
        "no": False,
        "off": False,
    }
    found = words.get(str(text).strip().lower())
    if found is None:
        raise _bad(text, "true or false")
    return found


def _parse_count(text: str | int) -> int:
    try:
        found = int(str(text))
    except ValueError:
        found = -1
    if found < 0 or isinstance(text, bool):
        raise _bad(text, "a whole number from 0")
    return found


def _parse_text(text: object) -> str:
    if not isinstance(text, str | os.PathLike):
        raise _bad(text, "a text in quotes")
    return os.fspath(text)


_TYPES: Final[dict[str, tuple[Callable[[Any], Any], Callable[[Any], str]]]] = {
    "text": (_parse_text, str),
    "path": (_parse_text, str),
    "flag": (_parse_flag, lambda value: "true" if value else "false"),
    "count": (_parse_count, str),
    "seconds": (parse_seconds, format_seconds),
    "bytes": (parse_bytes, format_bytes),
    "usd": (parse_usd, lambda value: f"{value:.2f}usd" if value == round(value, 2) else f"{value}usd"),
}


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    Attributes:
        name: ``verb.name``, or a plain name for those that every verb takes.
        type: "text", "path", "flag", "count", "seconds", "bytes" or "usd".
        default: as a user would write it, or None for unset.
        help: one sentence.
        choices: allowed values; empty: any.
        user_only: not taken from a project file.
    """

    name: str
    type: str
    default: str | None
    help: str
    choices: tuple[str, ...] = ()
    user_only: bool = False

    @property
    def flag(self) -> str:
        """The option of the command line."""
        return "--" + self.name.rpartition(".")[2].replace("_", "-")

    @property
    def env(self) -> str:
        """The environment variable."""
        return _PREFIX + self.name.replace(".", "_").upper()

    def parse(self, value: Any, origin: str = "") -> Any:
        """Return the value of a text (or of a value from TOML or Python).

        Raises:
            UsageError: it does not fit; `where` is `origin`.
        """
        try:
            parsed = _TYPES[self.type][0](value)
        except UsageError as error:
            raise UsageError(f"{self.name}: {error.message}", where=origin) from error
        if self.choices and parsed not in self.choices:
            near = difflib.get_close_matches(str(parsed), self.choices)
            raise UsageError(
                f"{self.name}: {parsed!r} is not one of {', '.join(self.choices)}.",
                where=origin,
                nearest=near,
            )
        return parsed

    def show(self, value: Any) -> str:
        """Return a value in its normal form, "" for unset."""
        return "" if value is None else _TYPES[self.type][1](value)


SETTINGS: Final = (
    Setting("lake", "text", None, "The lake: a folder or s3://bucket/prefix."),
    Setting("state", "path", None, "Folder for headwater's own state.", user_only=True),
    Setting("anonymous", "flag", "false", "Send no credentials to S3."),
    Setting("endpoint", "text", None, "URL of an S3-compatible server.", user_only=True),
    Setting("region", "text", None, "Region of the bucket."),
    Setting("profile", "text", None, "Profile of the AWS configuration files.", user_only=True),
    Setting("quiet", "flag", "false", "No progress and no notices."),
    Setting("offline", "flag", "false", "Never use the network, but for the lake itself."),
    Setting("ingest.workers", "count", "0", "Reading processes; 0: one per core."),
    Setting("ingest.memory", "bytes", "1200MB", "Memory at which a reading process is stopped."),
    Setting("ingest.timeout", "seconds", "300s", "Time after which reading one file is stopped."),
    Setting("ingest.recycle_after", "count", "400", "Files after which a reading process is replaced."),
    Setting("search.limit", "count", "10", "Hits at most."),
    Setting("search.mode", "text", "hybrid", "How to search.", ("lexical", "vector", "hybrid")),
    Setting("sql.limit", "count", "1000", "Rows at most."),
    Setting("sql.timeout", "seconds", "15s", "Deadline of one query."),
    Setting("sql.memory", "bytes", "600MB", "Memory of the query process."),
    Setting("code.seconds", "seconds", "20s", "Time of a piece of code in the sandbox."),
    Setting("code.memory", "bytes", "800MB", "Memory of a piece of code in the sandbox."),
    Setting("ask.model", "text", None, "The model that explores, e.g. openai:NAME, anthropic:NAME, google:NAME, ollama:NAME; unset: exact mode, no model."),
    Setting("ask.base_url", "text", None, "Address of another server than the provider's own; its key is HEADWATER_MODEL_KEY.", user_only=True),
    Setting("ask.price", "text", None, "Price of the model: USD per million tokens, input and output (and, if they differ, read from and written to the provider's cache), e.g. 0.15,0.60; unset: the list price, nominal."),
    Setting("ask.max_cost", "usd", None, "Money of one question."),
    Setting("ask.max_turns", "count", "25", "Rounds of one question."),
    Setting("ask.max_tokens", "count", "400000", "Tokens of one question, input and output."),
    Setting("ask.timeout", "seconds", "450s", "Time of one question."),
    Setting("ask.context", "count", "24000", "Tokens of one request; less for a model that takes less."),
    Setting("ask.calls_per_minute", "count", "0", "Calls to the model per minute; 0: no limit."),
    Setting("ask.tokens_per_minute", "count", "0", "Tokens per minute; 0: no limit."),
    Setting("mcp.transport", "text", "stdio", "How clients are served.", ("stdio", "http")),
    Setting("mcp.host", "text", "127.0.0.1", "Address that is bound to; another than loopback needs a token.", user_only=True),
    Setting("mcp.port", "count", "8377", "Port."),
    Setting("mcp.token", "text", None, "What clients send as bearer token.", user_only=True),
    Setting("bench.model", "text", None, "The model of a benchmark run, e.g. openai:NAME or ollama:NAME."),
    Setting("bench.base_url", "text", None, "Address of another server than the provider's own; its key is HEADWATER_MODEL_KEY.", user_only=True),
    Setting("bench.price", "text", None, "Price of the model: USD per million tokens, input and output (and, if they differ, read from and written to the provider's cache), e.g. 0.15,0.60; unset: the list price, nominal."),
    Setting("bench.limit", "count", "0", "Items of a run, the first ones; 0: all."),
    Setting("bench.repeats", "count", "1", "Attempts at every item."),
    Setting("bench.concurrency", "count", "4", "Items at a time, where a model is called."),
    Setting("bench.seed", "count", "42", "Seed of whatever is drawn."),
    Setting("bench.max_usd", "usd", None, "Money of a run, over all its sessions."),
    Setting("bench.max_tokens", "count", None, "Tokens of a run, over all its sessions."),
    Setting("bench.max_seconds", "seconds", None, "Time of a run, over all its sessions."),
    Setting("bench.item_usd", "usd", None, "Money of one item."),
    Setting("bench.item_tokens", "count", None, "Tokens of one item."),
    Setting("bench.item_seconds", "seconds", "600s", "Time of one item."),
    Setting("bench.calls_per_minute", "count", "0", "Calls to the model per minute; 0: no limit."),
    Setting("bench.tokens_per_minute", "count", "0", "Tokens per minute; 0: no limit."),
    Setting("bench.timeout", "seconds", "120s", "Time of one call to the model."),
    Setting("bench.retries", "count", "5", "Tries after the first one, where a call fails."),
)  # fmt: skip
"""Every setting; the tables of the documentation are made from it."""

_BY_NAME: Final = {setting.name: setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a setting and where it comes from."""

    setting: Setting
    value: Any
    origin: str

    @property
    def shown(self) -> str:
        """The value in its normal form."""
        return self.setting.show(self.value)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in force, with their origins.

    Attributes:
        values: by name.
        notices: texts for the user: files that were not read, and why.
    """

    values: dict[str, Value]
    notices: list[str] = field(default_factory=list)

    @classmethod
    def load(
        cls,
        given: Mapping[str, Any] | None = None,
        *,
        environ: Mapping[str, str] = os.environ,
        folder: str | Path | None = None,
        lake: str | Path | None = None,
        user_file: Path | None = None,
    ) -> Settings:
        """Return the settings in force.

        Args:
            given: flags or arguments by name; None for one that was not given.
            environ: the environment.
            folder: the working folder; where the project file is looked for.
            lake: a lake that is about to be used, though not by the setting `lake`; a project file in it is untrusted.
            user_file: file of the user; else ``headwater.toml`` in the platform's configuration folder.

        Raises:
            UsageError: a value does not fit, a key or name is unknown, a file is no TOML.
        """
        given = {name: value for name, value in (given or {}).items() if value is not None}
        unknown = next((name for name in given if name not in _BY_NAME), None)
        if unknown:
            raise _unknown(unknown, "arguments")
        notices = list(_typos(environ))
        user_path = user_file or _user_file()
        user = _read_file(user_path)
        project_path = Path(folder or ".").absolute() / CONFIG_FILE
        project = _read_project(
            project_path, (given.get("lake"), environ.get("HEADWATER_LAKE"), lake), notices
        )
        sources: tuple[tuple[Mapping[str, Any], str], ...] = (
            (given, "flag {0.flag}"),
            ({s.name: environ[s.env] for s in SETTINGS if environ.get(s.env)}, "environment {0.env}"),
            (project, str(project_path)),
            (user, str(user_path)),
            ({s.name: s.default for s in SETTINGS if s.default is not None}, "default"),
        )
        values = {s.name: _first(s, sources) for s in SETTINGS}
        return cls(values, notices)

    def __getitem__(self, name: str) -> Any:
        try:
            return self.values[name].value
        except KeyError:
            raise _unknown(name, "settings") from None

    def __iter__(self) -> Iterator[Value]:
        return iter(self.values.values())

    def origin(self, name: str) -> str:
        """Return where a value comes from: "flag --x", "environment X", the path of a file, or "default"."""
        if name not in self.values:
            raise _unknown(name, "settings")
        return self.values[name].origin

    def shown(self, name: str) -> str:
        """Return a value in its normal form."""
        if name not in self.values:
            raise _unknown(name, "settings")
        return self.values[name].shown


def _first(setting: Setting, sources: tuple[tuple[Mapping[str, Any], str], ...]) -> Value:
    for source, origin in sources:
        if setting.name in source:
            told = origin.format(setting) if origin.startswith(("flag ", "environment ")) else origin
            return Value(setting, setting.parse(source[setting.name], told), told)
    return Value(setting, None, "default")


def _user_file() -> Path:
    import platformdirs

    return platformdirs.user_config_path("headwater") / CONFIG_FILE


def _read_file(path: Path) -> dict[str, Any]:
    """Return the settings in a file by name, {} if there is none."""
    try:
        with open(path, "rb") as file:
            found = tomllib.load(file)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise UsageError(
            f"The configuration file cannot be read: {error.strerror}.", where=str(path)
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"The configuration file is no valid TOML: {error}.", where=str(path)) from error
    flat: dict[str, Any] = {}
    for key, value in found.items():
        inner = value if isinstance(value, dict) else None
        flat.update({f"{key}.{k}": v for k, v in inner.items()} if inner is not None else {key: value})
    named = {key.replace("-", "_"): value for key, value in flat.items()}
    unknown = next((name for name in named if name not in _BY_NAME), None)
    if unknown:
        raise _unknown(unknown, str(path))
    return named


def _read_project(path: Path, lakes: tuple[Any, ...], notices: list[str]) -> dict[str, Any]:
    """Return the settings in the file of the project, {} where it may not be read."""
    if not path.is_file():
        return {}
    from headwater.storage import find_lake, is_trusted, lake_url

    roots = {lake_url(place) for place in lakes if place}
    with contextlib.suppress(HeadwaterError):  # the working folder is in no lake
        roots.add(find_lake(path.parent, environ={}).url)
    trusted = any(is_trusted(path, root) for root in roots | {str(path.parent)})
    if not trusted and any(_lies_in(path, root) for root in roots):
        notices.append(_not_read(path))
        return {}
    found = _read_file(path)
    own_lake = found.get("lake")
    if not trusted and isinstance(own_lake, str) and _lies_in(path, lake_url(path.parent / own_lake)):
        notices.append(_not_read(path))
        return {}
    for name in [name for name in found if _BY_NAME[name].user_only]:
        del found[name]
        notices.append(
            f"{name} in {path} is not taken from there, since it says where requests or state go; set it in "
            f"{_user_file()} or with {_BY_NAME[name].env}."
        )
    if isinstance(own_lake, str) and "://" not in own_lake:
        found["lake"] = str(path.parent / own_lake)
    return found


def _lies_in(path: Path, root: str) -> bool:
    return "://" not in root and Path(os.path.realpath(path)).is_relative_to(root)


def _not_read(path: Path) -> str:
    return (
        f"{path} lies inside the lake and is not read, since whoever made the lake may have put it there; "
        f"'headwater trust {path.parent}' changes that."
    )


def _typos(environ: Mapping[str, str]) -> Iterator[str]:
    known = {setting.env for setting in SETTINGS}
    for name in sorted(environ):
        if name.startswith(_PREFIX) and name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.85)
            if near:
                yield f"The environment variable {name} is unknown; {near[0]} may be meant."


def _unknown(name: str, where: str) -> UsageError:
    near = difflib.get_close_matches(name, _BY_NAME, n=3)
    near = near or [known for known in _BY_NAME if known.rpartition(".")[2] == name.rpartition(".")[2]]
    return UsageError(f"There is no setting {name!r}.", where=where, nearest=near)
