"""The catalog's SQLite schema.

`reads` holds what a reader found in one content (by hash); `documents`, `tables` and `datasets` are what the lake
is made of now, assembled from it. So a file that moves, or a lake that is assembled again, is never read twice.
"""

from __future__ import annotations

SCHEMA_VERSION = 3

SCHEMA = """
create table if not exists meta (key text primary key, value text not null) without rowid;

create table if not exists files (
    path text primary key,
    size integer not null,
    version text not null,
    sha256 text not null default '',
    state text not null,
    reason text not null default '',
    seconds real not null default 0
) without rowid;
create index if not exists files_sha on files (sha256);

create table if not exists reads (
    content text primary key,
    reader integer not null,
    record blob not null,
    body blob not null
) without rowid;

create table if not exists documents (
    id text primary key,
    parent text not null default '',
    dataset text not null,
    content text not null,
    sha256 text not null,
    size integer not null,
    state text not null,
    reason text not null default '',
    duplicate_of text not null default '',
    kind text not null,
    role text not null,
    format text not null,
    encoding text,
    title text not null,
    warnings text not null,
    metadata text not null,
    digest text not null,
    series text not null default '',
    text_length integer not null default 0,
    revision integer not null
) without rowid;
create index if not exists documents_dataset on documents (dataset);
create index if not exists documents_revision on documents (revision);
create index if not exists documents_sha on documents (sha256);

create table if not exists tables (
    document text not null,
    position integer not null,
    ref text not null unique,
    name text not null,
    row_count integer not null,
    info text not null,
    typed_path text not null,
    raw_path text not null,
    primary key (document, position)
) without rowid;

create table if not exists sheets (
    id text primary key,
    signature text not null,
    info text not null,
    typed_path text not null,
    raw_path text not null
) without rowid;
create table if not exists sheet_rows (
    sheet text not null, row integer not null, document text not null, label text not null, primary key (sheet, row)
) without rowid;
create index if not exists sheet_rows_document on sheet_rows (document);

create table if not exists datasets (
    id text primary key,
    title text not null,
    metadata text not null,
    digest text not null,
    revision integer not null
) without rowid;

create table if not exists inputs (dataset text primary key, signature text not null) without rowid;
create table if not exists sketches (
    content text not null, position integer not null, sketch blob not null, primary key (content, position)
) without rowid;
create table if not exists tombstones (
    kind text not null, id text not null, revision integer not null, primary key (kind, id)
) without rowid;
create table if not exists aliases (old text primary key, new text not null) without rowid;

create table if not exists series (id text primary key, info text not null) without rowid;
create table if not exists copies (
    document text not null, other text not null, kind text not null, info text not null,
    primary key (document, other)
) without rowid;
create index if not exists copies_other on copies (other);
create table if not exists joins (
    left_document text not null, right_document text not null, left_ref text not null, left_column text not null,
    right_ref text not null, right_column text not null, score real not null, info text not null,
    primary key (left_ref, left_column, right_ref, right_column)
) without rowid;
create index if not exists joins_left on joins (left_document);
create index if not exists joins_right on joins (right_document);
create table if not exists mentions (
    page text not null, document text not null, weight real not null, info text not null,
    primary key (page, document)
) without rowid;
create index if not exists mentions_document on mentions (document);
create table if not exists links (
    dataset text not null, other text not null, weight real not null, via text not null, primary key (dataset, other)
) without rowid;
"""
