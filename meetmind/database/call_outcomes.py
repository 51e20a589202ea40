"""What earlier calls brought or how they ended: what rules about the next call look at."""

from dataclasses import dataclass
from typing import Any

from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

SELECT_SESSION_RESULTS = """
select
    t.result -> 'request' as request,
    t.result -> 'evidence' as evidence
from tool_executions t
where t.session_id = %(session_id)s::uuid
  and t.owner_id = %(owner_id)s::uuid
  and t.status = 'finished'
  and position(lower(%(word)s) in lower(t.result::text)) > 0
order by t.requested_at, t.call_id
"""
SELECT_WRITTEN_PATHS = """
select distinct t.arguments ->> 'path' as path
from tool_executions t
where t.session_id = %(session_id)s::uuid
  and t.owner_id = %(owner_id)s::uuid
  and t.target_sha256_after is not null
  and t.arguments ->> 'path' is not null
  and (
    t.status in ('started', 'finished', 'failed', 'rejected', 'unsure')
    -- it waits again and may have taken effect before
    or t.asked_again = 'unsure'
  )
"""


@dataclass(frozen=True, kw_only=True)
class ToolResultRow:
    """What a call of a discussion brought home, and what had been asked for."""

    request: dict[str, Any]
    evidence: list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class SessionResults:
    """The results of a discussion, and the files that its roles changed or may have changed."""

    rows: list[ToolResultRow]
    written_paths: list[str]
    """As the roles wrote them."""


def session_results(
    pool: ConnectionPool, *, owner_id: str, session_id: str, word: str
) -> SessionResults:
    """The results of a discussion that hold this word, in upper- or lower-case."""
    parameters = {"owner_id": owner_id, "session_id": session_id, "word": word}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(ToolResultRow))
        rows = cursor.execute(SELECT_SESSION_RESULTS, parameters).fetchall()
        # Behind the results: what was read before may have been written until now.
        paths = connection.execute(SELECT_WRITTEN_PATHS, parameters).fetchall()
    return SessionResults(rows=rows, written_paths=[path for (path,) in paths])


SELECT_OUTCOMES = """
select
    t.call_id,
    t.utterance_id,
    t.tool,
    t.arguments_sha256,
    t.target,
    t.risk,
    t.status,
    coalesce(t.result ->> 'error_code', t.code) as error_code,
    coalesce(t.decided_how = 'expiry', false) as has_expired
from tool_executions t
where t.run_id = %(run_id)s::uuid
order by t.requested_at, t.call_id
"""


@dataclass(frozen=True, kw_only=True)
class CallOutcomeRow:
    """What the policy has to know of an earlier call; results can be large and are left out."""

    call_id: str
    utterance_id: str
    tool: str
    arguments_sha256: str
    target: str
    risk: str
    status: str
    error_code: str
    has_expired: bool
    """Rejected because nobody decided in time."""


def list_outcomes(pool: ConnectionPool, *, run_id: str) -> list[CallOutcomeRow]:
    """Every call of a run in the order in which they were asked for, without its result."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(CallOutcomeRow))
        return cursor.execute(SELECT_OUTCOMES, {"run_id": run_id}).fetchall()
