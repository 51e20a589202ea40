create table users (
    id uuid primary key default gen_random_uuid(),
    name text not null unique,
    password_hash text not null,
    is_admin boolean not null default false,
    must_change_password boolean not null default false,
    language text,
    created_at timestamptz not null default now(),
    disabled_at timestamptz
);

create table sign_in_tickets (
    ticket_hash text primary key,
    user_id uuid not null references users (id) on delete cascade,
    expires_at timestamptz not null
);

create table auth_sessions (
    token_hash text primary key,
    user_id uuid not null references users (id) on delete cascade,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    revoked_at timestamptz
);

create index auth_sessions_user on auth_sessions (user_id);

create table memory_versions (
    id uuid primary key default gen_random_uuid(),
    owner_id uuid not null references users (id) on delete cascade,
    content text not null,
    created_at timestamptz not null default clock_timestamp()
);

create index memory_versions_owner on memory_versions (owner_id, created_at desc);
