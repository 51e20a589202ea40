"""Who may come in, and for how long."""

import threading
from typing import Literal

import pytest
from argon2 import PasswordHasher
from psycopg_pool import ConnectionPool

from meetmind.errors import NotFound, PasswordRefused, SignInRefused
from meetmind.server.accounts import Accounts, Person

QUICK_HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture
def accounts(pool: ConnectionPool) -> Accounts:
    accounts = Accounts(pool, QUICK_HASHER)
    accounts.ensure_first_account()
    return accounts


@pytest.fixture
def admin(accounts: Accounts) -> Person:
    return accounts.sign_in("admin", "admin")


def signed_in_token(accounts: Accounts, person: Person) -> str:
    token = accounts.redeem_ticket(accounts.issue_ticket(person.id))
    assert token is not None
    return token


def run(pool: ConnectionPool, statement: str) -> None:
    with pool.connection() as connection:
        connection.execute(statement.encode())


def stored_values(pool: ConnectionPool, query: str) -> list[object]:
    with pool.connection() as connection:
        return [row[0] for row in connection.execute(query.encode())]


def test_the_first_account_is_admin_and_must_change_its_password(admin: Person) -> None:
    assert admin.name == "admin"
    assert admin.is_admin
    assert admin.must_change_password


def test_the_first_account_is_not_made_again(accounts: Accounts, admin: Person) -> None:
    accounts.change_password(admin.id, "admin", "correct horse")
    accounts.ensure_first_account()

    with pytest.raises(SignInRefused):
        accounts.sign_in("admin", "admin")


def test_passwords_are_stored_as_argon2id(pool: ConnectionPool) -> None:
    Accounts(pool).ensure_first_account()

    (password_hash,) = stored_values(pool, "select password_hash from users")
    assert str(password_hash).startswith("$argon2id$")


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("admin", "wrong"),
        ("nobody", "admin"),
        ("", ""),
        ("admin\x00", "admin\x00"),
        ("admin", "\ud800"),
        ("admin", "x" * 2000),
    ],
)
def test_a_wrong_name_or_password_is_refused(accounts: Accounts, name: str, password: str) -> None:
    with pytest.raises(SignInRefused, match="The name or the password is wrong"):
        accounts.sign_in(name, password)


def test_an_unknown_name_costs_one_verification_as_a_wrong_password_does(
    pool: ConnectionPool,
) -> None:
    verified: list[str] = []

    class CountingHasher(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
            verified.append(str(hash))
            return super().verify(hash, password)

    accounts = Accounts(pool, CountingHasher(time_cost=1, memory_cost=8, parallelism=1))
    accounts.ensure_first_account()
    for name in ("nobody", "admin"):
        with pytest.raises(SignInRefused):
            accounts.sign_in(name, "wrong")

    assert len(verified) == 2


def test_a_disabled_account_cannot_sign_in_nor_use_its_token(
    accounts: Accounts, admin: Person, pool: ConnectionPool
) -> None:
    token = signed_in_token(accounts, admin)
    run(pool, "update users set disabled_at = now()")

    with pytest.raises(SignInRefused):
        accounts.sign_in("admin", "admin")
    assert accounts.person_for_token(token) is None


def test_a_ticket_works_once(accounts: Accounts, admin: Person) -> None:
    ticket = accounts.issue_ticket(admin.id)

    token = accounts.redeem_ticket(ticket)

    assert token is not None
    assert accounts.person_for_token(token) == admin
    assert accounts.redeem_ticket(ticket) is None


def test_of_many_who_redeem_one_ticket_at_once_one_gets_in(
    accounts: Accounts, admin: Person
) -> None:
    ticket = accounts.issue_ticket(admin.id)
    tokens: list[str | None] = []

    def redeem() -> None:
        tokens.append(accounts.redeem_ticket(ticket))

    browsers = [threading.Thread(target=redeem) for _ in range(6)]
    for browser in browsers:
        browser.start()
    for browser in browsers:
        browser.join()

    assert len([token for token in tokens if token is not None]) == 1


def test_an_old_ticket_is_worth_nothing(
    accounts: Accounts, admin: Person, pool: ConnectionPool
) -> None:
    ticket = accounts.issue_ticket(admin.id)
    run(pool, "update sign_in_tickets set expires_at = now() - interval '1 second'")

    assert accounts.redeem_ticket(ticket) is None


def test_a_ticket_lasts_a_minute_and_a_token_thirty_days(
    accounts: Accounts, admin: Person, pool: ConnectionPool
) -> None:
    ticket = accounts.issue_ticket(admin.id)
    lifetimes = stored_values(
        pool, "select round(extract(epoch from expires_at - now()))::int from sign_in_tickets"
    )
    accounts.redeem_ticket(ticket)
    lifetimes += stored_values(
        pool, "select round(extract(epoch from expires_at - now()) / 86400)::int from auth_sessions"
    )

    assert lifetimes == [60, 30]


def test_signing_out_ends_one_token(accounts: Accounts, admin: Person) -> None:
    here = signed_in_token(accounts, admin)
    elsewhere = signed_in_token(accounts, admin)

    accounts.sign_out(here)

    assert accounts.person_for_token(here) is None
    assert accounts.person_for_token(elsewhere) == admin


def test_an_old_or_made_up_token_opens_nothing(
    accounts: Accounts, admin: Person, pool: ConnectionPool
) -> None:
    token = signed_in_token(accounts, admin)
    run(pool, "update auth_sessions set expires_at = now() - interval '1 second'")

    assert accounts.person_for_token(token) is None
    assert accounts.person_for_token("made up") is None
    assert accounts.person_for_token("") is None


def test_no_ticket_or_token_stands_in_the_database(
    accounts: Accounts, admin: Person, pool: ConnectionPool
) -> None:
    token = signed_in_token(accounts, admin)
    ticket = accounts.issue_ticket(admin.id)
    stored = stored_values(
        pool,
        "select token_hash from auth_sessions union all select ticket_hash from sign_in_tickets",
    )

    assert len(stored) == 2
    assert token not in stored
    assert ticket not in stored


def test_a_new_password_ends_the_other_sign_ins(accounts: Accounts, admin: Person) -> None:
    here = signed_in_token(accounts, admin)
    elsewhere = signed_in_token(accounts, admin)
    forgotten_ticket = accounts.issue_ticket(admin.id)

    accounts.change_password(admin.id, "admin", "correct horse", keep_token=here)

    person = accounts.person_for_token(here)
    assert person is not None
    assert not person.must_change_password
    assert accounts.person_for_token(elsewhere) is None
    assert accounts.redeem_ticket(forgotten_ticket) is None
    assert accounts.sign_in("admin", "correct horse").id == admin.id


@pytest.mark.parametrize("new_password", ["admin", "seven77", "x" * 1001])
def test_a_poor_new_password_is_refused(
    accounts: Accounts, admin: Person, new_password: str
) -> None:
    with pytest.raises(PasswordRefused):
        accounts.change_password(admin.id, "admin", new_password)


def test_the_same_password_again_is_refused(accounts: Accounts, admin: Person) -> None:
    accounts.change_password(admin.id, "admin", "correct horse")

    with pytest.raises(PasswordRefused, match="equals the old one"):
        accounts.change_password(admin.id, "correct horse", "correct horse")


def test_a_password_is_not_changed_without_the_old_one(accounts: Accounts, admin: Person) -> None:
    with pytest.raises(SignInRefused):
        accounts.change_password(admin.id, "wrong", "correct horse")

    assert accounts.sign_in("admin", "admin") == admin


def test_the_language_of_the_pages_is_remembered(accounts: Accounts, admin: Person) -> None:
    accounts.set_language(admin.id, "zh")

    assert accounts.sign_in("admin", "admin").language == "zh"


def test_the_command_lines_own_account_cannot_be_signed_in_to(accounts: Accounts) -> None:
    local = accounts.local_person()

    assert accounts.local_person() == local
    assert not local.is_admin
    for password in ("", "!", "local"):
        with pytest.raises(SignInRefused):
            accounts.sign_in("local", password)


def test_the_command_line_finds_a_person_by_name(accounts: Accounts, admin: Person) -> None:
    assert accounts.person_named("admin") == admin
    with pytest.raises(NotFound, match="no account named eve"):
        accounts.person_named("eve")
