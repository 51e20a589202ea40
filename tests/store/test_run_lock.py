"""Who may execute a run: its lock, and the epoch that only the holder raises."""

import pytest
from psycopg_pool import ConnectionPool

from meetmind.database import runs
from meetmind.database.runs import RunLock
from meetmind.errors import LostTheRun
from meetmind.server.accounts import Accounts
from tests.support.open_run import open_run


@pytest.fixture
def run_id(pool: ConnectionPool) -> str:
    accounts = Accounts(pool)
    accounts.ensure_first_account()
    return open_run(pool, accounts.sign_in("admin", "admin").id)[1]


def test_a_run_has_one_holder_at_a_time(database_url: str, run_id: str) -> None:
    first, second = RunLock(database_url, run_id), RunLock(database_url, run_id)
    assert first.take()
    assert not second.take()
    first.release()
    assert second.take()
    second.release()


def test_the_holder_raises_the_epoch_and_nobody_else_can(database_url: str, run_id: str) -> None:
    lock = RunLock(database_url, run_id)
    with pytest.raises(LostTheRun):
        lock.claim()
    assert lock.take()
    before = lock.epoch_now()
    assert before is not None
    assert lock.claim() == before + 1 == lock.epoch_now()
    lock.release()
    with pytest.raises(LostTheRun):
        lock.claim()


def test_a_run_that_is_over_is_not_claimed(
    pool: ConnectionPool, database_url: str, run_id: str
) -> None:
    with pool.connection() as connection:
        connection.execute("update runs set status = 'done' where id = %s", [run_id])
    lock = RunLock(database_url, run_id)
    assert lock.take()
    assert lock.claim() is None
    lock.release()
    assert runs.claim_run(pool, run_id) is None
