"""A run of a discussion, claimed by an executor that is the test itself."""

from psycopg_pool import ConnectionPool

from meetmind.database import runs, sessions


def open_run(
    pool: ConnectionPool, owner_id: str, session_id: str | None = None
) -> tuple[str, str, int]:
    """A run in a discussion (a new one without `session_id`): discussion, run and epoch."""
    if session_id is None:
        session_id = sessions.create_session(pool, owner_id=owner_id, title="Refunds")
    run_id = runs.create_run(
        pool,
        owner_id=owner_id,
        session_id=session_id,
        brief="Write it down",
        mode="team",
        language="en",
        memory_id=None,
        max_iterations=3,
        model_name="offline",
    )
    epoch = runs.claim_run(pool, run_id)
    assert epoch is not None
    return session_id, run_id, epoch
