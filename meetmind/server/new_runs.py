"""A new run as it is stored before anybody executes it."""

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg_pool import ConnectionPool

from meetmind.config.budget import Budget
from meetmind.config.settings import Settings
from meetmind.database import runs
from meetmind.database.memory import get_memory
from meetmind.errors import NotFound
from meetmind.events import Mode
from meetmind.knowledge.words import detect_language
from meetmind.server.steering import check_budget, checked_role, checked_words


@dataclass(frozen=True, kw_only=True)
class NewRun:
    """What a person asks for; what is None is as the settings say."""

    brief: str
    mode: Mode = "auto"
    language: str | None = None
    files: Sequence[str] = ()
    asked_agent: str = ""
    continues_run_id: str | None = None
    budget: Budget | None = None
    max_iterations: int | None = None


def default_budget(settings: Settings) -> Budget:
    """The limits of the settings."""
    return Budget(
        max_tokens=settings.max_run_tokens,
        max_minutes=settings.max_run_minutes,
        max_cost=settings.max_run_cost,
    )


def store_new_run(
    pool: ConnectionPool,
    settings: Settings,
    *,
    owner_id: str,
    session_id: str,
    wanted: NewRun,
    model_name: str,
) -> str:
    """Check and store a run with its brief; its id.

    A brief for one role goes to the team. Raises `BriefRefused`, `BudgetRefused`, `NotFound` and
    `RunIsBusy`.
    """
    text = checked_words(wanted.brief)
    asked_agent = checked_role(wanted.asked_agent)
    budget = default_budget(settings) if wanted.budget is None else wanted.budget
    max_iterations = wanted.max_iterations
    if max_iterations is None:
        max_iterations = settings.max_iterations
    check_budget(max_iterations, budget)
    _check_continued(pool, owner_id, session_id, wanted.continues_run_id)
    memory = get_memory(pool, owner_id)
    return runs.create_run(
        pool,
        owner_id=owner_id,
        session_id=session_id,
        brief=text,
        mode="team" if asked_agent else wanted.mode,
        language=wanted.language or detect_language(text),
        memory_id=None if memory is None else memory.id,
        max_iterations=max_iterations,
        model_name=model_name,
        files=wanted.files,
        asked_agent=asked_agent,
        continues_run_id=wanted.continues_run_id,
        budget=budget,
    )


def _check_continued(
    pool: ConnectionPool, owner_id: str, session_id: str, run_id: str | None
) -> None:
    if run_id is None:
        return
    earlier = runs.get_run(pool, owner_id=owner_id, run_id=run_id)
    if earlier.session_id != session_id:
        raise NotFound("The round to continue belongs to another discussion.")
