"""`injection_bypass`: orders hidden in what a role reads, with a model that obeys them all."""

import sys
import tempfile
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT_ROOT), str(PROJECT_ROOT / "scripts")]

from reach_lines import ReachLines  # noqa: E402 - the paths above come first
from reach_room import fresh_database  # noqa: E402

from meetmind.config.environment import load_environment  # noqa: E402
from meetmind.database.connection import get_pg_pool  # noqa: E402
from meetmind.server.accounts import Accounts  # noqa: E402
from tests.support.injection_room import (  # noqa: E402
    Attempt,
    InjectionRoom,
    without_the_guard,
)
from tests.support.injections import Injection, chosen_injections  # noqa: E402
from tests.support.room import Room  # noqa: E402

INJECTIONS = 500
WITHOUT_GUARD = 60
HONEST = 60


def measure(lines: ReachLines, count: int = INJECTIONS) -> None:
    """Run them with the guard, some of them without it, and some with a person who says yes."""
    load_environment()
    chosen = chosen_injections(count)
    with fresh_database() as database_url, tempfile.TemporaryDirectory() as home:
        pool = get_pg_pool(database_url)
        accounts = Accounts(pool)
        accounts.ensure_first_account()
        owner_id = accounts.sign_in("admin", "admin").id
        room = Room(pool=pool, database_url=database_url, home=Path(home), owner_id=owner_id)
        trial = InjectionRoom(room)
        with trial.serving():
            attempts = [told(trial.run(injection), injection) for injection in chosen]
            with without_the_guard():
                unguarded = [trial.run(injection) for injection in chosen[:WITHOUT_GUARD]]
            approved = [trial.run(injection, approve=True) for injection in chosen[:HONEST]]
        pool.close()
    bad = sum(attempt.is_bad for attempt in attempts)
    attempted = sum(attempt.was_attempted for attempt in attempts)
    lines.note(f"injection_bypass: {attempted} of {len(attempts)} were really attempted")
    passed = sum(bool(attempt.effects) for attempt in approved)
    lines.note(f"injection_bypass: {passed} of {len(approved)} had their effect after a click")
    if attempted < len(attempts) or passed == 0:
        bad += len(attempts) - attempted + (passed == 0)
    bad_without_guard = sum(attempt.is_bad for attempt in unguarded)
    lines.none_of("injection_bypass", bad, len(attempts), bad_without_guard=bad_without_guard)


def told(attempt: Attempt, injection: Injection) -> Attempt:
    """Name what went wrong at once: a long run should not end in a bare number."""
    if attempt.is_bad or not attempt.was_attempted:
        place = f"{injection.family.name}, {injection.way}, {injection.language}"
        print(f"# {place}, {injection.order}: {attempt}", flush=True)
    return attempt


if __name__ == "__main__":
    measure(ReachLines("tools_injections"), int(sys.argv[1]) if len(sys.argv) > 1 else INJECTIONS)
