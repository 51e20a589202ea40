-- paused: a person asked the team to wait; everything else as before
alter table runs drop constraint runs_status_check;
alter table runs add constraint runs_status_check
    check (status in ('running', 'waiting', 'paused', 'done', 'stopped', 'failed'));

drop index runs_one_open_a_session;
create unique index runs_one_open_a_session on runs (session_id)
    where status in ('running', 'waiting', 'paused');

alter table runs
    add column pause_asked boolean not null default false,
    -- the role that the brief is addressed to ('' = nobody in particular)
    add column asked_agent text not null default '',
    add column continues_run_id uuid references runs (id) on delete set null,
    -- budgets; null = no limit
    add column max_tokens bigint,
    add column max_minutes double precision,
    add column max_cost double precision,
    -- what was used; work_seconds leaves out waiting for a person
    add column input_tokens bigint not null default 0,
    add column output_tokens bigint not null default 0,
    add column cost double precision not null default 0,
    add column work_seconds double precision not null default 0;

create index runs_continues on runs (continues_run_id) where continues_run_id is not null;

create table run_questions (
    run_id uuid not null references runs (id) on delete cascade,
    call_id text not null,
    session_id uuid not null references sessions (id) on delete cascade,
    owner_id uuid not null references users (id) on delete cascade,
    utterance_id text not null,
    agent_name text not null,
    question text not null,
    choices text[] not null default '{}',
    why text not null default '',
    asked_at timestamptz not null default clock_timestamp(),
    -- null while it waits; '' with answered_at set = the person leaves it open
    answer text,
    answered_at timestamptz,
    answered_by uuid references users (id) on delete set null,
    primary key (run_id, call_id)
);

create index run_questions_session on run_questions (session_id);
create index run_questions_open on run_questions (owner_id) where answered_at is null;

create table session_summaries (
    id uuid primary key default gen_random_uuid(),
    session_id uuid not null references sessions (id) on delete cascade,
    owner_id uuid not null references users (id) on delete cascade,
    summary text not null,
    -- messages.seq of the last message that the summary holds
    summarized_through_seq bigint not null,
    through_message_id text not null,
    messages integer not null,
    tokens_before integer not null,
    tokens_after integer not null,
    model_name text not null,
    made_by text not null check (made_by in ('person', 'limit')),
    created_at timestamptz not null default clock_timestamp()
);

create unique index session_summaries_boundary
    on session_summaries (session_id, summarized_through_seq);

create table message_vectors (
    message_id text primary key references messages (id) on delete cascade,
    session_id uuid not null references sessions (id) on delete cascade,
    owner_id uuid not null references users (id) on delete cascade,
    -- which embedding model made the vector; others are not compared with it
    model text not null,
    -- what was embedded: secrets removed
    content text not null,
    embedding halfvec not null,
    embedded_at timestamptz not null default clock_timestamp()
);

create index message_vectors_session on message_vectors (session_id, model);

-- a turn that is judged again after a crash tells what a guard found only once
create unique index run_events_one_finding_an_utterance
    on run_events (run_id, (payload ->> 'utterance_id'), (payload ->> 'guard'))
    where kind = 'guard_acted';

-- that a turn goes on without tools is told once, also when a crash repeats it
delete from run_events later
using run_events earlier
where earlier.run_id = later.run_id
  and earlier.kind = 'tools_unavailable'
  and later.kind = 'tools_unavailable'
  and earlier.payload ->> 'utterance_id' = later.payload ->> 'utterance_id'
  and earlier.seq < later.seq;

create unique index run_events_one_lack_of_tools_an_utterance
    on run_events (run_id, (payload ->> 'utterance_id'))
    where kind = 'tools_unavailable';

-- a step at the beginning that is repeated after a crash is told only once
delete from run_events later
using run_events earlier
where earlier.run_id = later.run_id
  and earlier.kind = later.kind
  and earlier.seq < later.seq
  and later.kind in ('run_started', 'brief_rewritten', 'intent_recognised', 'route_chosen');

create unique index run_events_one_beginning_a_run
    on run_events (run_id, kind)
    where kind in ('run_started', 'brief_rewritten', 'intent_recognised', 'route_chosen');
