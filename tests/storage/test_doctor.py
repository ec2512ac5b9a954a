"""The checks of ``headwater doctor``; those against a real server are in test_s3."""

from __future__ import annotations

import pytest

from headwater.storage import _doctor, diagnose

KEY, SECRET = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI-secret"


def checks(*arguments, **more):
    return {check.name: check for check in diagnose(*arguments, **more)}


def test_folder(tmp_path):
    found = checks(tmp_path)
    assert found["lake"].ok and found["state folder"].ok and found["disk space"].detail.endswith("MB free")
    assert "duckdb" in found["versions"].detail
    assert not list(tmp_path.iterdir())


def test_what_is_wrong_is_a_check_and_no_exception(tmp_path):
    assert checks(tmp_path / "none")["lake"].ok is False
    assert checks("gs://bucket")["lake"].ok is False
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    assert checks(tmp_path, state=tmp_path / "full")["state folder"].ok is False


def test_low_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(_doctor, "free_bytes", lambda path: 1_000_000)
    found = checks(tmp_path)["disk space"]
    assert found.ok is False and found.detail == "1 MB free" and found.hint


class TestAmazon:
    @pytest.fixture(autouse=True)
    def aws(self, monkeypatch):
        moto = pytest.importorskip("moto", reason="needs moto")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        with moto.mock_aws(config={"core": {"mock_credentials": False}}):
            yield

    def test_who_asks(self):
        found = checks("s3://no-such-bucket")
        assert found["arn"].ok and found["arn"].detail.startswith("arn:aws:")
        assert found["identity"].detail == "access key AKIA…MPLE from the environment (AWS_ACCESS_KEY_ID)"
        assert "NoSuchBucket" in found["s3 list_objects_v2"].detail and found["s3 list_objects_v2"].hint
        assert "us-east-1" in found["region"].detail

    def test_temporary_credentials_and_region(self, monkeypatch):
        monkeypatch.setenv("AWS_SESSION_TOKEN", "token-secret")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
        found = checks("s3://bucket")
        assert found["identity"].detail.endswith(", temporary") and found["region"].detail == "eu-west-1"
        assert not [s for s in (KEY, SECRET, "token-secret") if s in repr(found)]

    def test_password_in_the_endpoint(self):
        found = checks("s3://bucket", endpoint="http://user:password@127.0.0.1:9")
        assert found["endpoint"].detail == "http://…@127.0.0.1:9" and "password" not in repr(found)

    def test_anonymous(self):
        found = checks("s3://bucket", anonymous=True)
        assert "anonymous" in found["identity"].detail and "arn" not in found

    def test_nobody(self, monkeypatch, own_home):
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
        monkeypatch.setattr(
            _doctor, "_bucket_checks", lambda url, options: _doctor._identity(_session(), options)
        )
        found = checks("s3://bucket")["identity"]
        assert found.ok is None and "--anonymous" in found.hint


def _session():
    import botocore.session
    from boto3 import Session

    bare = botocore.session.Session()
    bare.get_component("credential_provider").providers = []
    return Session(botocore_session=bare)


def test_every_hint_is_a_sentence():
    for hint in _doctor._HINTS.values():
        assert hint.format(right="right").endswith(".")
