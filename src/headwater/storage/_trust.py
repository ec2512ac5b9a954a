"""What this user has made or chosen to trust, kept outside every lake.

A lake is untrusted, and so is a state folder or a configuration file that came with it. Headwater therefore keeps a
record for each lake in the user's own state folder. A `.headwater` in a lake counts only if the random id in it is
the one recorded for that lake, which nobody else can know; a `headwater.toml` in a lake counts only if the user said
so with ``headwater trust``, and only as long as its content stays the same.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from headwater.errors import SetupError

MARKER: Final = "LAKE.json"
CONFIG_FILE: Final = "headwater.toml"


@dataclass(slots=True)
class Record:
    """What is known of one lake.

    Attributes:
        url: the lake.
        state_id: id of the state folder inside the lake that is taken for our own, or "".
        config_sha256: hash of the configuration file inside the lake that the user trusts, or "".
    """

    url: str
    state_id: str = ""
    config_sha256: str = field(default="")


def registry() -> Path:
    """Return the folder of the records."""
    import platformdirs

    return platformdirs.user_state_path("headwater") / "lakes"


def record_of(url: str) -> Record:
    """Return the record of a lake, an empty one if there is none."""
    found = _read(_record_path(url))
    return found if found and found.url == url else Record(url)


def save(record: Record) -> None:
    """Write a record.

    Raises:
        SetupError: the user's state folder cannot be written.
    """
    path = _record_path(record.url)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(path, json.dumps(asdict(record)))
    except OSError as error:
        raise SetupError(
            f"The user's state folder cannot be written: {error.strerror}.",
            where=str(path.parent),
            hint="Set XDG_STATE_HOME to a folder that can be written, or give --state.",
        ) from error


def owns(state: Path, url: str) -> bool:
    """Tell whether the state folder inside a lake was made for this lake by this user, or is trusted.

    A lake that was moved keeps its state: its id is known, and there is nothing any more where it was made.
    """
    state_id = marker_of(state).get("id")
    if not state_id:
        return False
    if record_of(url).state_id == state_id:
        return True
    for path in registry().glob("*.json"):
        found = _read(path)
        if found and found.state_id == state_id and not Path(found.url).is_dir():
            save(Record(url, state_id, found.config_sha256))
            path.unlink(missing_ok=True)
            return True
    return False


def marker_of(state: Path) -> dict[str, Any]:
    """Return the marker in a state folder, {} if there is none or the folder is a link."""
    if state.is_symlink():
        return {}
    found = read_json(state / MARKER)
    return found if found.get("made_by") == "headwater" and isinstance(found.get("id"), str) else {}


def trust(lake: str | Path) -> list[str]:
    """Trust what lies in a lake now: its state folder and its configuration file.

    Args:
        lake: the folder.

    Returns:
        What is trusted from now on, as texts; empty if there is nothing to trust.

    Raises:
        SetupError: no such folder, or the record cannot be written.
    """
    root = Path(os.path.realpath(lake))
    if not root.is_dir():
        raise SetupError(f"There is no folder {lake}.", hint="Give the root of the lake.")
    record = record_of(str(root))
    done = []
    state_id = marker_of(root / ".headwater").get("id")
    if state_id:
        record.state_id = state_id
        done.append(f"the state folder {root / '.headwater'}")
    digest = _sha256(root / CONFIG_FILE)
    if digest:
        record.config_sha256 = digest
        done.append(f"the configuration file {root / CONFIG_FILE}, as long as it stays as it is")
    if done:
        save(record)
    return done


def untrust(lake: str | Path) -> None:
    """Forget what was trusted of a lake; a state folder that headwater made there is no longer its own either."""
    _record_path(os.path.realpath(lake)).unlink(missing_ok=True)


def is_trusted(config: Path, lake: str | Path) -> bool:
    """Tell whether the user trusts this configuration file of a lake with the content that it has now."""
    digest = _sha256(config)
    return bool(digest) and record_of(os.path.realpath(lake)).config_sha256 == digest


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a small JSON file, {} if it is not there, not whole or a link."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            found = json.loads(file.read(1 << 16))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_atomically(path: Path, text: str) -> None:
    """Write a small file so that it is either as before or wholly new, also after a power cut."""
    temporary = path.with_name(path.name + ".new")
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def _record_path(url: str) -> Path:
    return registry() / f"{hashlib.sha256(url.encode('utf-8', 'surrogateescape')).hexdigest()[:32]}.json"


def _read(path: Path) -> Record | None:
    found = read_json(path)
    if not isinstance(found.get("url"), str):
        return None
    return Record(found["url"], str(found.get("state_id", "")), str(found.get("config_sha256", "")))


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
