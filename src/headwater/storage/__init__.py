"""Where the bytes of a lake lie, and where headwater keeps its own state.

A lake is a folder or ``s3://bucket/prefix`` and is only ever read. State lies beside it, under rules that keep
what somebody else put into a lake from configuring anything.
"""

from __future__ import annotations

from pathlib import Path

from headwater.errors import UsageError
from headwater.storage._disk import disk_guard, free_bytes
from headwater.storage._doctor import Check, diagnose
from headwater.storage._entry import Entry, Kind, Storage
from headwater.storage._lock import Lock
from headwater.storage._names import STATE_FOLDER, bytes_from_id, id_from_bytes, printable
from headwater.storage._state import STATE_VERSION, LakeLocation, find_lake, lake_url, state_dir
from headwater.storage._trust import is_trusted, trust, untrust

__all__ = [
    "STATE_FOLDER",
    "STATE_VERSION",
    "Check",
    "Entry",
    "Kind",
    "LakeLocation",
    "Lock",
    "Storage",
    "bytes_from_id",
    "diagnose",
    "disk_guard",
    "find_lake",
    "free_bytes",
    "id_from_bytes",
    "is_trusted",
    "lake_url",
    "open_storage",
    "printable",
    "state_dir",
    "trust",
    "untrust",
]


def open_storage(
    url: str | Path,
    *,
    anonymous: bool = False,
    endpoint: str | None = None,
    region: str | None = None,
    profile: str | None = None,
    exclude: tuple[Path, ...] = (),
    scratch: Path | None = None,
) -> Storage:
    """Open a folder or ``s3://bucket/prefix`` for reading.

    Args:
        url: the folder (also ``file:///…``) or bucket.
        anonymous: S3: send no credentials.
        endpoint: S3: URL of an S3-compatible server; else ``AWS_ENDPOINT_URL`` and the profile count.
        region: S3: region; else the usual chain.
        profile: S3: profile of the AWS configuration files.
        exclude: folders inside a local lake that are no part of it.
        scratch: folder for temporary downloads; else the system's.

    Raises:
        SetupError: it does not exist or may not be read.
        MissingExtraError: S3 without the package boto3.
        UsageError: another kind of URL.
    """
    place = lake_url(url)
    if place.startswith("s3://"):
        from headwater.storage._s3 import S3Storage
        from headwater.storage._s3_client import S3Options

        options = S3Options(anonymous=anonymous, endpoint=endpoint, region=region, profile=profile)
        return S3Storage(place, options, scratch=scratch)
    if endpoint or anonymous:
        raise UsageError(
            f"{printable(place)} is a folder; an endpoint or anonymous access is for s3:// only.",
            hint="Give s3://bucket/prefix, or leave the option out.",
        )
    from headwater.storage._local import LocalStorage

    return LocalStorage(place, exclude=exclude)
