r"""Names of documents: from the bytes of a file system to ids, and which names are not documents.

An id is the path from the root of the lake, with "/", exactly as written: no folding of case, no normalisation, no
decoding of percent signs. Only bytes that are not UTF-8 need an escape, since an id is valid Unicode: each becomes
``\xNN`` in lower case. So that no two files share an id, a backslash that would read as such an escape in a name
that is itself valid (``\xe9`` or ``\x5c`` typed out) is written ``\x5c``. Every other backslash stands for itself.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

STATE_FOLDER: Final = ".headwater"

_LOOKS_ESCAPED: Final = re.compile(r"\\(?=x(?:5c|[89a-f][0-9a-f]))")
_ESCAPED: Final = re.compile(rb"\\x(5c|[89a-f][0-9a-f])")
_UNDECODABLE: Final = re.compile("[\udc80-\udcff]")

# Names that are not documents, whatever they hold. The first rule that fits gives the reason.
_FOLDER_RULES: Final = (
    (re.compile(r"\.(?!\.)."), "hidden folder: its name begins with a dot"),
    (re.compile(r"__MACOSX$"), "folder of macOS resource forks"),
    (re.compile(r"_temporary$"), "folder of an unfinished Spark job"),
    (
        re.compile(r"\$RECYCLE\.BIN$|System Volume Information$|lost\+found$"),
        "folder of the operating system",
    ),
)
_FILE_RULES: Final = (
    (re.compile(r"\.(?!\.)."), "hidden file: its name begins with a dot"),
    (re.compile(r"~\$"), "lock file of an office program"),
    (re.compile(r".+\.(part|partial|filepart|crdownload|download)$", re.IGNORECASE), "unfinished download"),
    (re.compile(r"_(SUCCESS|FAILURE|committed_\d+|started_\d+)$"), "marker file of a Spark job"),
    (re.compile(r"(Thumbs\.db|desktop\.ini)$", re.IGNORECASE), "file of the operating system"),
    (re.compile(r".+~$"), "backup copy of an editor"),
)


def id_from_bytes(path: bytes) -> str:
    """Return the id of the file with this relative path; the inverse of `bytes_from_id`."""
    text = path.decode("utf-8", "surrogateescape")
    text = _LOOKS_ESCAPED.sub(r"\\x5c", text)
    return _UNDECODABLE.sub(lambda m: f"\\x{ord(m[0]) - 0xDC00:02x}", text)


def bytes_from_id(path: str) -> bytes:
    """Return the relative path, as the file system spells it, of the file with this id."""
    return _ESCAPED.sub(lambda m: bytes([int(m[1], 16)]), path.encode("utf-8", "surrogateescape"))


def reason_to_leave_out(name: str, *, folder: bool) -> str | None:
    """Return why a file or folder with this name is no part of a lake, or None.

    Names that begin with one dot are hidden, as everywhere in Unix; ``..csv`` and ``...`` are not.
    """
    rules = _FOLDER_RULES if folder else _FILE_RULES
    return next((reason for pattern, reason in rules if pattern.match(name)), None)


def hidden_part(path: str) -> tuple[str, str] | None:
    """Return the topmost part of an id that is left out, as (id of that part, reason), or None."""
    parts = path.split("/")
    for i, part in enumerate(parts):
        reason = reason_to_leave_out(part, folder=i < len(parts) - 1)
        if reason:
            return "/".join(parts[: i + 1]), reason
    return None


def printable(text: str) -> str:
    """Return `text` on one line, with control, format and bidirectional marks made visible as escapes."""
    return "".join(
        c if c == " " or unicodedata.category(c) not in _INVISIBLE else c.encode("unicode_escape").decode()
        for c in text
    )


_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})
