"""The index on an object store (a stand-in for S3 in this process)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from headwater.search import Card, HashedEmbedder, LanceIndex, SearchOptions


@pytest.fixture
def options() -> Iterator[dict[str, str]]:
    pytest.importorskip("lancedb")
    boto3 = pytest.importorskip("boto3")
    server_class = pytest.importorskip("moto.server").ThreadedMotoServer
    server = server_class(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
    boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", **keys).create_bucket(Bucket="lake")
    yield {"aws_endpoint": endpoint, "aws_region": "us-east-1", "allow_http": "true", **keys}
    server.stop()


def test_an_index_in_a_bucket(options: dict[str, str]) -> None:
    uri = "s3://lake/.headwater/index"
    with LanceIndex(uri, write=True, storage_options=options, embedder=HashedEmbedder()) as index:
        index.update(1, [Card(dataset="a/rivers", document="a/rivers/r.csv", title="Lengths of rivers")])
    reader = LanceIndex(uri, storage_options=options, embedder=HashedEmbedder())
    assert reader.generation == 1
    for mode in ("lexical", "vector", "hybrid"):
        result = reader.search("river", SearchOptions(mode=mode))  # type: ignore[arg-type]
        assert [h.document for h in result.hits] == ["a/rivers/r.csv"]
    with LanceIndex(uri, write=True, storage_options=options, embedder=HashedEmbedder()) as index:
        index.update(
            2,
            [Card(dataset="a/lakes", document="a/lakes/l.csv", title="Depths of lakes")],
            remove=["a/rivers/r.csv"],
        )
        index.optimize()
    assert [h.document for h in reader.search("river or lake", SearchOptions(mode="lexical")).hits] == [
        "a/lakes/l.csv"
    ]
    assert reader.generation == 2
