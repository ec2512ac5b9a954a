"""Keys and objects that a real server of this kind does not take, on an in-process stand-in."""

from __future__ import annotations

import pytest

from headwater.errors import RefusedError, SetupError
from headwater.storage import _s3, open_storage

boto3 = pytest.importorskip("boto3", reason="needs the extra s3")
moto = pytest.importorskip("moto", reason="needs moto")


@pytest.fixture
def bucket(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    _s3._door.cache_clear()
    with moto.mock_aws():
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket="lake")
        yield lambda key, body=b"x", **more: client.put_object(Bucket="lake", Key=key, Body=body, **more)
    _s3._door.cache_clear()


@pytest.mark.parametrize("key", ["a//b.csv", "../x.csv", "a/../b.csv", "/etc/passwd", "a/./b", "data/"])
def test_keys_that_are_no_paths_are_told_and_refused(bucket, key):
    bucket(key)
    bucket("fine.csv")
    found = {e.path: e for e in open_storage("s3://lake").list()}
    assert set(found) == {key, "fine.csv"}
    assert found[key].kind == "key" and found[key].failed
    with pytest.raises(RefusedError):
        open_storage("s3://lake").open_range(key, 0, 1)


def test_markers_of_folders_are_nothing(bucket):
    bucket("folder/", b"")
    bucket("folder/a.csv")
    assert [e.path for e in open_storage("s3://lake").list()] == ["folder/a.csv"]
    assert [e.path for e in open_storage("s3://lake/folder").list()] == ["a.csv"]


def test_archived_objects_are_told(bucket):
    bucket("cold.csv", StorageClass="GLACIER")
    (entry,) = open_storage("s3://lake").list()
    assert "restore" in entry.problem and entry.failed


@pytest.mark.parametrize(
    "key", ["line\nbreak.csv", "x\\xe9.csv", "tab\t.csv", "%41.csv", "a#b!c.csv", "\u202egpj.csv"]
)
def test_odd_names_lead_back(bucket, key):
    bucket(key, b"this one")
    store = open_storage("s3://lake")
    (entry,) = store.list()
    assert entry.problem is None
    with store.local_copy(entry.path) as path:
        assert path.read_bytes() == b"this one"


def test_wrong_bytes_are_fetched_again(bucket, monkeypatch):
    bucket("a.csv", b"right")
    sums = iter(["0" * 32])
    real = _s3._sum_fits

    def first_time_wrong(file, answer, seen):
        return real(file, answer | {"ETag": f'"{next(sums)}"'} if seen == set() else answer, seen)

    monkeypatch.setattr(_s3, "_sum_fits", first_time_wrong)
    with open_storage("s3://lake").local_copy("a.csv") as path:
        assert path.read_bytes() == b"right"


def test_an_etag_that_is_no_sum_does_not_matter(bucket, monkeypatch):
    bucket("a.csv", b"right")
    real = _s3._sum_fits
    monkeypatch.setattr(
        _s3, "_sum_fits", lambda f, answer, seen: real(f, answer | {"ETag": f'"{"0" * 32}"'}, seen)
    )
    with open_storage("s3://lake").local_copy("a.csv") as path:
        assert path.read_bytes() == b"right"


def test_prefix_without_objects_is_no_empty_lake(bucket):
    assert list(open_storage("s3://lake").list()) == []
    bucket("data/a.csv")
    with pytest.raises(SetupError, match="nothing below s3://lake/dat"):
        list(open_storage("s3://lake/dat").list())


def test_no_credentials_at_all(bucket, own_home, monkeypatch):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setattr(_s3, "make_client", _refusing)
    with pytest.raises(SetupError, match="No credentials"):
        list(open_storage("s3://lake").list())


def _refusing(options, *, unsigned=False):
    from botocore.exceptions import ClientError, NoCredentialsError

    class Client:
        def list_objects_v2(self, **request):
            if unsigned:
                raise ClientError({"Error": {"Code": "AccessDenied"}}, "ListObjectsV2")
            raise NoCredentialsError

    return Client()
