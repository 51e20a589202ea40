"""What a person says and the end of the run exclude each other."""

from threading import Thread

import psycopg
import pytest
from psycopg_pool import ConnectionPool

from meetmind.database import person_acts, runs, steering
from meetmind.database.run_events import append_event
from meetmind.errors import RunIsOver
from meetmind.events import FloorTaken, RunEnded
from meetmind.server.accounts import Accounts
from tests.support.open_run import open_run
from tests.support.room import wait_until

END = RunEnded(status="done", reason="closed_by_architect")


@pytest.fixture
def owner_id(pool: ConnectionPool) -> str:
    return Accounts(pool).local_person().id


def say(pool: ConnectionPool, owner_id: str, run_id: str, words: str, to_agent: str = "") -> str:
    return person_acts.say(pool, owner_id=owner_id, run_id=run_id, words=words, to_agent=to_agent)


def unanswered(pool: ConnectionPool, run_id: str, utterance_id: str = "") -> list[str]:
    rows = steering.unanswered_words(pool, run_id=run_id, utterance_id=utterance_id)
    return [row.text for row in rows]


def take_floor(pool: ConnectionPool, run_id: str, epoch: int, number: int, role: str) -> str:
    floor = FloorTaken(utterance_id=f"{run_id}.{number}", agent_name=role, iteration=number)
    append_event(pool, run_id=run_id, epoch=epoch, event=floor)
    return floor.utterance_id


def waits_for_a_lock(connection: psycopg.Connection) -> bool:
    row = connection.execute(
        "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
        " and datname = current_database()"
    ).fetchone()
    return row is not None and row[0] > 0


def test_the_end_waits_for_words_that_are_being_said_and_gives_way(
    pool: ConnectionPool, owner_id: str, database_url: str
) -> None:
    _, run_id, epoch = open_run(pool, owner_id)
    closed: list[bool] = []

    def close() -> None:
        closed.append(steering.close_unless_words(pool, run_id=run_id, epoch=epoch, event=END))

    with psycopg.connect(database_url) as saying, psycopg.connect(database_url) as watching:
        watching.autocommit = True
        person_acts.lock_open_run(saying, owner_id=owner_id, run_id=run_id)
        closing = Thread(target=close)
        closing.start()
        wait_until(lambda: waits_for_a_lock(watching))
        person_acts.say_within(saying, owner_id=owner_id, run_id=run_id, words="Wait.", to_agent="")
        saying.commit()
        closing.join(20)
    assert closed == [False]
    assert runs.get_run(pool, owner_id=owner_id, run_id=run_id).status == "running"
    assert unanswered(pool, run_id) == ["Wait."]


def test_words_after_the_end_are_refused_and_leave_no_message(
    pool: ConnectionPool, owner_id: str
) -> None:
    _, run_id, epoch = open_run(pool, owner_id)
    assert steering.close_unless_words(pool, run_id=run_id, epoch=epoch, event=END)
    with pytest.raises(RunIsOver):
        say(pool, owner_id, run_id, "Too late")
    with pool.connection() as connection:
        row = connection.execute("select count(*) from messages where id like '%said%'").fetchone()
    assert row == (0,)


def test_a_floor_answers_words_for_everybody_and_for_its_own_role(
    pool: ConnectionPool, owner_id: str
) -> None:
    _, run_id, epoch = open_run(pool, owner_id)
    say(pool, owner_id, run_id, "to all")
    say(pool, owner_id, run_id, "to the tester", "tester")
    floor = take_floor(pool, run_id, epoch, 0, "backend")
    say(pool, owner_id, run_id, "later")
    assert unanswered(pool, run_id) == ["to the tester", "later"]
    # The same turn after a crash: what had been said when it began.
    assert unanswered(pool, run_id, floor) == ["to all", "to the tester"]
    take_floor(pool, run_id, epoch, 1, "tester")
    assert unanswered(pool, run_id) == []
