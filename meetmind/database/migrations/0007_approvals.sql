-- Approvals as a product (what was asked, decided, run and taken back), what a person allows beyond one
-- call, folders and servers that an administrator opens to the tools, and spans of what was done.

alter table tool_executions
    -- the unified diff of the call as it stands in `arguments`
    add column preview text not null default '',
    -- why the policy refused the call: a key of the text catalogue
    add column code text not null default '',
    -- what two calls for the same file, page or thing have in common
    add column target text not null default '',
    -- what the role had asked for, when a person changed it
    add column proposed_arguments jsonb,
    add column decided_how text check (decided_how in ('person', 'grant', 'expiry')),
    -- for calls that a grant allowed
    add column grant_id uuid,
    -- why a call waits that had been decided or begun before: file_changed, permission_ended or unsure
    add column asked_again text not null default '',
    -- since when the call waits: an expiry counts from here
    add column pending_since timestamptz not null default clock_timestamp(),
    -- of the result as it is stored
    add column result_sha256 text,
    add column undone_at timestamptz,
    add column undone_by uuid references users (id) on delete set null;

create index tool_executions_session on tool_executions (session_id, requested_at);
create index tool_executions_granted on tool_executions (grant_id) where grant_id is not null;
create index tool_executions_asked on tool_executions (owner_id, requested_at desc) where risk <> 'low';

-- Names of the files in the workspace that were attached to the brief.
alter table runs add column files text[] not null default '{}';

-- What a person allows for a whole discussion; the scope narrows a tool (the host of a fetch), '' is all of it.
create table tool_grants (
    id uuid primary key default gen_random_uuid(),
    session_id uuid not null references sessions (id) on delete cascade,
    owner_id uuid not null references users (id) on delete cascade,
    tool text not null,
    scope text not null default '',
    granted_at timestamptz not null default clock_timestamp(),
    revoked_at timestamptz
);

create unique index tool_grants_in_force on tool_grants (session_id, tool, scope) where revoked_at is null;

alter table tool_executions
    add constraint tool_executions_grant foreign key (grant_id) references tool_grants (id) on delete set null;

-- What a file held before an approved call changed it, so that a person can take the change back.
create table file_versions (
    run_id uuid not null,
    call_id text not null,
    path text not null,
    -- null: there was no such file
    content bytea,
    kept_at timestamptz not null default clock_timestamp(),
    primary key (run_id, call_id),
    foreign key (run_id, call_id) references tool_executions (run_id, call_id) on delete cascade
);

-- Folders of this machine that every discussion may read, as `@name/...`.
create table read_folders (
    name text primary key check (name ~ '^[a-z][a-z0-9_-]{0,29}$'),
    path text not null,
    added_by uuid references users (id) on delete set null,
    added_at timestamptz not null default clock_timestamp()
);

-- The risk that an administrator gave to a tool of an MCP server; without a row it is high.
create table mcp_tool_risks (
    server text not null,
    tool text not null,
    risk text not null check (risk in ('low', 'medium', 'high', 'deny')),
    -- sha256 of where the server was and what the tool said of itself: the decision is about that alone
    fingerprint text not null,
    decided_by uuid references users (id) on delete set null,
    decided_at timestamptz not null default clock_timestamp(),
    primary key (server, tool)
);

create table agent_trace_spans (
    id uuid primary key default gen_random_uuid(),
    run_id uuid not null references runs (id) on delete cascade,
    kind text not null check (
        kind in (
            'graph_node', 'context', 'model_call', 'tool_call', 'guard', 'postprocess', 'retrieval', 'approval'
        )
    ),
    name text not null,
    utterance_id text not null default '',
    call_id text not null default '',
    status text not null default '',
    began_at timestamptz not null,
    ended_at timestamptz not null,
    -- without secrets
    details jsonb not null default '{}'
);

create index agent_trace_spans_run on agent_trace_spans (run_id, began_at);
