"""Clients for S3 and S3-compatible servers, and their errors in plain words."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from headwater.errors import HeadwaterError, MissingExtraError, NotFoundError, ReadError, SetupError

if TYPE_CHECKING:
    from botocore.client import BaseClient

DENIED: Final = frozenset(
    {"AccessDenied", "AllAccessDisabled", "403", "Forbidden", "InvalidAccessKeyId", "SignatureDoesNotMatch"}
    | {"InvalidToken", "AuthorizationHeaderMalformed", "NotSignedUp", "UnauthorizedAccess"}
)
EXPIRED: Final = frozenset(
    {"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired"}
)
ABSENT: Final = frozenset({"NoSuchKey", "404", "NotFound"})
_ATTEMPTS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Options:
    """How to reach a bucket; what is None comes from the usual AWS chain (environment, files, roles)."""

    anonymous: bool = False
    endpoint: str | None = None
    region: str | None = None
    profile: str | None = None


def make_session(options: S3Options) -> Any:
    """Return a boto3 session; its credentials are refreshed by their provider, never copied.

    Raises:
        MissingExtraError: boto3 is not installed.
        SetupError: the profile does not exist.
    """
    try:
        import boto3
        from botocore.exceptions import ProfileNotFound
    except ImportError as error:
        raise MissingExtraError.for_group("boto3", "s3") from error
    try:
        return boto3.Session(profile_name=options.profile, region_name=options.region)
    except ProfileNotFound as error:
        raise SetupError(
            str(error) + ".", hint="See the profiles with: aws configure list-profiles"
        ) from error


def make_client(
    options: S3Options,
    *,
    unsigned: bool = False,
    session: Any = None,
    timeout_s: float = 60,
    attempts: int = 0,
) -> BaseClient:
    """Return an S3 client.

    Retries are botocore's "standard" mode: exponential back-off with jitter, with a quota shared by all calls. A
    server that is not Amazon's is addressed by path, since its buckets rarely have names of their own in DNS.
    """
    import botocore
    from botocore.config import Config

    session = session or make_session(options)
    endpoint = (
        options.endpoint
        or os.environ.get("AWS_ENDPOINT_URL_S3")
        or os.environ.get("AWS_ENDPOINT_URL")
        or None
    )
    settings: dict[str, Any] = {
        "connect_timeout": min(10, timeout_s),
        "read_timeout": timeout_s,
        "max_pool_connections": 32,
        "retries": {"mode": "standard", "total_max_attempts": attempts or _ATTEMPTS},
    }
    if unsigned or options.anonymous:
        settings["signature_version"] = botocore.UNSIGNED

    def client(**more: Any) -> BaseClient:
        return session.client(
            "s3",
            endpoint_url=endpoint,
            region_name=session.region_name or "us-east-1",
            config=Config(**settings, **more),
        )

    made = client()
    if ".amazonaws." in made.meta.endpoint_url:
        return made
    return client(
        s3={"addressing_style": "path"},
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )


def code_of(error: Exception) -> str:
    """Return the server's error code, or the name of the client's own error."""
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        return str(response.get("Error", {}).get("Code", ""))
    return type(error).__name__


def is_about_credentials(error: Exception) -> bool:
    """Tell whether a call failed for who was asking, so that asking as nobody may work."""
    names = {
        "NoCredentialsError",
        "PartialCredentialsError",
        "CredentialRetrievalError",
        "TokenRetrievalError",
    }
    names |= {"SSOTokenLoadError", "UnauthorizedSSOTokenError", "SSOError", "MetadataRetrievalError"}
    return code_of(error) in DENIED | EXPIRED | names


def explain(error: Exception, *, url: str, operation: str, key: str = "") -> HeadwaterError:
    """Return the error of headwater for an error of boto3.

    One object that is refused costs itself alone; a bucket that is refused, or a server that does not answer, stops
    the job.
    """
    from botocore.exceptions import ClientError

    code = code_of(error)
    where = f"{url}/{key}" if key else url
    if key and code in ABSENT:
        return NotFoundError(f"There is no {key} in the lake.", where=url)
    if code in {"NoSuchBucket", *ABSENT}:
        return SetupError(
            "This bucket does not exist.", where=where, hint="Check its name, region and endpoint."
        )
    if code == "NoCredentialsError":
        return SetupError(
            "No credentials for S3 were found, and the bucket does not let everybody in.",
            where=where,
            hint="Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; "
            f"headwater doctor {url} shows what is looked at.",
        )
    if is_about_credentials(error):
        if key and code in DENIED:
            return ReadError(f"The server refuses to give this object ({operation}: {code}).", where=key)
        return SetupError(
            f"The server refuses access ({operation}: {code}).",
            where=where,
            hint=f"See who asks and why it is refused with: headwater doctor {url}",
        )
    if isinstance(error, ClientError):
        text = error.response.get("Error", {}).get("Message", "")
        message = f"The server answers {operation} with {code}: {text}".rstrip(": ") + "."
        return ReadError(message, where=key) if key else SetupError(message, where=where)
    return SetupError(
        f"The object store cannot be reached ({operation}: {code}).",
        where=where,
        hint=f"Check network, endpoint and region; headwater doctor {url} tells more. Then run the same command "
        "again: what was done is kept, and nothing is taken for deleted.",
    )
