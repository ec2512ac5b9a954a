"""The exceptions headwater raises, in one tree.

::

    HeadwaterError
    ├── UsageError            the call itself is off (exit code 2)
    ├── SetupError            something on this machine is missing: a lake, a package, a right (exit code 5)
    │   └── MissingExtraError an optional group of packages is not installed
    ├── NotFoundError         a named document, table, column or dataset does not exist (exit code 1)
    ├── AmbiguousError        a short name fits several things (exit code 2)
    ├── LimitError            a stated limit of time, memory, rows or money was reached (exit code 4)
    ├── RefusedError          an operation that is not allowed, for instance a statement that writes (exit code 2)
    └── DocumentError         one input cannot be used; the job goes on without it
        ├── ReadError         it is damaged, or not what it claims to be (state: failed)
        └── SkipDocument      it is left out on purpose, with a reason (state: skipped)
"""

from __future__ import annotations

from typing import Any, ClassVar


class HeadwaterError(Exception):
    """Base of every error that headwater raises on purpose.

    Attributes:
        message: what went wrong, one sentence.
        where: the place (file, row, column, statement), or "".
        hint: what to do next, or "".
        nearest: names of existing things close to the one that was asked for.
        kind: stable word for programs; the ``error.kind`` of JSON output.
        exit_code: exit code of the command line for this error.
    """

    kind: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(
        self, message: str, *, where: str = "", hint: str = "", nearest: list[str] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint
        self.nearest = list(nearest or [])

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.message, self.where, self.hint, self.nearest)

    def to_dict(self) -> dict[str, Any]:
        """Return the error object of the JSON contract."""
        return {
            "kind": self.kind,
            "message": self.message,
            "where": self.where,
            "hint": self.hint,
            "nearest": self.nearest,
        }


def _rebuild(
    cls: type[HeadwaterError], message: str, where: str, hint: str, nearest: list[str]
) -> HeadwaterError:
    return cls(message, where=where, hint=hint, nearest=nearest)


class UsageError(HeadwaterError):
    """The call itself is off: a bad flag, a bad value."""

    kind = "usage"
    exit_code = 2


class SetupError(HeadwaterError):
    """Something on this machine is missing: a lake, a permission, a service."""

    kind = "setup"
    exit_code = 5


class MissingExtraError(SetupError):
    """An optional group of packages is not installed."""

    kind = "missing_extra"

    def __init__(
        self, message: str, *, where: str = "", hint: str = "", nearest: list[str] | None = None
    ) -> None:
        super().__init__(message, where=where, hint=hint, nearest=nearest)

    @classmethod
    def for_group(cls, package: str, group: str) -> MissingExtraError:
        """Return the error for `package` of the optional group `group`."""
        return cls(
            f"This needs the package {package}, which is not installed.",
            hint=f"Install it with: pip install 'headwater[{group}]'",
        )


class NotFoundError(HeadwaterError):
    """A named document, table, column or dataset does not exist."""

    kind = "not_found"


class AmbiguousError(HeadwaterError):
    """A short name fits several things; `nearest` lists them."""

    kind = "ambiguous"
    exit_code = 2


class LimitError(HeadwaterError):
    """A stated limit of time, memory, rows or money was reached."""

    kind = "limit"
    exit_code = 4


class RefusedError(HeadwaterError):
    """An operation that is not allowed, for instance a statement that writes."""

    kind = "refused"
    exit_code = 2


class DocumentError(HeadwaterError):
    """One input cannot be used; the job goes on without it."""

    kind = "document"
    exit_code = 3


class ReadError(DocumentError):
    """A document is damaged or not what it claims to be."""

    kind = "unreadable"


class SkipDocument(DocumentError):
    """A document is left out on purpose; the message is the reason."""

    kind = "skipped"
