"""`loop_guards`: circles and hasty closings end with the right reason, honest talks are left alone.

About a minute for the talks, and another one for the same circles with the guards off.
"""

import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT_ROOT), str(PROJECT_ROOT / "scripts")]

from psycopg_pool import ConnectionPool  # noqa: E402 - the paths above come first
from reach_lines import ReachLines  # noqa: E402
from reach_room import fresh_database  # noqa: E402

from meetmind.database.connection import get_pg_pool  # noqa: E402
from meetmind.server.accounts import Accounts  # noqa: E402
from tests.support.circling_talks import CIRCLING_TALKS  # noqa: E402
from tests.support.honest_talks import HONEST_TALKS  # noqa: E402
from tests.support.scripted_talks import Played, Talk, TalkRoom, guards_off, play  # noqa: E402

AT_ONCE = 3


def measure(lines: ReachLines) -> None:
    """Play everything with the guards, and the circles once more without them."""
    with fresh_database() as database_url:
        pool = get_pg_pool(database_url)
        try:
            played = play_all(pool, database_url, [*CIRCLING_TALKS, *HONEST_TALKS])
            with guards_off():
                unguarded = play_all(pool, database_url, CIRCLING_TALKS)
        finally:
            pool.close()
    for one in played:
        if not one.is_right:
            lines.note(f"{one.talk.name}: ended by {one.reason}, guards {one.guards}")
    still_right = sum(1 for one in unguarded if one.is_right)
    lines.note(
        f"{len(CIRCLING_TALKS)} circles and hasty closings, {len(HONEST_TALKS)} honest talks; "
        f"with guards off {len(unguarded) - still_right} of the circles end wrongly"
    )
    passed = sum(1 for one in played if one.is_right)
    control_fails = still_right == 0
    lines.all_of("loop_guards", passed if control_fails else 0, len(played))


def play_all(pool: ConnectionPool, database_url: str, talks: Sequence[Talk]) -> list[Played]:
    """Every talk in a room of its own, some at the same time."""
    accounts = Accounts(pool)
    accounts.ensure_first_account()
    owner_id = accounts.sign_in("admin", "admin").id

    with tempfile.TemporaryDirectory() as folder:
        rooms: list[TalkRoom] = []

        def played(talk: Talk) -> Played:
            room = TalkRoom(
                pool=pool, database_url=database_url, home=Path(folder), owner_id=owner_id
            )
            rooms.append(room)
            return play(room, talk)

        try:
            # The first run on a database makes LangGraph's own tables, which takes no company.
            first = played(talks[0])
            with ThreadPoolExecutor(max_workers=AT_ONCE) as workers:
                return [first, *workers.map(played, talks[1:])]
        finally:
            for room in rooms:
                room.close()


if __name__ == "__main__":
    measure(ReachLines("runs_guards"))
