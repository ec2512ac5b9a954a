"""Finds the tables, rows, layers, groups and databases that a question names, and puts the rest into canonical form."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from headwater.graph import _lexicon as lexicon
from headwater.graph._labels import LONGEST_PHRASE, NAME, Scope, labels_of, stem
from headwater.graph._names import names_of

if TYPE_CHECKING:
    from headwater.graph._model import SchemaGraph

_TOKEN = re.compile(
    rf"(?P<row>\brow[_ ]?(?:number |no\.? |#)?\d+\b)|(?P<name>{NAME}(?:\.{NAME})*)|(?P<other>\d+(?:\.\d+)*\w*|[^\w\s])"
)
_LOOKS_TECHNICAL = re.compile(r"\w_\w|\w\.\w|[a-z][A-Z]|[A-Za-z]\d|^[A-Z]{2,}[a-z]+[A-Z]")
_ABBREVIATIONS = frozenset({"i.e", "e.g", "fks", "etls", "id", "f.k", "n.b", "a.k.a", "w.r.t", "pks", "dwh"})


@dataclass
class _Token:
    text: str
    kind: str
    start: int
    end: int
    found: list[str] = field(default_factory=list)
    """Tables it may name."""
    column: str = ""
    shielded: bool = False
    code: str = ""
    """What it becomes in the canonical text."""


@dataclass
class Mentions:
    """A question in canonical form, and what its codes stand for.

    Attributes:
        text: canonical text (see `_lexicon`).
        tables: code to table ("T1" …), in order of first mention.
        rows: code to row number ("R1" …).
        scopes: code to restriction ("L1", "G1", "S1", "D1" …).
        columns: (table code, column) for every column named with its table.
        unknown: words that look like names and name nothing.
        ambiguous: words that name several tables, with the tables.
        missing_label: a layer word for which the graph has no layer, or "".
    """

    text: str = ""
    tables: dict[str, str] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    scopes: dict[str, Scope] = field(default_factory=dict)
    columns: list[tuple[str, str]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    ambiguous: list[tuple[str, list[str]]] = field(default_factory=list)
    missing_label: str = ""
    doubtful: list[str] = field(default_factory=list)
    """Ordinary words that were passed over although tables are called so."""


class Reader:
    """Reads one question against one graph."""

    def __init__(self, graph: SchemaGraph, question: str, *, keep_doubtful: bool = False) -> None:
        self.keep_doubtful = keep_doubtful
        self.names, self.labels = names_of(graph), labels_of(graph)
        self.graph = graph
        self.question = _plain(question)
        self.tokens = self._tokens()
        self.out = Mentions()

    def read(self) -> Mentions:
        """Return the question in canonical form."""
        self._shield()
        self._find_names()
        self._find_described()
        self._drop_doubtful()
        self._narrow()
        self._find_labels()
        self._assign_codes()
        self.out.text = _canonical(self._joined())
        return self.out

    def _joined(self) -> str:
        """Join the tokens with blanks, hyphenated words without."""
        parts: list[str] = []
        glued = False
        for before, token, after in zip(
            [None, *self.tokens], self.tokens, [*self.tokens[1:], None], strict=False
        ):
            hyphen = (
                token.text == "-"
                and before
                and after
                and before.end == token.start
                and token.end == after.start
            )
            hyphen = hyphen and not before.code and not after.code  # type: ignore[union-attr]
            parts.append(("" if glued or hyphen or not parts else " ") + (token.code or token.text.lower()))
            glued = bool(hyphen)
        return "".join(parts)

    def _tokens(self) -> list[_Token]:
        tokens = []
        position = 0
        literal = self.labels.odd_names
        while position < len(self.question):
            hit = literal.match(self.question, position) if literal else None
            if hit and hit.group():
                tokens.append(
                    _Token(hit.group(), "name", hit.start(), hit.end(), self.names.candidates(hit.group()))
                )
                position = hit.end()
                continue
            match = _TOKEN.match(self.question, position)
            if match is None:
                position += 1
                continue
            tokens.append(_Token(match.group(), str(match.lastgroup), match.start(), match.end()))
            position = match.end()
        return tokens

    def _shield(self) -> None:
        lower = self.question.lower()
        for pattern in lexicon.SHIELDS:
            for match in re.finditer(rf"\b(?:{pattern})\b", lower):
                for token in self.tokens:
                    if match.start() <= token.start and token.end <= match.end():
                        token.shielded = True

    def _find_names(self) -> None:
        for token in self.tokens:
            if token.kind != "name" or token.found:
                continue
            found = self.names.candidates(token.text)
            stem = token.text
            while not found and "." in stem:
                stem, _, rest = stem.rpartition(".")
                found = self.names.candidates(stem)
                token.column = f"{rest}.{token.column}" if token.column else rest
            if not found:
                token.column = ""
            plain_word = token.text.isalpha() and (token.text.islower() or token.text.istitle())
            capital = (
                not token.text.islower() and token.start > 0 and any(n.endswith(token.text) for n in found)
            )
            if token.shielded and not capital and (plain_word or not found):
                continue
            token.found = found
        for token, after in zip(self.tokens, self.tokens[1:], strict=False):
            if after.text.lower() in {"schema", "database"} and token.text.lower() in self.labels.qualifiers:
                token.found = []

    def _find_described(self) -> None:
        """Find names written as words: "catalog returns", "the supplier scorecard mart", "date dimension"."""
        size = LONGEST_PHRASE
        while size >= 2:
            for start in range(len(self.tokens) - size + 1):
                window = self.tokens[start : start + size]
                if any(t.kind != "name" or t.shielded or t.column or "." in t.text for t in window):
                    continue
                if any(len(t.found) == 1 and _LOOKS_TECHNICAL.search(t.text) for t in window):
                    continue
                words = tuple(sorted(stem(t.text.lower()) for t in window))
                found = self.labels.phrases.get(words)
                if found:
                    merged = _Token(
                        " ".join(t.text for t in window), "name", window[0].start, window[-1].end, found
                    )
                    self.tokens[start : start + size] = [merged]
            size -= 1

    def _drop_doubtful(self) -> None:
        """Forget ordinary words that stand where no table stands."""
        doubtful: list[tuple[int, list[str]]] = []
        for i, token in enumerate(self.tokens):
            if not token.found or _LOOKS_TECHNICAL.search(token.text) or self._marked(i):
                continue
            before = self.tokens[i - 1] if i else None
            after = self.tokens[i + 1] if i + 1 < len(self.tokens) else None
            as_written = any(name.endswith(token.text) for name in token.found)
            if as_written and not token.text.islower() and before and before.text not in {".", "?", "!", ":"}:
                continue  # a capital inside a sentence, just as in the name
            acts = (
                before
                and token.text.lower() in lexicon.VERB_NOUNS
                and before.text.lower() in lexicon.SUBJECTS
                and not (after and after.text.lower() in lexicon.COPULAS)
            )
            one = before and before.text.lower() in {"a", "an"} and token.text.islower()
            if (
                acts or one or (after and after.text.lower() == "of")
            ):  # "tables store …", "the cost of a visit"
                token.found = []
            elif not (self._fits(before, after=False) and self._fits(after, after=True)):
                self.out.doubtful.append(token.text)
                doubtful.append((i, token.found))
                token.found = []
        if self.keep_doubtful:
            for i, found in doubtful:
                if any(token.found for token in self._sentence(i)):
                    self.tokens[i].found = found

    def _sentence(self, i: int) -> list[_Token]:
        ends = [k for k, token in enumerate(self.tokens) if token.text in {".", "?", "!"}]
        begin = max((k + 1 for k in ends if k < i), default=0)
        return self.tokens[begin : min((k for k in ends if k > i), default=len(self.tokens))]

    def _marked(self, i: int) -> bool:
        before = self.tokens[i - 1].text.lower() if i else ""
        after = self.tokens[i + 1].text.lower() if i + 1 < len(self.tokens) else ""
        return after in {"table", "view"} or before in {"table", "view", "`"}

    def _fits(self, token: _Token | None, *, after: bool) -> bool:
        if token is None or token.kind != "name" or token.found:
            return True
        word = token.text.lower()
        if word in lexicon.STOP_WORDS or word.startswith(lexicon.VERB_STEMS):
            return True
        if word.endswith("ing") or (word.endswith(("ly", "ed")) and after):
            return word not in lexicon.ADJECTIVES
        if (
            word in self.labels.layer_words
            or word in {g.lower() for g in self.labels.groups}
            or word in self.labels.qualifiers
        ):
            return True
        return word in lexicon.ROLE_WORDS and after

    def _find_labels(self) -> None:
        lower = [token.text.lower() for token in self.tokens]
        groups = {group.lower(): group for group in self.labels.groups}
        i = 0
        while i < len(self.tokens):
            token, word = self.tokens[i], lower[i]
            pair = f"{word} {lower[i + 1]}" if i + 1 < len(lower) else ""
            if token.found or token.kind != "name":
                i += 1
                continue
            for phrase, width in ((pair, 2), (word, 1)):
                scope = self._label(phrase, groups, i, width)
                if scope is not None and not any(t.found for t in self.tokens[i : i + width]):
                    kind = "L" if scope.layers else "G" if scope.groups else "D" if scope.roles else "S"
                    token.code = self._code(kind, scope)
                    for extra in self.tokens[i + 1 : i + width]:
                        extra.code = "\0"
                    i += width - 1
                    break
            i += 1
        self.tokens = [token for token in self.tokens if token.code != "\0"]

    def _label(self, phrase: str, groups: dict[str, str], i: int, width: int) -> Scope | None:
        if not phrase:
            return None
        after = self.tokens[i + width].text.lower() if i + width < len(self.tokens) else ""
        before = self.tokens[i - 1].text.lower() if i else ""
        trimmed = phrase.rstrip("_")
        if trimmed in groups:
            return Scope(groups=frozenset({groups[trimmed]}))
        if self.tokens[i - 1].found and i and width == 2 and phrase.endswith(("file", "files")):
            return None
        if phrase in {"view", "views"} and before in {"which", "what", "all", "many", "list", "any"}:
            if any(t.kind == "view" for t in self.graph.tables.values()):
                return Scope(kinds=frozenset({"view"}))
            self.out.missing_label = phrase
        if phrase in {"source file", "source files", "input file", "input files"}:
            kinds = {t.kind for t in self.graph.tables.values()}
            return Scope(kinds=frozenset({"source_file"})) if "source_file" in kinds else None
        if trimmed in self.labels.layer_words and not (phrase == "report" and before in {"to", "please"}):
            return Scope(layers=frozenset({self.labels.layer_words[trimmed]}))
        if trimmed in lexicon.FIRM_LAYER_WORDS and re.fullmatch(r"tables?|layer|zone|-|views?", after):
            self.out.missing_label = trimmed
        if lexicon.ROLE_WORDS.get(phrase) in self.labels.roles and (
            after in {"table", "tables", "or", "and", "is", "are"} or phrase.endswith("s")
        ):
            return Scope(roles=frozenset({lexicon.ROLE_WORDS[phrase]}))
        prefixes = self.labels.qualifiers.get(phrase)
        as_written = prefixes and any(p.endswith(self.tokens[i].text + ".") for p in prefixes)
        if prefixes and after != "'" and (as_written or re.fullmatch(lexicon.SCOPE_NOUNS, after)):
            return Scope(prefixes=frozenset(prefixes))
        return None

    def _code(self, kind: str, value: object) -> str:
        store: dict[str, object] = {"T": self.out.tables, "R": self.out.rows}.get(kind, self.out.scopes)  # type: ignore[assignment]
        for code, known in store.items():
            if known == value and code[0] == kind and kind != "R":
                return code
        code = f"{kind}{sum(key[0] == kind for key in store) + 1}"
        store[code] = value
        return code

    def _assign_codes(self) -> None:
        for i, token in enumerate(self.tokens):
            if token.kind == "row":
                token.code = self._code("R", int(re.sub(r"\D", "", token.text)))
            elif token.found:
                self._assign_table(token)
            elif token.kind == "name" and not token.code and self._suspicious(i, token):
                self.out.unknown.append(token.text)

    def _narrow(self) -> None:
        for i, token in enumerate(self.tokens):
            if token.found:
                token.found = self._hinted(i, token)

    def _assign_table(self, token: _Token) -> None:
        if len(token.found) != 1:
            self.out.ambiguous.append((token.text, token.found))
            return
        token.code = self._code("T", token.found[0])
        if token.column:
            self.out.columns.append((token.code, token.column))

    def _hinted(self, i: int, token: _Token) -> list[str]:
        """Narrow what a name may mean by the words around it: "the warehouse's X", "the X source file"."""
        after = " ".join(t.text.lower() for t in self.tokens[i + 1 : i + 3])
        folded = token.text.lower()
        if re.match(r"(?:source |input |raw |landing )?files?\b", after):
            pool = dict.fromkeys([*token.found, *self.names.suffix.get(folded, [])])
            files = [name for name in pool if self.graph.tables[name].kind == "source_file"]
            if files:
                return files
        found = token.found
        if len(found) > 1:
            exact = [name for name in found if name.endswith("." + token.text)]
            found = exact if len(exact) == 1 and len({n.rsplit(".", 1)[-1] for n in found}) > 1 else found
        if len(found) > 1:
            near = [t for t in self.tokens[max(0, i - 4) : i + 4] if t is not token and not t.found]
            words = {t.text.lower() for t in near} | {
                "dw" if t.text.lower() == "warehouse" else "" for t in near
            }
            hinted = [name for name in found if words & set(name.lower().split(".")[:-1])]
            found = hinted if len(hinted) == 1 else found
        return found

    def _suspicious(self, i: int, token: _Token) -> bool:
        """Tell whether a word that names nothing looks as if it should."""
        text = token.text
        if (
            text.lower() in _ABBREVIATIONS
            or text.rstrip("_").lower() in self.labels.layer_words
            or token.shielded
        ):
            return False
        if text.endswith("_") or text.isupper() and len(text) > 1 and text.isalpha():
            return False
        if _LOOKS_TECHNICAL.search(text) and not re.fullmatch(r"[A-Z]{2,4}s", text):
            return True
        inner = i > 0 and self.tokens[i - 1].text not in {".", "?", "!", ":", "-", '"', "(", ";"}
        return (
            inner
            and text[0].isupper()
            and text[1:].islower()
            and text.lower() not in lexicon.STOP_WORDS
            and len(text) > 2
        )


def _plain(question: str) -> str:
    """Unify quotes, dashes and arrows, and spell out contractions."""
    text = question.translate(
        {0x2019: "'", 0x2018: "'", 0x201C: '"', 0x201D: '"', 0x2013: "-", 0x2014: " - ", 0x2026: "..."}
    )
    text = re.sub(r"\s*(?:-{1,2}>|={1,2}>|→|⇒|➔)\s*", " -> ", text)
    text = re.sub(r"\[([^\W\d][\w ]*)\]", r"\1", text)
    text = re.sub(r"[`\"]([^`\"]+)[`\"]", r"\1", text)
    text = re.sub(r"(?<!\w)'([\w.]+)'(?!\w)", r"\1", text)
    text = re.sub(r"(?<=\w):(?=row_?\d)", " ", text)
    text = re.sub(r"(?<=\w)\s*\[(\d+)\]", r" row_\1", text)
    for pattern, spelled in lexicon.CONTRACTIONS:
        text = re.sub(pattern, spelled, text, flags=re.I)
    return text


def _canonical(text: str) -> str:
    """Bring the words around the codes into the few forms that the grammar knows."""
    text = re.sub(r"- >", "->", text)
    text = re.sub(r"< -", "<-", text)
    text = re.sub(r" ?' s\b", " 's", text)
    text = re.sub(r"\. \. \.|\.\.\.", "...", text)
    text = re.sub(r"\b(R\d+) (?:of|in|from|inside|within) (?:the |table )*(T\d+)", r"\2 \1", text)
    text = re.sub(r"(T\d+)(?: 's| ,| :| table)* (?:the )?(R\d+)", r"\1 \2", text)
    text = re.sub(r"\( (T\d+) \)", r"\1", text)
    for pattern, replacement in lexicon.REWRITES:
        for _ in range(4):
            changed = re.sub(pattern, replacement, text)
            if changed == text:
                break
            text = changed
    text = re.sub(r"\b(T\d+)(?:(?: ,)? \1)+\b", r"\1", text)
    tables = list(dict.fromkeys(re.findall(r"T\d+", text)))
    if len(tables) == 1:
        first = text.index(tables[0])
        after = re.sub(
            r"(?<!is )(?<!make )\b(?:it|that table|this table|this one|that one|the table)\b(?! (?:is|was) (?:possible|true|right|ok|safe))",
            tables[0],
            text[first:],
        )
        after = re.sub(
            r"\b(does|do|did|where|is|are) its (?:data|rows|records|contents?|values|numbers|figures)\b",
            rf"\1 {tables[0]}",
            after,
        )
        after = re.sub(
            r"\b(does|do|did|will|would|could|can) (?:that|this)\b(?= \w)", rf"\1 {tables[0]}", after
        )
        after = re.sub(r"\bis it\b(?! (?:possible|true|right|ok|safe|that))", f"is {tables[0]}", after)
        after = re.sub(
            r"\bits\b(?! (?:own )?(?:data|rows|records|contents?|values|numbers|figures|inputs?|feeds?)\b)",
            f"{tables[0]} 's",
            after,
        )
        text = text[:first] + after
    return re.sub(r"\s+", " ", text).strip()
