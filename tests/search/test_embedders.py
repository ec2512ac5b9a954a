"""Embedders: the shipped one, an endpoint, and what is refused."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headwater.errors import MissingExtraError, SetupError, UsageError
from headwater.search import EndpointEmbedder, HashedEmbedder, StaticEmbedder, load_embedder
from headwater.search._embedders import DATA


@pytest.fixture(scope="module")
def static() -> StaticEmbedder:
    return StaticEmbedder()


def test_the_shipped_embedder_is_small() -> None:
    assert sum(f.stat().st_size for f in DATA.iterdir()) <= 8 * 1024 * 1024


def test_the_shipped_embedder_is_what_its_note_says(static: StaticEmbedder) -> None:
    import hashlib

    note = json.loads((DATA / "static.json").read_text(encoding="utf-8"))
    codes, scales = np.load(DATA / "static-vectors.npy"), np.load(DATA / "static-scales.npy")
    assert hashlib.sha256(codes.tobytes() + scales.tobytes()).hexdigest() == note["sha256"]
    assert codes.shape == (note["tokens"], note["dim"])
    assert (static.id, static.dim) == (note["id"], 256)


def test_it_knows_what_words_mean(static: StaticEmbedder) -> None:
    texts = ["airport codes", "cancer survival rates", "football results", "price of bread"]
    asked = [
        "three-letter abbreviations of airfields",
        "chances to live on with a tumour",
        "soccer scores",
        "what a loaf costs",
    ]
    near = static.embed_queries(asked) @ static.embed_passages(texts).T
    assert near.argmax(axis=1).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("embedder", [HashedEmbedder(), StaticEmbedder()], ids=lambda e: e.id)
def test_vectors_are_of_length_one(embedder: Any) -> None:
    vectors = embedder.embed_passages(["one text", "another, longer text " * 500, "", "…"])
    assert vectors.shape == (4, embedder.dim)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1)[:3].round(4).tolist() == [1, 1, 0]
    assert embedder.embed_passages([]).shape == (0, embedder.dim)
    assert np.allclose(embedder.embed_queries(["one text"]), vectors[:1])


def test_a_text_in_another_script_has_no_vector(static: StaticEmbedder) -> None:
    assert not static.embed_passages(["東京 города"]).any()


def test_a_broken_folder(tmp_path: Path) -> None:
    with pytest.raises(SetupError):
        StaticEmbedder(tmp_path)


class Endpoint(BaseHTTPRequestHandler):
    seen: list[dict[str, Any]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append({**body, "key": self.headers.get("Authorization"), "path": self.path})
        data = [{"index": i, "embedding": [len(t), 1.0, 0.0]} for i, t in enumerate(body["input"])]
        if body["model"] == "short":
            data = data[:-1]
        answer = json.dumps({"data": data[::-1]} if body["model"] != "broken" else {"oops": 1}).encode()
        self.send_response(307 if body["model"] == "moved" else 200)
        if body["model"] == "moved":
            self.send_header("Location", self.path + "/moved")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    Endpoint.seen.clear()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_endpoint(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_EMBEDDER_KEY", "k")
    embedder = load_embedder(f"{endpoint}#some-model", offline=True)
    assert isinstance(embedder, EndpointEmbedder)
    assert (embedder.id, embedder.dim) == ("endpoint:some-model", 3)
    vectors = embedder.embed_passages(["x" * n for n in range(1, 101)])
    assert vectors.shape == (100, 3)
    assert np.allclose(vectors[:, 0] / vectors[:, 1], np.arange(1, 101))
    assert [len(s["input"]) for s in Endpoint.seen] == [1, 64, 36]
    assert {(s["key"], s["path"]) for s in Endpoint.seen} == {("Bearer k", "/v1/embeddings")}


def test_a_key_for_openai_reaches_no_other_address(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADWATER_EMBEDDER_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    EndpointEmbedder(endpoint, "some-model")
    assert [s["key"] for s in Endpoint.seen] == [None]


def test_a_redirect_is_not_followed(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_EMBEDDER_KEY", "k")
    with pytest.raises(SetupError, match="307"):
        EndpointEmbedder(endpoint, "moved")
    assert len(Endpoint.seen) == 1


@pytest.mark.parametrize("model", ["broken", "short"])
def test_an_endpoint_that_answers_badly(endpoint: str, model: str) -> None:
    with pytest.raises(SetupError):
        EndpointEmbedder(endpoint, model)


def test_an_endpoint_that_is_not_there() -> None:
    with pytest.raises(SetupError, match="does not answer"):
        EndpointEmbedder("http://127.0.0.1:9/v1", "m")


def test_settings() -> None:
    assert load_embedder("none") is None
    assert isinstance(load_embedder(), StaticEmbedder)
    hashed = load_embedder("hashed:16")
    assert hashed is not None
    assert hashed.dim == 16
    with pytest.raises(UsageError, match="wordvec"):
        load_embedder("wordvec")
    with pytest.raises(SetupError, match="Offline"):
        load_embedder("https://embeddings.example.org/v1#m", offline=True)
    for missing in ("sentence-transformers:m", "fastembed:m"):
        with pytest.raises(MissingExtraError) as caught:
            load_embedder(missing)
        assert "headwater[embedders]" in caught.value.hint
