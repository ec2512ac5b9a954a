"""Vectors for texts: one protocol, a static embedder of our own as the default, stronger ones where configured."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from headwater.errors import MissingExtraError, SetupError, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

DATA = Path(__file__).with_name("data")
STATIC_TOKENS = 512
"""Tokens of a text that the static embedder adds up; a passage of 800 words is read to about its middle."""

TOP_CHARACTERS = 5 * STATIC_TOKENS
"""Characters that hold so many tokens of English."""

ENDPOINT_BATCH = 64
ENDPOINT_SECONDS = 60.0


class Embedder(Protocol):
    """What turns texts into vectors.

    Attributes:
        id: names the model and its version; an index built with one id refuses another.
        dim: length of a vector.
        coarse_dim: leading dimensions that rank nearly as well as all of them; equal to `dim` where the dimensions
            have no order of importance.
    """

    id: str
    dim: int
    coarse_dim: int

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of length 1, float32 of shape (texts, dim); a text without a known word gives zeros."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of length 1, float32 of shape (texts, dim)."""
        ...


def normalised(vectors: NDArray[Any]) -> Vectors:
    """Return the rows scaled to length 1 as float32; rows of zeros stay."""
    import numpy as np

    vectors = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)


class StaticEmbedder:
    """The vectors that headwater ships: a text is the sum of its tokens' vectors (docs/embedder.md).

    Knows English; other scripts have no tokens in it, so that their texts give zeros and the lexical side carries.
    """

    def __init__(self, folder: Path = DATA) -> None:
        import numpy as np

        try:
            note = json.loads((folder / "static.json").read_text(encoding="utf-8"))
            words = (folder / "static-vocabulary.txt").read_text(encoding="utf-8").splitlines()
            self._codes = np.load(folder / "static-vectors.npy", mmap_mode="r")
            self._scales = np.load(folder / "static-scales.npy")
        except (OSError, ValueError) as error:
            raise SetupError(
                f"The static embedder cannot be loaded: {error}",
                where=str(folder),
                hint="Install headwater again.",
            ) from error
        self.id: str = note["id"]
        self.dim: int = note["dim"]
        self.coarse_dim = min(96, self.dim)  # its dimensions are principal components, in order
        self._unknown = words.index("[UNK]")
        self._tokenizer = _wordpiece(words)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of queries; see `Embedder`."""
        return self.embed_passages(texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of passages; see `Embedder`."""
        import numpy as np

        vectors = np.zeros((len(texts), self.dim), np.float32)
        for row, found in enumerate(self._tokens(texts)):
            ids = np.asarray(found, dtype=np.int64)
            ids, counts = np.unique(ids[ids != self._unknown], return_counts=True)
            if ids.size:
                vectors[row] = (counts * self._scales[ids]) @ self._codes[ids].astype(np.float32)
        return normalised(vectors)

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the first tokens of each text; of a long one the top alone is cut up if it has as many as are read."""
        tops = [_top(text) for text in texts]
        found = [f.ids for f in self._tokenizer.encode_batch_fast(tops, add_special_tokens=False)]
        short = [
            i
            for i, (ids, top) in enumerate(zip(found, tops, strict=True))
            if len(ids) < STATIC_TOKENS and len(top) < len(texts[i])
        ]
        if short:
            again = self._tokenizer.encode_batch_fast([texts[i] for i in short], add_special_tokens=False)
            for i, whole in zip(short, again, strict=True):
                found[i] = whole.ids
        return found


def _top(text: str) -> str:
    """Return the beginning of a text that most likely holds `STATIC_TOKENS` tokens, cut at a blank."""
    if len(text) <= TOP_CHARACTERS:
        return text
    cut = text.rfind(" ", 0, TOP_CHARACTERS)
    return text[:cut] if cut > 0 else text


def _wordpiece(words: list[str]) -> Any:
    """Return the tokenizer of uncased BERT over a vocabulary (WordPiece, Wu et al. 2016)."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    model = models.WordPiece(
        {w: i for i, w in enumerate(words)}, unk_token="[UNK]", max_input_chars_per_word=100
    )
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.enable_truncation(STATIC_TOKENS)
    return tokenizer


class HashedEmbedder:
    """Hashed letter trigrams of words: no model, for tests and for lakes in any script."""

    def __init__(self, dim: int = 64) -> None:
        self.dim = self.coarse_dim = dim
        self.id = f"hashed-trigrams-{dim}"

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of queries; see `Embedder`."""
        return self.embed_passages(texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of passages; see `Embedder`."""
        import zlib

        import numpy as np

        vectors = np.zeros((len(texts), self.dim), np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.casefold()):
                padded = f"^{word}$"
                for i in range(len(padded) - 2):
                    code = zlib.crc32(padded[i : i + 3].encode())
                    vectors[row, code % self.dim] += 1 if code & 0x8000_0000 else -1
        return normalised(vectors)


_OPENAI = "https://api.openai.com/"


class EndpointEmbedder:
    """A model behind an OpenAI-compatible `/embeddings` endpoint.

    The key is taken from HEADWATER_EMBEDDER_KEY, at OpenAI's own address also from OPENAI_API_KEY, when a request is made. It
    is kept nowhere, and redirects are not followed, so that it reaches nobody else.
    """

    def __init__(self, url: str, model: str, dim: int | None = None) -> None:
        self._url = url.rstrip("/") + "/embeddings"
        self._model = model
        self.id = f"endpoint:{model}"
        self.dim = self.coarse_dim = dim or self._ask(["dimension"]).shape[1]

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of queries; see `Embedder`."""
        return self.embed_passages(texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of passages; see `Embedder`.

        Raises:
            SetupError: the endpoint does not answer, or not with vectors of the stated length.
        """
        import numpy as np

        parts = [self._ask(texts[i : i + ENDPOINT_BATCH]) for i in range(0, len(texts), ENDPOINT_BATCH)]
        vectors = np.concatenate(parts) if parts else np.zeros((0, self.dim), np.float32)
        if vectors.shape[1] != self.dim:
            raise SetupError(
                f"The embedding endpoint gave vectors of {vectors.shape[1]} numbers, not {self.dim}.",
                where=self._url,
            )
        return vectors

    def _ask(self, texts: Sequence[str]) -> Vectors:
        import urllib.error
        import urllib.request

        import numpy as np

        class Stay(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *_: Any) -> None:
                return None

        headers = {"Content-Type": "application/json"}
        key = os.environ.get("HEADWATER_EMBEDDER_KEY")
        if key is None and self._url.startswith(_OPENAI):
            key = os.environ.get("OPENAI_API_KEY")
        if key:
            headers["Authorization"] = f"Bearer {key}"
        body = json.dumps({"model": self._model, "input": list(texts)}).encode()
        request = urllib.request.Request(self._url, body, headers)
        try:
            with urllib.request.build_opener(Stay).open(request, timeout=ENDPOINT_SECONDS) as reply:
                rows = sorted(json.load(reply)["data"], key=lambda item: item["index"])
            vectors = np.asarray([row["embedding"] for row in rows], dtype=np.float32)
        except (urllib.error.URLError, TimeoutError, ValueError, KeyError, TypeError) as error:
            raise SetupError(
                f"The embedding endpoint does not answer as expected: {error}",
                where=self._url,
                hint="Check the address, the model's name and HEADWATER_EMBEDDER_KEY.",
            ) from error
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise SetupError(
                "The embedding endpoint gave another number of vectors than texts.", where=self._url
            )
        return normalised(vectors)


class SentenceTransformersEmbedder:
    """A model of sentence-transformers, from a folder or a hub's name."""

    def __init__(self, name: str, *, offline: bool = False) -> None:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise MissingExtraError.for_group("sentence-transformers", "embedders") from error
        self._model = SentenceTransformer(name, device="cpu", local_files_only=offline)
        self.id = f"sentence-transformers:{Path(name).name}"
        self.dim = self.coarse_dim = int(self._model.get_sentence_embedding_dimension())

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of queries; see `Embedder`."""
        return normalised(self._model.encode(list(texts), prompt_name=self._prompt("query")))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of passages; see `Embedder`."""
        return normalised(self._model.encode(list(texts), prompt_name=self._prompt("passage")))

    def _prompt(self, name: str) -> str | None:
        return name if self._model.prompts.get(name) else None


class FastembedEmbedder:
    """A model of fastembed (ONNX), by its name."""

    def __init__(self, name: str, *, offline: bool = False) -> None:
        try:
            from fastembed import TextEmbedding
        except ImportError as error:
            raise MissingExtraError.for_group("fastembed", "embedders") from error
        self._model = TextEmbedding(name, local_files_only=offline)
        self.id = f"fastembed:{name}"
        self.dim = self.coarse_dim = len(next(iter(self._model.embed(["dimension"]))))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of queries; see `Embedder`."""
        import numpy as np

        return normalised(np.array(list(self._model.query_embed(list(texts)))))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of passages; see `Embedder`."""
        import numpy as np

        return normalised(np.array(list(self._model.passage_embed(list(texts)))))


def load_embedder(spec: str = "static", *, offline: bool = False) -> Embedder | None:
    """Return the embedder that a setting names.

    Args:
        spec: "static" (the default), "none", "hashed" or "hashed:DIM", "http://HOST/v1#MODEL" (OpenAI-compatible),
            "sentence-transformers:NAME_OR_FOLDER" or "fastembed:NAME".
        offline: nothing may be fetched; an endpoint on another machine is refused.

    Raises:
        UsageError: the setting is none of these.
        SetupError: the model cannot be had.
    """
    kind, _, rest = spec.partition(":")
    if spec == "static":
        return StaticEmbedder()
    if spec == "none":
        return None
    if kind == "hashed" and (not rest or rest.isdigit()):
        return HashedEmbedder(int(rest or 64))
    if kind in ("http", "https") and "#" in rest:
        url, _, model = spec.partition("#")
        if offline and not re.match(r"https?://(localhost|127\.|\[::1\])", url):
            raise SetupError("Offline, an embedder on another machine cannot be asked.", where=url)
        return EndpointEmbedder(url, model)
    if kind == "sentence-transformers" and rest:
        return SentenceTransformersEmbedder(rest, offline=offline)
    if kind == "fastembed" and rest:
        return FastembedEmbedder(rest, offline=offline)
    raise UsageError(
        f"There is no embedder {spec!r}.",
        hint="Use static, none, hashed, http://HOST/v1#MODEL, sentence-transformers:FOLDER or fastembed:NAME.",
    )
