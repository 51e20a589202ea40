create table sessions (
    id uuid primary key default gen_random_uuid(),
    owner_id uuid not null references users (id) on delete cascade,
    title text not null,
    created_at timestamptz not null default clock_timestamp(),
    updated_at timestamptz not null default clock_timestamp()
);

create index sessions_owner on sessions (owner_id, updated_at desc);

create table runs (
    id uuid primary key default gen_random_uuid(),
    session_id uuid not null references sessions (id) on delete cascade,
    owner_id uuid not null references users (id) on delete cascade,
    -- running: an executor holds it (or it was cut off); waiting: for a person; the rest is over
    status text not null check (status in ('running', 'waiting', 'done', 'stopped', 'failed')),
    epoch integer not null default 0,
    last_seq bigint not null default 0,
    mode text not null check (mode in ('auto', 'team', 'assistant')),
    language text not null,
    brief_id text not null,
    memory_id uuid references memory_versions (id) on delete set null,
    max_iterations integer not null,
    model_name text not null,
    created_at timestamptz not null default clock_timestamp(),
    ended_at timestamptz
);

create index runs_session on runs (session_id, created_at);
create unique index runs_one_open_a_session on runs (session_id) where status in ('running', 'waiting');

create table messages (
    -- the brief is '<run>.brief', an utterance has its utterance id
    id text primary key,
    session_id uuid not null references sessions (id) on delete cascade,
    owner_id uuid not null references users (id) on delete cascade,
    run_id uuid not null references runs (id) on delete cascade,
    seq bigint generated always as identity,
    author text not null,
    content text not null,
    details jsonb not null default '{}',
    created_at timestamptz not null default clock_timestamp()
);

create index messages_session on messages (session_id, seq);
