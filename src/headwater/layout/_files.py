"""Which files are metadata documents: by name, and for JSON, YAML and XML by their first bytes."""

from __future__ import annotations

import re

_NAME_RANKS: tuple[tuple[int, re.Pattern[str]], ...] = (
    (
        0,
        re.compile(
            r"(datapackage|datapackage-info|croissant|ro-crate-metadata)\.(json|ya?ml)|.*[-.]croissant\.json|.*\.jsonld"
        ),
    ),
    (
        1,
        re.compile(
            r"(signed[-_])?metadata\.(json|ya?ml|txt|xml|jsonld)|meta\.json|dataset[-_]metadata\.json|package[-_]metadata\.json|dataset_info\.json"
        ),
    ),
    (2, re.compile(r"dcat\.(json|xml|rdf)|package_show\.json")),
    (3, re.compile(r".*[-_.](meta|metadata)\.(json|xml|ya?ml|txt)|data\.json")),
    (
        4,
        re.compile(
            r"(.*[-_. ])?(readme|read[-_ ]me)([-_. ].*)?(\.(md|markdown|txt|rst|html?))?|about\.(md|txt)|description\.(md|txt)"
        ),
    ),
    (
        5,
        re.compile(
            r".*(data|variables?|columns?|fields?|codes?)[-_ ]?(dict(ionary)?|descriptions?|definitions?|list|docs?|notes|info)\b.*"
        ),
    ),
    (
        5,
        re.compile(
            r".*(dictionary|codebook|code[-_ ]book|data[-_ ]?dict|record[-_ ]layout|file[-_ ]layout).*|(variables|columns|fields|schema)\.(csv|tsv|xlsx?|json|md|txt)"
        ),
    ),
)
"""Patterns over the lower-case file name; the rank orders documents from the most formal to the least."""

_DICTIONARY_ENDINGS = frozenset(
    {"csv", "tsv", "txt", "md", "json", "xlsx", "xls", "yaml", "yml", "html", "htm", "xml", "rst", ""}
)

_HEAD_SIGNS = re.compile(
    rb'"conformsTo"\s*:\s*"https?://(project-open-data|mlcommons)|"@context"\s*:|"@type"\s*:\s*"(sc:|dcat:)?(Dataset|Catalog)'
    rb'|"profile"\s*:\s*"(tabular-)?data-package"|"license_title"\s*:|"num_resources"\s*:|"dataset_title"\s*:'
    rb'|"meta"\s*:\s*\{\s*"view"\s*:|"viewType"\s*:|"package_id"\s*:|<(gmd:|mdb:)?MD_Metadata|<metadata[\s>].{0,200}<idinfo|<dcat:|R Documentation</td>'
    rb"|<th[^>]{0,80}>\s*(Column|Field|Variable|Attribute|Header|Data Element)( Name)?\s*</th>\s*<th[^>]{0,80}>\s*(Data )?"
    rb"(Type|Description|Definition|Meaning|Label)",
    re.DOTALL,
)


def metadata_rank(path: str) -> int | None:
    """Return how formal a metadata document `path` is by its name (0 most, 5 least), or None if it is none."""
    name = path.rsplit("!", 1)[-1].rsplit("/", 1)[-1].casefold()
    for rank, pattern in _NAME_RANKS:
        if pattern.fullmatch(name):
            if rank == 5 and (name.rpartition(".")[2] if "." in name else "") not in _DICTIONARY_ENDINGS:
                return None
            return rank
    return None


def is_metadata_file(path: str, head: bytes = b"") -> bool:
    """Tell whether a file is (also) a metadata document.

    Args:
        path: its path; the name alone decides for the usual ones (`metadata.json`, `datapackage.json`, `README.md`,
            `data_dictionary.csv` …).
        head: its first bytes (4 KB are enough); marks of CKAN, Socrata, DCAT, Croissant, CSVW, ISO 19139 and FGDC
            documents are looked for in them.
    """
    return metadata_rank(path) is not None or bool(head and _HEAD_SIGNS.search(head[:8192]))
