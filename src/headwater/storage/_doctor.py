"""What is the matter: checks of this machine and of the way to a lake, for ``headwater doctor``."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from headwater.errors import HeadwaterError
from headwater.storage._disk import free_bytes
from headwater.storage._local import LocalStorage
from headwater.storage._names import printable
from headwater.storage._state import foreign_state, lake_url, state_dir

if TYPE_CHECKING:
    from headwater.storage._s3_client import S3Options

_PACKAGES: Final = ("headwater", "duckdb", "pyarrow", "tantivy", "sqlglot", "boto3")
_LOW_SPACE: Final = 500_000_000
_STS_TIMEOUT_S: Final = 3.0


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its name, whether it is well (None: cannot be told), what was found, what to do."""

    name: str
    ok: bool | None
    detail: str
    hint: str = ""


def diagnose(
    place: str | Path,
    *,
    state: str | Path | None = None,
    anonymous: bool = False,
    endpoint: str | None = None,
    region: str | None = None,
    profile: str | None = None,
) -> list[Check]:
    """Check versions, state, disk and the way to a lake. Never raises for what is wrong, never tells a secret.

    Args:
        place: the lake: a folder or ``s3://bucket/prefix``.
        state: its state folder, if the user chose one.
        anonymous: S3, as for `open_storage`.
        endpoint: likewise.
        region: likewise.
        profile: likewise.
    """
    checks = [_versions()]
    try:
        url = lake_url(place)
        checks += _state_checks(url, state)
        if url.startswith("s3://"):
            from headwater.storage._s3_client import S3Options

            options = S3Options(anonymous=anonymous, endpoint=endpoint, region=region, profile=profile)
            checks += _bucket_checks(url, options)
        else:
            LocalStorage(url)
            checks.append(Check("lake", True, f"folder {printable(url)}, can be listed"))
    except HeadwaterError as error:
        checks.append(Check("lake", False, error.message, error.hint))
    return checks


def _versions() -> Check:
    from importlib.metadata import PackageNotFoundError, version

    found = [f"Python {sys.version.split()[0]}"]
    for package in _PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} not installed")
    return Check("versions", True, ", ".join(found))


def _state_checks(url: str, chosen: str | Path | None) -> Iterator[Check]:
    for notice in [] if chosen else foreign_state(url):
        yield Check("foreign state", None, notice)
    try:
        state = state_dir(url, chosen)
    except HeadwaterError as error:
        yield Check("state folder", False, error.message, error.hint)
        return
    made = "exists" if state.exists() else "not made yet"
    place = state if state.exists() else next(p for p in state.parents if p.exists())
    writable = os.access(place, os.W_OK)
    hint = "" if writable else "Give a folder that can be written with --state or HEADWATER_STATE."
    yield Check("state folder", writable, f"{printable(str(state))} ({made})", hint)
    free = free_bytes(state)
    hint = "" if free > _LOW_SPACE else "Free some space, or give another disk with --state."
    yield Check("disk space", free > _LOW_SPACE, f"{free / 1e6:,.0f} MB free", hint)


def _bucket_checks(url: str, options: S3Options) -> Iterator[Check]:
    from headwater.storage._s3_client import make_client, make_session

    session = make_session(options)
    yield from _identity(session, options)
    client = make_client(options, session=session, timeout_s=10, attempts=2)
    yield Check("endpoint", True, re.sub(r"//[^/@]*@", "//…@", client.meta.endpoint_url))
    region = session.region_name
    yield Check(
        "region",
        True,
        region or "none set, us-east-1 is used",
        "" if region else "If the bucket is elsewhere, set AWS_REGION or --region.",
    )
    bucket, _, prefix = url.removeprefix("s3://").partition("/")
    prefix = f"{prefix}/" if prefix else ""
    listed, keys = _try_call(client, "list_objects_v2", Bucket=bucket, Prefix=prefix, MaxKeys=10)
    yield listed
    readable = next((k["Key"] for k in (keys or {}).get("Contents", ()) if k["Size"]), None)
    if readable:
        yield _try_call(client, "get_object", Bucket=bucket, Key=readable, Range="bytes=0-0")[0]
    elif keys is not None:
        yield Check("s3 get_object", None, "no object to try it on", "" if keys else "Check the prefix.")
    if not listed.ok and not options.anonymous:
        public = make_client(options, unsigned=True, session=session, timeout_s=10, attempts=2)
        found, answer = _try_call(public, "list_objects_v2", Bucket=bucket, Prefix=prefix, MaxKeys=1)
        hint = "The bucket is public: use --anonymous." if answer is not None else ""
        yield Check("s3 without credentials", found.ok, found.detail, hint)


def _identity(session: Any, options: S3Options) -> Iterator[Check]:
    """Tell who asks: the source in the chain, the shortened key id, and the ARN where STS answers in time."""
    from botocore.exceptions import BotoCoreError, ClientError

    if options.anonymous:
        yield Check("identity", True, "anonymous, by choice")
        return
    try:
        credentials = session.get_credentials()
        frozen = credentials.get_frozen_credentials() if credentials else None
    except (BotoCoreError, ClientError) as error:
        yield Check("identity", False, f"credentials cannot be had: {error}", "Log in again (aws sso login).")
        return
    if frozen is None or not frozen.access_key:
        hint = "Set AWS_ACCESS_KEY_ID, AWS_PROFILE or a role, or use --anonymous for a public bucket."
        yield Check("identity", None, "no credentials found in the chain", hint)
        return
    key_id = frozen.access_key
    shown = f"{key_id[:4]}…{key_id[-4:]}" if len(key_id) >= 12 else f"{key_id[:2]}…"
    profile = f", profile {session.profile_name}" if credentials.method != "env" else ""
    temporary = ", temporary" if frozen.token else ""
    yield Check(
        "identity", True, f"access key {shown} from {_source(credentials.method)}{profile}{temporary}"
    )
    yield _arn(session, options)


def _arn(session: Any, options: S3Options) -> Check:
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError

    if options.endpoint or os.environ.get("AWS_ENDPOINT_URL") or os.environ.get("AWS_ENDPOINT_URL_S3"):
        return Check("arn", None, "not asked for: the endpoint is not Amazon's")
    limits = Config(
        connect_timeout=_STS_TIMEOUT_S, read_timeout=_STS_TIMEOUT_S, retries={"total_max_attempts": 1}
    )
    sts = session.client("sts", region_name=session.region_name or "us-east-1", config=limits)
    try:
        return Check("arn", True, sts.get_caller_identity()["Arn"])
    except ClientError as error:
        code = error.response["Error"]["Code"]
        return Check("arn", False, f"STS refuses these credentials: {code}", _HINTS.get(code, ""))
    except BotoCoreError as error:
        return Check("arn", None, f"STS cannot be reached ({type(error).__name__})")


def _try_call(client: Any, operation: str, **request: Any) -> tuple[Check, dict[str, Any] | None]:
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        answer = getattr(client, operation)(**request)
    except ClientError as error:
        code = error.response["Error"]["Code"]
        status = error.response["ResponseMetadata"].get("HTTPStatusCode", "")
        detail = f"refused: {code} (HTTP {status})"
        right = (
            "s3:ListBucket on the bucket" if operation.startswith("list") else "s3:GetObject on its objects"
        )
        hint = _HINTS.get(code, "").format(right=right)
        return Check(f"s3 {operation}", False, detail, hint), None
    except BotoCoreError as error:
        hint = _HINTS.get(
            type(error).__name__, "Check network and endpoint (AWS_ENDPOINT_URL or --endpoint)."
        )
        return Check(f"s3 {operation}", False, f"no answer: {type(error).__name__}", hint), None
    return Check(f"s3 {operation}", True, "allowed"), answer


def _source(method: str) -> str:
    return _SOURCES.get(method, method)


_SOURCES: Final = {
    "env": "the environment (AWS_ACCESS_KEY_ID)",
    "shared-credentials-file": "the shared credentials file",
    "config-file": "the AWS configuration file",
    "assume-role": "an assumed role",
    "assume-role-with-web-identity": "a role by web identity (Kubernetes)",
    "sso": "single sign-on",
    "iam-role": "the role of this machine",
    "container-role": "the role of this container",
    "custom-process": "a credential process",
}

_HINTS: Final = {
    "AccessDenied": "This identity is known but lacks the right {right}, or a policy of the bucket, the "
    "organisation or a VPC endpoint denies it. Ask its owner for that right, choose another identity with "
    "AWS_PROFILE or --profile, or use --anonymous for a public bucket.",
    "InvalidAccessKeyId": "The server does not know this access key: it belongs to another provider or was deleted. "
    "Check the endpoint, or choose other credentials.",
    "SignatureDoesNotMatch": "The secret does not belong to the access key, or the clock is off, or a proxy changes "
    "the request. Set the credentials again.",
    "ExpiredToken": "The temporary credentials have expired. Log in again (aws sso login) or renew them.",
    "InvalidToken": "The session token does not belong to the key; a stale AWS_SESSION_TOKEN is a usual cause.",
    "InvalidClientTokenId": "Amazon does not know this access key.",
    "RequestTimeTooSkewed": "The clock of this machine is off by more than 15 minutes. Set it.",
    "NoSuchBucket": "There is no bucket of this name at this endpoint. Check name and endpoint.",
    "PermanentRedirect": "The bucket is in another region. Set AWS_REGION or --region.",
    "AuthorizationHeaderMalformed": "The bucket is in another region. Set AWS_REGION or --region.",
    "NoCredentialsError": "No credentials were found. Set AWS_ACCESS_KEY_ID or AWS_PROFILE, or use --anonymous.",
}
