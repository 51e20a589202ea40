"""A process that begins a discussion with a slow scripted model, to be killed by a test."""

import sys
import time
from pathlib import Path

from meetmind.database.connection import get_pg_pool
from tests.support.room import Room


def main() -> None:
    database_url, home, owner_id, session_id = sys.argv[1:]
    room = Room(
        pool=get_pg_pool(database_url),
        database_url=database_url,
        home=Path(home),
        owner_id=owner_id,
    )
    executor = room.open(piece_seconds=0.05)
    executor.start_run(owner_id, session_id, "Build a gift card page")
    while True:
        time.sleep(1)


main()
