"""Real database servers for the loaders, each in a folder of its own on a free port."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[2].parent / "shared"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def unprivileged(*names: str) -> dict[str, object]:
    """Servers refuse to run as root: run them as one of these users, or else as nobody."""
    if os.geteuid() != 0:
        return {}
    for name in (*names, "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    pytest.skip("there is no unprivileged user to run a server as")


def give_to(folder: Path, account: dict[str, object]) -> None:
    if account:
        os.chown(folder, account["user"], account["group"])  # type: ignore[arg-type]


def wait_for(ready: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while not ready():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            pytest.fail(
                f"the server did not start: {log.read_text(encoding='utf-8', errors='replace')[-2000:]}"
            )
        time.sleep(0.1)


@pytest.fixture(scope="session")
def server_folder() -> Iterator[Path]:
    # Not pytest's own folder: another user must be able to reach it, and socket paths must stay short.
    roots = [Path(tempfile.gettempdir()), Path("/var/tmp"), Path("/dev/shm")]
    root = next((r for r in roots if r.is_dir() and (os.geteuid() != 0 or r.stat().st_mode & 0o001)), None)
    if root is None:
        pytest.skip("there is no temporary folder that another user can reach")
    folder = root / f"hw-servers-{os.getpid()}"
    folder.mkdir(mode=0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()


@pytest.fixture(scope="session")
def postgres_url(server_folder: Path) -> Iterator[str]:
    """URL of a PostgreSQL server with a password, started for the tests."""
    pytest.importorskip("psycopg")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = str(found[-1]) if found else shutil.which("initdb")
    if initdb is None:
        pytest.skip("PostgreSQL's server programs are not installed (Debian: postgresql)")
    account = unprivileged("postgres")
    folder = server_folder / "pg"
    folder.mkdir()
    secret = folder / "secret"
    secret.write_text("s3cr3t-Pa/ss", encoding="utf-8")
    for path in (folder, secret):
        give_to(path, account)
    data, port, log = folder / "data", free_port(), folder / "log"
    command = [
        initdb,
        "-D",
        str(data),
        "-U",
        "keeper",
        "-A",
        "scram-sha-256",
        f"--pwfile={secret}",
        "-E",
        "UTF8",
        "--no-sync",
    ]
    subprocess.run(command, check=True, capture_output=True, cwd=folder, **account)  # type: ignore[call-overload]
    with log.open("wb") as out:
        process = subprocess.Popen(  # type: ignore[call-overload]
            [str(Path(initdb).with_name("postgres")), "-D", str(data), "-p", str(port), "-k", str(folder), "-c", "listen_addresses=127.0.0.1", "-F"],
            stdout=out, stderr=out, cwd=folder, **account,
        )  # fmt: skip

    def ready() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    wait_for(ready, process, log)
    time.sleep(0.3)
    yield f"postgresql://keeper:s3cr3t-Pa%2Fss@127.0.0.1:{port}/postgres"
    stop(process)


@pytest.fixture(scope="session")
def mysql_url(server_folder: Path) -> Iterator[str]:
    """URL of a MariaDB or MySQL server with a password, started for the tests."""
    pymysql = pytest.importorskip("pymysql")
    server, install = shutil.which("mariadbd") or "/usr/sbin/mariadbd", shutil.which("mariadb-install-db")
    if install is None or not Path(server).exists():
        pytest.skip("MariaDB's server programs are not installed (Debian: mariadb-server)")
    account = unprivileged("mysql")
    folder = server_folder / "my"
    folder.mkdir()
    give_to(folder, account)
    data, port, log = folder / "data", free_port(), folder / "log"
    options = ["--no-defaults", f"--datadir={data}", f"--tmpdir={folder}"]
    subprocess.run(  # type: ignore[call-overload]
        [install, *options, "--auth-root-authentication-method=normal", "--skip-test-db"],
        check=True,
        capture_output=True,
        env={**os.environ, "TMPDIR": str(folder)},
        cwd=folder,
        **account,
    )
    with log.open("wb") as out:
        process = subprocess.Popen(  # type: ignore[call-overload]
            [server, *options, f"--port={port}", f"--socket={folder}/s", f"--pid-file={folder}/pid", "--bind-address=127.0.0.1"],
            stdout=out, stderr=out, cwd=folder, **account,
        )  # fmt: skip

    def ready() -> bool:
        try:
            with (
                pymysql.connect(unix_socket=f"{folder}/s", user="root") as connection,
                connection.cursor() as cursor,
            ):
                cursor.execute("CREATE USER IF NOT EXISTS 'keeper'@'%' IDENTIFIED BY 's3cr3t-Pa/ss'")
                cursor.execute("GRANT ALL ON *.* TO 'keeper'@'%'")
        except pymysql.Error:
            return False
        return True

    wait_for(ready, process, log)
    yield f"mysql://keeper:s3cr3t-Pa%2Fss@127.0.0.1:{port}/"
    stop(process)
