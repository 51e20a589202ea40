"""Every way in which a model misbehaves ends in exactly the right events."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from psycopg.conninfo import make_conninfo
from psycopg_pool import ConnectionPool

from meetmind.database.connection import get_pg_pool
from meetmind.llm.server_habits import forget_all_habits
from meetmind.server.accounts import Accounts
from tests.conftest import run_on_server
from tests.support.model_fault_cases import FaultCase, all_cases
from tests.support.model_fault_trial import TRIALS, faults_of_case
from tests.support.room import Room


@dataclass(frozen=True, kw_only=True)
class Shared:
    """One database and one account for all cases: making them takes longer than a case."""

    pool: ConnectionPool
    database_url: str
    owner_id: str


@pytest.fixture(scope="module")
def shared(server_url: str, template_database: str) -> Iterator[Shared]:
    name = f"meetmind_faults_{secrets.token_hex(4)}"
    run_on_server(server_url, f"create database {name} template {template_database}")
    database_url = make_conninfo(server_url, dbname=name)
    pool = get_pg_pool(database_url)
    accounts = Accounts(pool)
    accounts.ensure_first_account()
    owner = accounts.sign_in("admin", "admin")
    yield Shared(pool=pool, database_url=database_url, owner_id=owner.id)
    pool.close()
    run_on_server(server_url, f"drop database {name} with (force)")


@pytest.fixture
def room(shared: Shared, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Room]:
    """A room in which nothing is known of any server.

    Loading the system's certificates is left out for speed.
    """
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    forget_all_habits()
    opened = Room(
        pool=shared.pool,
        database_url=shared.database_url,
        home=tmp_path,
        owner_id=shared.owner_id,
    )
    yield opened
    opened.close()
    forget_all_habits()


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
def test_every_fault_of_a_model_is_told_in_the_right_events(room: Room, case: FaultCase) -> None:
    assert faults_of_case(room, case) == []


@pytest.mark.parametrize("name", TRIALS)
def test_what_holds_over_several_runs(room: Room, name: str) -> None:
    assert TRIALS[name](room) == []
