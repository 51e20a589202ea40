-- Whether an executor holds the lock of a run right now; wiped databases may still have it.
create or replace function run_is_held(run_id uuid)
returns boolean
language sql
stable
as $$
    select exists (
        select 1
        from pg_locks
        where locktype = 'advisory'
          and objsubid = 1
          and database = (select oid from pg_database where datname = current_database())
          and ((classid::bigint << 32) | objid::bigint)
            = hashtextextended('run:' || run_id::text, 0)
    )
$$;
