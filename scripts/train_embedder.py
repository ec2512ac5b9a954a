"""Train the static embedder that headwater ships (see docs/embedder.md).

A student that only sums token vectors learns to give the sentence vectors of a teacher, all-MiniLM-L6-v2, reduced to
256 dimensions. Every stage writes a file into the work folder and is skipped where that file exists:

    python scripts/train_embedder.py --work WORK --teacher MODEL_FOLDER --wordnet /usr/share/wordnet \
        --packages AVAILABLE.txt --dictionary GCIDE.txt --manuals MAN-K.txt --out src/headwater/search/data

WORK           intermediate files (texts, teacher vectors)
MODEL_FOLDER   a folder with model.safetensors, config.json and tokenizer.json of the teacher
AVAILABLE.txt  Debian's English package descriptions: `apt-helper cat-file` of the list *_main_i18n_Translation-en
GCIDE.txt      unpacked `gcide.dict.dz` of Debian's dict-gcide
MAN-K.txt      output of `man -k .`

Needs torch, transformers, tokenizers and numpy; none of them but tokenizers and numpy is needed to use the result.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

SEED = 20
DIM = 256
MAX_TOKENS = 64  # of a text that the teacher sees: the corpus is short texts
WORDS = Path(__file__).with_name("embedder_words.toml")


# ---------------------------------------------------------------------------------------------- corpus


def debian(path: Path, rng: random.Random) -> Iterator[str]:
    """Yield one-line summaries and first sentences of Debian package descriptions."""
    seen: set[str] = set()
    for stanza in path.read_text(encoding="utf-8", errors="replace").split("\n\n"):
        found = re.search(r"^Description(?:-en)?: (.+)\n((?: .*\n?)*)", stanza, re.M)
        if not found or found[1] in seen:
            continue
        seen.add(found[1])
        summary = re.sub(r" \(.*\)$| - .*(files|documentation|library|headers|symbols)$", "", found[1])
        if summary in seen and summary != found[1]:
            continue
        seen.add(summary)
        yield summary
        body = " ".join(found[2].split(" .\n")[0].split())
        sentences = re.split(r"(?<=[.!?]) ", body)
        if body and body not in seen and rng.random() < 0.5:
            seen.add(body)
            yield sentences[0]


def wordnet(folder: Path, rng: random.Random) -> Iterator[str]:
    """Yield glosses, with and without their words, and example sentences of WordNet."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if line.startswith(" "):
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            words = [
                re.sub(r"\(.*\)", "", w).replace("_", " ") for w in fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            ]
            definition, *examples = re.split(r'; "|" ?;? ?"?', gloss.strip())
            form = rng.random()
            if form < 0.35:
                yield f"{', '.join(words[:3])}: {definition}"
            elif form < 0.75:
                yield definition
            if form > 0.6 or len(words) > 1:
                yield rng.choice(words) if form < 0.9 else ", ".join(words)
            yield from (e for e in examples if len(e) > 8 and rng.random() < 0.6)


def common_words(folder: Path) -> dict[str, list[str]]:
    """Return the nouns, verbs and adjectives of WordNet that have a frequency, commonest first."""
    words: dict[str, dict[str, int]] = {"1": {}, "2": {}, "3": {}}
    for line in (folder / "cntlist.rev").read_text(encoding="utf-8").splitlines():
        key, _, count = line.split()
        lemma, _, rest = key.partition("%")
        if rest[0] in words and len(lemma) > 2:
            name = lemma.replace("_", " ")
            words[rest[0]][name] = words[rest[0]].get(name, 0) + int(count)
    return {k: sorted(v, key=lambda w: (-v[w], w)) for k, v in words.items()}


def plural(word: str) -> str:
    """Return the regular plural of an English noun."""
    if re.search(r"(s|x|z|ch|sh)$", word):
        return word + "es"
    return word[:-1] + "ies" if re.search(r"[^aeiou]y$", word) else word + "s"


def places(rng: random.Random) -> list[str]:
    """Return names of countries and of their parts from iso-codes, where installed."""
    folder, names = Path("/usr/share/iso-codes/json"), []
    for file, key in (("iso_3166-1.json", "3166-1"), ("iso_3166-2.json", "3166-2")):
        if (folder / file).exists():
            rows = json.loads((folder / file).read_text(encoding="utf-8"))[key]
            names.append([r.get("common_name") or r["name"] for r in rows])
            if key == "3166-2":
                names[-1] = rng.sample(names[-1], 1200)
                names.append([r["name"] for r in rows if r["code"].startswith(("US-", "GB-", "CA-", "AU-"))])
    return [n for group in names for n in group * max(1, 1500 // len(group))] or ["Kenya", "Ohio", "France"]


def portal(folder: Path, count: int, kind: str, rng: random.Random) -> Iterator[str]:
    """Yield titles, column lists or questions written from templates and word lists."""
    data = tomllib.loads(WORDS.read_text(encoding="utf-8"))
    common, where = common_words(folder), places(rng)

    def pick(words: list[str]) -> str:
        return words[min(int(rng.random() ** 2 * len(words)), len(words) - 1)]

    for _ in range(count):
        noun = [plural(pick(common["1"])) if rng.random() < 0.7 else pick(common["1"]) for _ in range(3)]
        column = rng.sample(data["columns"], 6)
        topic = [rng.choice(data["topics"]) if rng.random() < 0.8 else n for n in noun[:2]]
        measure, place, year = rng.choice(data["measures"]), rng.choice(where), rng.randint(1900, 2024)
        slots: dict[str, Any] = {
            "measure": measure, "Measure": measure.capitalize(), "topic": topic[0], "topic2": topic[1],
            "Topic": topic[0][0].upper() + topic[0][1:], "dimension": rng.choice(data["dimensions"]),
            "suffix": rng.choice(data["suffixes"]), "place": place, "Place": place, "year": year,
            "year2": year + rng.randint(1, 20), "Publisher": rng.choice(data["publishers"]),
            "slug": topic[0].lower().replace(" ", "-"), "slug2": rng.choice(data["measures"]).replace(" ", "-"),
            "noun": noun[0], "noun2": noun[1], "noun3": noun[2], "Noun": noun[0].capitalize(),
            "verb": pick(common["2"]), "adjective": pick(common["3"]), "column": column[0],
        }  # fmt: skip
        slots |= {f"column{i}": c for i, c in enumerate(column[1:], 2)}
        yield rng.choice(data["templates"][kind]).format(**slots)


def dictionary(path: Path) -> Iterator[str]:
    """Yield definitions of the GNU version of Webster's dictionary of 1913."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for entry in re.split(r"\n(?=\S)", text):
        head = entry.split("\\", 1)[0].split("\n", 1)[0].strip()
        body = re.sub(r"\[[^\]]*\]|\{|\}", "", " ".join(entry.split("\n", 1)[-1].split()))
        found = re.search(r"(?:^| )(?:Defn: |1\. )?([A-Z][a-z][^.;]{20,200})[.;]", body)
        if found and head:
            yield f"{head}: {found[1]}" if len(head) % 2 else found[1]


def corpus(args: argparse.Namespace) -> list[str]:
    """Return the distinct texts of all sources, shuffled."""
    rng = random.Random(SEED)
    sources: dict[str, list[str]] = {
        "debian": list(debian(args.packages, rng)),
        "wordnet": list(wordnet(args.wordnet, rng)),
        "titles": list(portal(args.wordnet, args.titles, "titles", rng)),
        "questions": list(portal(args.wordnet, args.questions, "questions", rng)),
    }
    if args.dictionary:
        found = list(dictionary(args.dictionary))
        sources["dictionary"] = rng.sample(found, min(len(found), 40_000))
    if args.manuals:
        lines = args.manuals.read_text(encoding="utf-8", errors="replace").splitlines()
        sources["manuals"] = [" ".join(x.partition(" - ")[2].split()) for x in lines]
    texts: dict[str, None] = {}
    for name, items in sources.items():
        kept = list(dict.fromkeys(t for t in items if 3 < len(t) < 400))
        kept = rng.sample(kept, min(len(kept), args.per_source))
        print(f"{name}: {len(kept)} texts, for instance {rng.sample(kept, min(3, len(kept)))}")
        texts |= dict.fromkeys(kept)
    result = list(texts)
    rng.shuffle(result)
    return result


# ---------------------------------------------------------------------------------------------- teacher


def teach(texts: list[str], folder: Path, threads: int, deadline: float) -> np.ndarray:
    """Return the teacher's mean-pooled, normalised vectors, float32 of shape (texts, 384).

    Stops at `deadline` (seconds) with as many texts as were done; texts are taken in random order, but sorted by
    length inside large blocks so that a batch has little padding.
    """
    import torch
    from tokenizers import Tokenizer
    from transformers import AutoModel

    torch.set_num_threads(threads)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    model = AutoModel.from_pretrained(folder).eval()
    out: list[np.ndarray] = []
    start = time.monotonic()
    for at in range(0, len(texts), 8192):
        block = [e.ids for e in tokenizer.encode_batch(texts[at : at + 8192])]
        order = sorted(range(len(block)), key=lambda i: len(block[i]))
        vectors = np.zeros((len(block), 384), np.float32)
        for b in range(0, len(order), 128):
            rows = order[b : b + 128]
            width = max(len(block[i]) for i in rows)
            ids = torch.zeros(len(rows), width, dtype=torch.long)
            mask = torch.zeros(len(rows), width)
            for r, i in enumerate(rows):
                ids[r, : len(block[i])] = torch.tensor(block[i])
                mask[r, : len(block[i])] = 1
            with torch.inference_mode():
                hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state
                pooled = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
                vectors[rows] = torch.nn.functional.normalize(pooled, dim=1).numpy()
        out.append(vectors)
        spent = time.monotonic() - start
        print(
            f"teacher: {at + len(block)} of {len(texts)}, {(at + len(block)) / spent:.0f} a second",
            flush=True,
        )
        if spent > deadline:
            break
    return np.concatenate(out)


# ---------------------------------------------------------------------------------------------- student


def kept_tokens(vocabulary: list[str]) -> list[int]:
    """Return the ids of [UNK] and of all tokens in Latin letters, digits or ASCII signs."""
    latin = re.compile(r"^(##)?[\u0021-\u024f\u2013-\u2026€]+$")
    return [
        i
        for i, t in enumerate(vocabulary)
        if t == "[UNK]" or (latin.match(t) and not t.startswith("[unused"))
    ]


def flatten(texts: list[str], folder: Path, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the student's token ids of all texts, end to end, and the offsets of the texts (n + 1)."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    encoded = [index[e.ids] for e in tokenizer.encode_batch(texts, add_special_tokens=False)]
    encoded = [e[e >= 0] for e in encoded]
    return np.concatenate(encoded), np.cumsum([0, *map(len, encoded)])


def start_vectors(folder: Path, ids: list[int]) -> np.ndarray:
    """Return the teacher's vectors of single tokens between its start and end marks, float32 (tokens, 384)."""
    import torch
    from transformers import AutoModel

    model = AutoModel.from_pretrained(folder).eval()
    out = []
    with torch.inference_mode():
        for at in range(0, len(ids), 1024):
            part = torch.tensor([[101, i, 102] for i in ids[at : at + 1024]])
            out.append(model(input_ids=part).last_hidden_state.mean(1).numpy())
    return np.concatenate(out)


def train(
    texts: list[str], target: np.ndarray, tokens: int, start: np.ndarray, flat: tuple[np.ndarray, np.ndarray],
    epochs: int, threads: int,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Return the student's vectors (tokens, DIM) and weights (tokens,).

    Loss: 1 - cosine to the teacher, and the squared difference of all cosines inside a batch, which is what ranking
    depends on (relational distillation, Park et al. 2019).
    """
    import torch

    torch.manual_seed(SEED)
    torch.set_num_threads(threads)
    ids, offsets = flat
    counts = np.bincount(ids, minlength=tokens)
    weights = torch.nn.Parameter(torch.tensor(1e-3 / (1e-3 + counts / counts.sum()), dtype=torch.float32))
    vectors = torch.nn.Parameter(torch.tensor(fit_start(start, weights.detach().numpy(), flat, target)))
    goal = torch.tensor(target)
    flat_ids = torch.tensor(ids)
    optimiser = torch.optim.Adam([vectors, weights], lr=2e-3)
    used = np.flatnonzero(np.diff(offsets) > 0)
    steps, held = epochs * (len(used) // 512), used[-2000:]
    used = used[:-2000]
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, max_lr=3e-3, total_steps=steps + epochs, pct_start=0.05
    )

    def forward(rows: np.ndarray) -> Any:
        part = torch.cat([flat_ids[offsets[r] : offsets[r + 1]] for r in rows])
        begins = torch.tensor(np.cumsum([0, *(offsets[r + 1] - offsets[r] for r in rows[:-1])]))
        summed = torch.nn.functional.embedding_bag(
            part, vectors, begins, mode="sum", per_sample_weights=weights[part]
        )
        return torch.nn.functional.normalize(summed, dim=1)

    rng = np.random.default_rng(SEED)
    for epoch in range(epochs):
        order, total = rng.permutation(used), 0.0
        for at in range(0, len(order) - 511, 512):
            rows = order[at : at + 512]
            out, want = forward(rows), goal[rows]
            loss = (1 - (out * want).sum(1)).mean() + 5 * ((out @ out.T - want @ want.T) ** 2).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += float(loss.detach())
        with torch.inference_mode():
            cosine = float((forward(held) * goal[held]).sum(1).mean())
        print(
            f"epoch {epoch + 1}: loss {total / (len(order) // 512):.4f}, held-out cosine {cosine:.4f}",
            flush=True,
        )
    return vectors.detach().numpy(), weights.detach().numpy()


def fit_start(
    start: np.ndarray, weights: np.ndarray, flat: tuple[np.ndarray, np.ndarray], target: np.ndarray
) -> np.ndarray:
    """Turn the plain distillation (token vectors alone) into the target space by least squares on a sample."""
    ids, offsets = flat
    rows = np.arange(min(20_000, len(target)))
    sums = np.zeros((len(rows), start.shape[1]), np.float32)
    for r in rows:
        part = ids[offsets[r] : offsets[r + 1]]
        sums[r] = (start[part] * weights[part, None]).sum(0)
    turn = np.linalg.lstsq(sums, target[rows], rcond=None)[0]
    return (start @ turn).astype(np.float32)


def export(
    out: Path, tokens: list[str], vectors: np.ndarray, weights: np.ndarray, note: dict[str, Any]
) -> None:
    """Write vectors (int8 with one scale a token) and vocabulary, deterministic to the byte."""
    out.mkdir(parents=True, exist_ok=True)
    full = vectors * weights[:, None]
    scale = np.maximum(np.abs(full).max(1), 1e-12) / 127
    quantised = np.rint(full / scale[:, None]).astype(np.int8)
    np.save(out / "static-vectors.npy", quantised)
    np.save(out / "static-scales.npy", scale.astype(np.float32))
    (out / "static-vocabulary.txt").write_text("\n".join(tokens) + "\n", encoding="utf-8")
    digest = hashlib.sha256(quantised.tobytes() + scale.astype(np.float32).tobytes()).hexdigest()
    card = {**note, "tokens": len(tokens), "dim": vectors.shape[1], "sha256": digest}
    (out / "static.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--teacher", type=Path, required=True)
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument("--packages", type=Path, required=True)
    parser.add_argument("--dictionary", type=Path)
    parser.add_argument("--manuals", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--titles", type=int, default=70_000)
    parser.add_argument("--questions", type=int, default=70_000)
    parser.add_argument("--per-source", type=int, default=120_000)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--deadline", type=float, default=1500, help="seconds that the teacher may take")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)

    listed = args.work / "texts.json"
    if not listed.exists():
        listed.write_text(json.dumps(corpus(args)), encoding="utf-8")
    texts: list[str] = json.loads(listed.read_text(encoding="utf-8"))
    taught = args.work / "teacher.npy"
    if not taught.exists():
        np.save(taught, teach(texts, args.teacher, args.threads, args.deadline))
    teacher = np.load(taught)
    texts = texts[: len(teacher)]

    # PCA without centring, so that cosines stay what they were
    _, axes = np.linalg.eigh(teacher.T @ teacher / len(teacher))
    target = teacher @ axes[:, ::-1][:, :DIM]
    target /= np.linalg.norm(target, axis=1, keepdims=True)

    vocabulary = json.loads((args.teacher / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    names = sorted(vocabulary, key=vocabulary.__getitem__)
    ids = kept_tokens(names)
    index = np.full(len(names), -1, np.int64)
    index[ids] = np.arange(len(ids))
    index[vocabulary["[UNK]"]] = -1  # a token nobody knows says nothing
    start = start_vectors(args.teacher, ids)
    flat = flatten(texts, args.teacher, index)
    vectors, weights = train(texts, target, len(ids), start, flat, args.epochs, args.threads)
    note = {
        "id": "headwater-static-1", "teacher": "sentence-transformers/all-MiniLM-L6-v2", "licence": "Apache-2.0",
        "texts": len(texts), "seed": SEED, "epochs": args.epochs,
        "corpus_sha256": hashlib.sha256("\n".join(texts).encode()).hexdigest(),
    }  # fmt: skip
    export(args.out, [names[i] for i in ids], vectors, weights, note)


if __name__ == "__main__":
    main()
