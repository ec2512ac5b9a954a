"""Lakes on a real S3 server."""

from __future__ import annotations

import pickle
import socket
import threading
from pathlib import Path

import pytest

from headwater.errors import NotFoundError, ReadError, RefusedError, SetupError
from headwater.storage import _s3, _s3_client, diagnose, open_storage
from headwater.storage._local import LocalStorage


@pytest.fixture(autouse=True)
def fresh_doors():
    _s3._door.cache_clear()
    yield
    _s3._door.cache_clear()


@pytest.fixture
def lake(s3_server, monkeypatch):
    s3_server.fill(
        "lake-a", {"x/a.csv": b"k\n1\n", "b.csv": b"k\n2\n", "in/x.csv": b"0123456789", "in/y/z.csv": b"z"}
    )
    s3_server.use(monkeypatch, s3_server.reader)
    return "s3://lake-a"


def test_lists_all_pages(lake, monkeypatch):
    monkeypatch.setattr(_s3, "_PAGE_KEYS", 1)
    assert sorted(e.path for e in open_storage(lake).list()) == ["b.csv", "in/x.csv", "in/y/z.csv", "x/a.csv"]


def test_a_prefix_is_the_root(lake):
    store = open_storage(f"{lake}/in/")
    assert store.url == "s3://lake-a/in"
    assert {e.path: e.size for e in store.list()} == {"x.csv": 10, "y/z.csv": 1}
    with store.local_copy("y/z.csv") as path:
        assert path.read_bytes() == b"z"


def test_same_listing_as_the_folder(s3_server, tmp_path, monkeypatch):
    folder = tmp_path / "lake"
    names = [
        "a b.csv",
        "%2e%2e.csv",
        "é.csv",
        "e\u0301.csv",
        "日本/表.csv",
        ".hidden/x.csv",
        ".hidden/y.csv",
        "_SUCCESS",
    ]
    names += [
        "a/b.csv",
        "a.csv",
        "..csv",
        "+&=?.csv",
        "~$lock.xlsx",
        ".keep",
        "q/data.part",
        ".headwater/catalog",
    ]
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"k\n{name}\n", encoding="utf-8")
    s3_server.upload("lake-same", folder)
    s3_server.use(monkeypatch, s3_server.reader)
    local, remote = LocalStorage(folder), open_storage("s3://lake-same")
    facts = [sorted((e.path, e.size, e.kind, e.problem) for e in store.list()) for store in (local, remote)]
    assert facts[0] == facts[1]
    for path in ("日本/表.csv", "+&=?.csv", "%2e%2e.csv"):
        with local.local_copy(path) as one, remote.local_copy(path) as other:
            assert one.read_bytes() == other.read_bytes()


def test_version_changes_with_content_only(s3_server, lake):
    store = open_storage(lake)
    before = store.stat("b.csv")
    assert before == store.stat("b.csv") and before.version
    assert before.version == next(e.version for e in store.list() if e.path == "b.csv")
    s3_server.fill("lake-a", {"b.csv": b"k\n3\n"})
    assert store.stat("b.csv").version != before.version
    s3_server.fill("lake-a", {"b.csv": b"k\n2\n"})


def test_ranges(lake):
    store = open_storage(lake)
    assert store.open_range("in/x.csv", 2, 3) == b"234"
    assert store.open_range("in/x.csv", 8, 100) == b"89"
    assert store.open_range("in/x.csv", 50, 5) == b""
    assert store.open_range("in/x.csv", 0, 0) == b""


def test_missing_objects_and_buckets(s3_server, lake, monkeypatch):
    store = open_storage(lake)
    assert not store.exists("no.csv") and store.exists("b.csv")
    with pytest.raises(NotFoundError), store.local_copy("no.csv"):
        pass
    with pytest.raises(RefusedError):
        store.open_range("../lake-b/x", 0, 1)
    s3_server.use(monkeypatch, s3_server.admin)
    _s3._door.cache_clear()
    with pytest.raises(SetupError, match="does not exist"):
        list(open_storage("s3://lake-none").list())


def test_nothing_temporary_stays(lake, tmp_path):
    scratch = tmp_path / "not" / "made"
    with open_storage(lake, scratch=scratch).local_copy("x/a.csv") as path:
        assert path.parent == scratch and path.suffix == ".csv"
    assert not list(scratch.iterdir())


def test_can_be_pickled(lake):
    store = pickle.loads(pickle.dumps(open_storage(lake)))
    assert store.open_range("b.csv", 0, 1) == b"k"


def test_refusal_names_call_and_doctor(s3_server, lake, monkeypatch):
    s3_server.use(monkeypatch, s3_server.stranger)
    with pytest.raises(SetupError, match=r"list_objects_v2: AccessDenied") as caught:
        list(open_storage(lake).list())
    assert "headwater doctor s3://lake-a" in caught.value.hint


def test_public_bucket_in_spite_of_unrelated_credentials(s3_server, monkeypatch):
    s3_server.fill("public", {"p.csv": b"k\n1\n"})
    s3_server.use(monkeypatch, ("AKIAUNRELATED0000000", "unrelated"))
    store = open_storage("s3://public")
    assert [e.path for e in store.list()] == ["p.csv"]
    assert len(store.notices) == 1 and "without credentials" in store.notices[0]
    with store.local_copy("p.csv") as path:
        assert path.read_bytes() == b"k\n1\n"
    assert len(store.notices) == 1


def test_public_bucket_without_any_credentials(s3_server, monkeypatch):
    s3_server.fill("public", {"p.csv": b"k\n1\n"})
    s3_server.use(monkeypatch)
    assert [e.path for e in open_storage("s3://public", anonymous=True).list()] == ["p.csv"]
    assert [e.path for e in open_storage("s3://public").list()] == ["p.csv"]


def test_private_bucket_stays_private_to_nobody(s3_server, lake, monkeypatch):
    with pytest.raises(SetupError, match="refuses access"):
        list(open_storage(lake, anonymous=True).list())


def test_refused_object_costs_itself_alone(s3_server, lake, monkeypatch):
    store = open_storage(lake)
    assert store.exists("b.csv")
    assert _s3_client.explain(_denied(), url=lake, operation="get_object", key="x").kind == ReadError.kind
    assert _s3_client.explain(_denied(), url=lake, operation="list_objects_v2").kind == SetupError.kind


def test_server_that_is_not_there(lake, monkeypatch):
    monkeypatch.setattr(_s3_client, "_ATTEMPTS", 1)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with pytest.raises(SetupError, match="cannot be reached"):
            list(open_storage(lake, endpoint=nowhere).list())


def test_listing_that_breaks_off_is_an_error(lake, monkeypatch):
    monkeypatch.setattr(_s3, "_PAGE_KEYS", 1)
    monkeypatch.setattr(_s3_client, "_ATTEMPTS", 1)
    store = open_storage(lake)
    listing = store.list()
    next(listing)
    monkeypatch.setattr(store._door._client.meta.events, "emit_until_response", _unreachable)
    with pytest.raises(SetupError):
        list(listing)


def test_expired_credentials_are_asked_for_again(s3_server, lake, monkeypatch):
    store = open_storage(lake)
    assert store.exists("b.csv")
    used, call = store._door._client, _s3._Door.call

    def expire_once(door, operation, request):
        if door._client is used:
            raise _denied("ExpiredToken")
        return call(door, operation, request)

    monkeypatch.setattr(_s3._Door, "call", expire_once)
    assert store.open_range("b.csv", 0, 1) == b"k"
    assert store._door._client is not used and not store.notices


class Proxy(threading.Thread):
    """Passes bytes to a server, and cuts the first answers to GET off after some bytes."""

    def __init__(self, target: tuple[str, int], cuts: list[int], on_cut=lambda: None) -> None:
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.target, self.cuts, self.on_cut = target, cuts, on_cut
        self.requests: list[bytes] = []

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def run(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(near,), daemon=True).start()

    def serve(self, near: socket.socket) -> None:
        with near, socket.create_connection(self.target) as far:
            while request := near.recv(1 << 16):
                self.requests.append(request)
                far.sendall(request)
                left = self.cuts.pop(0) if request.startswith(b"GET") and self.cuts else None
                far.settimeout(1.0)
                try:
                    while answer := far.recv(1 << 16):
                        near.sendall(answer if left is None else answer[:left])
                        if left is not None and len(answer) >= left:
                            self.on_cut()
                            return
                        left = None if left is None else left - len(answer)
                except TimeoutError:
                    continue


@pytest.fixture
def proxy(s3_server):
    host, port = s3_server.endpoint.removeprefix("http://").split(":")
    made: list[Proxy] = []

    def make(cuts, on_cut=lambda: None):
        made.append(Proxy((host, int(port)), cuts, on_cut))
        made[-1].start()
        return made[-1]

    yield make
    for one in made:
        one.listener.close()


def test_transfer_that_breaks_off_goes_on(s3_server, lake, proxy):
    body = bytes(range(256)) * 12_000
    s3_server.fill("lake-a", {"large.bin": body})
    broken = proxy([1_500_000, 900_000])
    with open_storage(lake, endpoint=broken.endpoint).local_copy("large.bin") as path:
        assert path.read_bytes() == body
    resumed = [r for r in broken.requests if b"range: bytes=" in r.lower()]
    assert len(resumed) == 2 and b"if-match" in resumed[0].lower()


def test_object_that_changes_during_the_transfer_comes_whole(s3_server, lake, proxy):
    old, new = b"old!" * 500_000, b"new" * 400_000
    s3_server.fill("lake-a", {"changing.bin": old})
    broken = proxy([1_200_000], lambda: s3_server.fill("lake-a", {"changing.bin": new}))
    with open_storage(lake, endpoint=broken.endpoint).local_copy("changing.bin") as path:
        assert path.read_bytes() == new


def test_doctor_explains_a_refusal_and_keeps_secrets(s3_server, lake, monkeypatch):
    s3_server.use(monkeypatch, s3_server.stranger)
    checks = {c.name: c for c in diagnose(lake)}
    assert checks["s3 list_objects_v2"].ok is False
    assert "AccessDenied" in checks["s3 list_objects_v2"].detail
    assert "s3:ListBucket" in checks["s3 list_objects_v2"].hint
    assert checks["s3 without credentials"].ok is False
    assert "environment" in checks["identity"].detail
    assert checks["endpoint"].detail == s3_server.endpoint
    key, secret = s3_server.stranger
    told = repr(checks)
    assert secret not in told and key not in told and key[:4] in told


def test_doctor_is_content(s3_server, lake):
    checks = {c.name: c for c in diagnose(lake)}
    assert checks["s3 list_objects_v2"].ok and checks["s3 get_object"].ok


def test_doctor_tells_of_a_public_bucket(s3_server, monkeypatch):
    s3_server.fill("public", {"p.csv": b"k\n1\n"})
    s3_server.use(monkeypatch, ("AKIAUNRELATED0000000", "unrelated"))
    checks = {c.name: c for c in diagnose("s3://public")}
    assert "InvalidAccessKeyId" in checks["s3 list_objects_v2"].detail
    assert checks["s3 without credentials"].ok and "--anonymous" in checks["s3 without credentials"].hint


def test_doctor_without_a_server(lake):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        checks = {c.name: c for c in diagnose(lake, endpoint=f"http://127.0.0.1:{closed.getsockname()[1]}")}
    assert "EndpointConnectionError" in checks["s3 list_objects_v2"].detail


def test_credentials_from_a_profile(s3_server, lake, own_home: Path, monkeypatch):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    (own_home / ".aws").mkdir()
    key, secret = s3_server.reader
    text = f"[team]\naws_access_key_id = {key}\naws_secret_access_key = {secret}\n"
    (own_home / ".aws" / "credentials").write_text(text)
    assert open_storage(lake, profile="team").exists("b.csv")
    identity = next(c for c in diagnose(lake, profile="team") if c.name == "identity")
    assert "profile team" in identity.detail and "shared credentials file" in identity.detail
    with pytest.raises(SetupError, match="nobody"):
        open_storage(lake, profile="nobody").exists("b.csv")


def _denied(code: str = "AccessDenied") -> Exception:
    from botocore.exceptions import ClientError

    return ClientError({"Error": {"Code": code}, "ResponseMetadata": {}}, "GetObject")


def _unreachable(*args, **kwargs):
    from botocore.exceptions import EndpointConnectionError

    raise EndpointConnectionError(endpoint_url="http://gone")
