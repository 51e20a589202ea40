-- Several embedding models beside each other, what people change in the knowledge, and what is kept
-- about searches so that they can be looked at and judged later.

-- Every role's table has the columns embedding_<key>, tokens_<key> and seen_<key> of each model here.
create table embedding_models (
    key text primary key check (key ~ '^[a-z][a-z0-9]{0,19}$'),
    -- a name or a folder, as it is given in the settings
    name text not null unique,
    dimensions integer not null,
    -- how token vectors are stored (an npz archive: axes and the mean of each language)
    token_frame bytea,
    -- filling: not yet searched, until every passage has been seen; leaving: searched until then
    state text not null check (state in ('filling', 'in_force', 'leaving')),
    created_at timestamptz not null default clock_timestamp()
);

-- What was chosen in the app for the whole installation; the last row is in force.
create table retrieval_settings (
    number bigint generated always as identity primary key,
    settings jsonb not null,
    chosen_by uuid references users (id) on delete set null,
    chosen_at timestamptz not null default clock_timestamp()
);

alter table documents drop constraint documents_status_check;

alter table documents
    add column bytes bigint not null default 0,
    -- passages that were not stored
    add column left_out integer not null default 0,
    -- the sentences of the report in no language: a list of {reason, details}
    add column report_parts jsonb not null default '[]',
    -- deleted: a person deleted it; its file is not read again until it is restored
    add constraint documents_status_check check (status in ('read', 'failed', 'deleted'));

-- Nothing of its text is kept: a restored passage is read from its file again.
alter table deleted_passages
    add column source text not null default '',
    -- every document that held it
    add column sources text[] not null default '{}',
    add column title text not null default '',
    add column deleted_by uuid references users (id) on delete set null;

-- What a person keeps out of every search; holds when the table is emptied and filled again.
create table disabled_passages (
    table_name text not null,
    passage_id text not null,
    primary key (table_name, passage_id)
);

-- What a person wrote in place of a passage of a document; holds over every reading of the file.
create table passage_edits (
    table_name text not null,
    original_id text not null,
    -- the passage with the new text
    edited_id text not null,
    title text not null,
    content text not null,
    edited_by uuid references users (id) on delete set null,
    edited_at timestamptz not null default clock_timestamp(),
    primary key (table_name, original_id)
);

create index passage_edits_edited on passage_edits (table_name, edited_id);

-- Other names of one thing: a question with one of them is searched with the others too.
create table aliases (
    id bigint generated always as identity primary key,
    table_name text not null,
    name text not null,
    alias text not null,
    created_by uuid references users (id) on delete set null,
    created_at timestamptz not null default clock_timestamp(),
    unique (table_name, name, alias)
);

-- Every search of a discussion with all its numbers, as they were.
create table searches (
    id uuid primary key default gen_random_uuid(),
    run_id uuid not null references runs (id) on delete cascade,
    owner_id uuid not null references users (id) on delete cascade,
    agent_name text not null,
    query text not null,
    trace jsonb not null,
    searched_at timestamptz not null default clock_timestamp()
);

create index searches_run on searches (run_id, searched_at);
create index searches_owner on searches (owner_id, searched_at desc);

-- What people marked on the Rerank page; a judgement is about a question in one role's table.
create table judgements (
    table_name text not null,
    question text not null,
    passage_id text not null,
    is_relevant boolean not null,
    judged_by uuid not null references users (id) on delete cascade,
    judged_at timestamptz not null default clock_timestamp(),
    primary key (judged_by, table_name, question, passage_id)
);

-- The columns of one model that the tables had until now; vectors are filled in again.
do $$
declare
    passages_table text;
begin
    for passages_table in
        select columns.table_name
        from information_schema.columns
        where columns.table_schema = current_schema()
          and columns.column_name = 'embedded_by'
          -- a role's table has two more beside it
          and to_regclass(quote_ident(columns.table_name || '_terms')) is not null
          and to_regclass(quote_ident(columns.table_name || '_postings')) is not null
    loop
        execute format('alter table %I drop column embedding, drop column embedded_by', passages_table);
        execute format(
            'alter table %I add column is_disabled boolean not null default false', passages_table
        );
        execute format(
            'create index %I on %I (number) where is_disabled',
            passages_table || '_disabled',
            passages_table
        );
    end loop;
end
$$;
