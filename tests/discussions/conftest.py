"""Fixtures of the discussion tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool

from meetmind.llm.server_habits import forget_all_habits
from meetmind.server.accounts import Accounts
from meetmind.server.memory import Memory
from tests.support.room import Room


@pytest.fixture
def room(pool: ConnectionPool, database_url: str, tmp_path: Path) -> Iterator[Room]:
    accounts = Accounts(pool)
    accounts.ensure_first_account()
    owner = accounts.sign_in("admin", "admin")
    opened = Room(pool=pool, database_url=database_url, home=tmp_path, owner_id=owner.id)
    forget_all_habits()
    yield opened
    opened.close()
    forget_all_habits()


@pytest.fixture
def memory(pool: ConnectionPool) -> Memory:
    return Memory(pool)
