-- Passages, their words and vectors live in tables of their own a role (agent_tables.py), named
-- <prefix>_<role>; here is what is kept about them. table_name is that name.

create table documents (
    table_name text not null,
    -- the file's path below the role's folder
    source text not null,
    origin text not null check (origin in ('seed', 'upload')),
    -- of the file's bytes and the version of the reader; '' when the file could not even be opened
    sha256 text not null,
    title text not null,
    doc_type text not null,
    language text not null,
    characters integer not null default 0,
    -- failed: this version could not be read; passages of an earlier version stay
    status text not null check (status in ('read', 'failed')),
    report text not null default '',
    ingested_at timestamptz not null default clock_timestamp(),
    primary key (table_name, source)
);

-- One text in two documents is one passage with two rows here.
create table passage_sources (
    table_name text not null,
    passage_id text not null,
    source text not null,
    position integer not null,
    title text not null,
    locator text not null,
    primary key (table_name, passage_id, source),
    foreign key (table_name, source) references documents (table_name, source) on delete cascade
);

create index passage_sources_document on passage_sources (table_name, source, position);

-- What a person deleted does not come back with the next ingestion.
create table deleted_passages (
    table_name text not null,
    passage_id text not null,
    deleted_at timestamptz not null default clock_timestamp(),
    primary key (table_name, passage_id)
);
