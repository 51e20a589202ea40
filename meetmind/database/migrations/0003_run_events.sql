create table run_events (
    run_id uuid not null references runs (id) on delete cascade,
    seq bigint not null,
    kind text not null,
    at timestamptz not null default clock_timestamp(),
    payload jsonb not null,
    primary key (run_id, seq)
);

create unique index run_events_one_floor_an_utterance
    on run_events (run_id, (payload ->> 'utterance_id'))
    where kind = 'floor_taken';

create unique index run_events_one_end_an_utterance
    on run_events (run_id, (payload ->> 'utterance_id'))
    where kind = 'utterance_ended';

create unique index run_events_one_end_a_run
    on run_events (run_id)
    where kind = 'run_ended';

create table tool_executions (
    run_id uuid not null references runs (id) on delete cascade,
    call_id text not null,
    utterance_id text not null,
    session_id uuid not null,
    owner_id uuid not null,
    agent_name text not null,
    tool text not null,
    risk text not null check (risk in ('low', 'medium', 'high')),
    arguments jsonb not null,
    arguments_sha256 text not null,
    -- sha256 of the file that the call would change, as it was when the call was asked for ('' = no file)
    target_sha256_before text,
    -- sha256 that the file has when the call is done
    target_sha256_after text,
    reason text not null default '',
    status text not null check (
        status in ('pending', 'approved', 'rejected', 'refused', 'started', 'finished', 'failed', 'unsure')
    ),
    requested_at timestamptz not null default clock_timestamp(),
    decided_by uuid references users (id) on delete set null,
    decided_at timestamptz,
    decision_reason text,
    delivered_at timestamptz,
    started_at timestamptz,
    ended_at timestamptz,
    result jsonb,
    primary key (run_id, call_id)
);

create index tool_executions_pending on tool_executions (owner_id) where status = 'pending';
