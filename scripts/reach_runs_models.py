"""Models that misbehave: what a run tells of each fault of a loopback endpoint."""

import logging
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT_ROOT), str(PROJECT_ROOT / "scripts")]

from reach_lines import ReachLines  # noqa: E402 - the paths above come first
from reach_room import fresh_database  # noqa: E402

from meetmind.database.connection import get_pg_pool  # noqa: E402
from meetmind.llm.server_habits import forget_all_habits  # noqa: E402
from meetmind.server.accounts import Accounts  # noqa: E402
from tests.support.model_fault_cases import all_cases  # noqa: E402
from tests.support.model_fault_trial import TRIALS, faults_of_case  # noqa: E402
from tests.support.room import Room  # noqa: E402


def measure(lines: ReachLines) -> None:
    """Every case through a whole run, and what holds over several runs (2 minutes)."""
    right = 0
    total = 0
    with fresh_database() as database_url, _fresh_process() as folder:
        pool = get_pg_pool(database_url)
        accounts = Accounts(pool)
        accounts.ensure_first_account()
        owner_id = accounts.sign_in("admin", "admin").id

        def empty_room() -> AbstractContextManager[Room]:
            return _room(Room(pool=pool, database_url=database_url, home=folder, owner_id=owner_id))

        for case in all_cases():
            with empty_room() as room:
                right += _is_right(lines, case.name, faults_of_case(room, case))
            total += 1
        for name, trial in TRIALS.items():
            with empty_room() as room:
                right += _is_right(lines, name, trial(room))
            total += 1
        pool.close()
    lines.all_of("model_faults", right, total)


def _is_right(lines: ReachLines, name: str, faults: list[str]) -> bool:
    for fault in faults:
        lines.note(f"model_faults, {name}: {fault}")
    return not faults


@contextmanager
def _fresh_process() -> Iterator[Path]:
    """A folder of its own, and no log lines on faults that are meant.

    Loading the system's certificates is left out for speed.
    """
    with tempfile.TemporaryDirectory() as folder:
        before = {name: os.environ.pop(name, None) for name in ("SSL_CERT_FILE", "SSL_CERT_DIR")}
        os.environ["SSL_CERT_DIR"] = folder
        logging.disable(logging.WARNING)
        try:
            yield Path(folder)
        finally:
            logging.disable(logging.NOTSET)
            del os.environ["SSL_CERT_DIR"]
            os.environ.update({name: value for name, value in before.items() if value is not None})


@contextmanager
def _room(room: Room) -> Iterator[Room]:
    """A room in which nothing is known of any server."""
    forget_all_habits()
    try:
        yield room
    finally:
        room.close()
        forget_all_habits()


if __name__ == "__main__":
    measure(ReachLines("runs_models"))
