"""Accounts, one-time tickets and sign-in tokens. Secrets come in hashed, never as they are."""

from dataclasses import dataclass, field

from psycopg.rows import class_row
from psycopg_pool import ConnectionPool


@dataclass(frozen=True, kw_only=True)
class UserRow:
    """One account."""

    id: str
    name: str
    password_hash: str = field(repr=False)
    is_admin: bool
    must_change_password: bool
    language: str | None
    is_disabled: bool


INSERT_FIRST_ADMIN = """
insert into users (name, password_hash, is_admin, must_change_password)
select %(name)s, %(password_hash)s, true, true
where not exists (select from users where is_admin)
on conflict (name) do nothing
"""


def insert_first_admin(pool: ConnectionPool, name: str, password_hash: str) -> None:
    """Make an administrator who must change the password, unless there is an administrator."""
    parameters = {"name": name, "password_hash": password_hash}
    with pool.connection() as connection:
        connection.execute(INSERT_FIRST_ADMIN, parameters)


HAS_ADMIN = """
select exists (select from users where is_admin)
"""


def has_admin(pool: ConnectionPool) -> bool:
    """Whether there is an administrator."""
    with pool.connection() as connection:
        row = connection.execute(HAS_ADMIN).fetchone()
    return row is not None and bool(row[0])


INSERT_USER = """
insert into users (name, password_hash)
values (%(name)s, %(password_hash)s)
on conflict (name) do nothing
"""


def insert_user(pool: ConnectionPool, name: str, password_hash: str) -> None:
    """Make an account of this name, unless there is one."""
    parameters = {"name": name, "password_hash": password_hash}
    with pool.connection() as connection:
        connection.execute(INSERT_USER, parameters)


SELECT_USER_BY_NAME = """
select
    id::text, name, password_hash, is_admin, must_change_password, language,
    disabled_at is not null as is_disabled
from users
where name = %(name)s
"""


def find_user_by_name(pool: ConnectionPool, name: str) -> UserRow | None:
    """The account of this name."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(UserRow))
        return cursor.execute(SELECT_USER_BY_NAME, {"name": name}).fetchone()


SELECT_USER = """
select
    id::text, name, password_hash, is_admin, must_change_password, language,
    disabled_at is not null as is_disabled
from users
where id = %(user_id)s::uuid
"""


def find_user(pool: ConnectionPool, user_id: str) -> UserRow | None:
    """The account of this id."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(UserRow))
        return cursor.execute(SELECT_USER, {"user_id": user_id}).fetchone()


STORE_HASH = """
update users
set password_hash = %(password_hash)s,
    must_change_password = false
where id = %(user_id)s::uuid
"""

END_OTHER_SIGN_INS = """
update auth_sessions
set revoked_at = now()
where user_id = %(user_id)s::uuid
  and token_hash <> %(kept_token_hash)s
  and revoked_at is null
"""

DELETE_TICKETS = """
delete from sign_in_tickets
where user_id = %(user_id)s::uuid
"""


def change_password(
    pool: ConnectionPool, user_id: str, password_hash: str, kept_token_hash: str
) -> None:
    """Store the new hash and end every sign-in but the one with `kept_token_hash`."""
    with pool.connection() as connection:
        connection.execute(STORE_HASH, {"user_id": user_id, "password_hash": password_hash})
        connection.execute(DELETE_TICKETS, {"user_id": user_id})
        connection.execute(
            END_OTHER_SIGN_INS, {"user_id": user_id, "kept_token_hash": kept_token_hash}
        )


UPDATE_LANGUAGE = """
update users
set language = %(language)s
where id = %(user_id)s::uuid
"""


def set_language(pool: ConnectionPool, user_id: str, language: str) -> None:
    """Remember the language of somebody's pages."""
    with pool.connection() as connection:
        connection.execute(UPDATE_LANGUAGE, {"user_id": user_id, "language": language})


DELETE_OLD_TICKETS = """
delete from sign_in_tickets
where expires_at < now()
"""

INSERT_TICKET = """
insert into sign_in_tickets (ticket_hash, user_id, expires_at)
values (%(ticket_hash)s, %(user_id)s::uuid, now() + make_interval(secs => %(seconds)s))
"""


def insert_ticket(pool: ConnectionPool, ticket_hash: str, user_id: str, seconds: int) -> None:
    """Store a ticket that lasts for `seconds`; forgotten ones go."""
    parameters = {"ticket_hash": ticket_hash, "user_id": user_id, "seconds": seconds}
    with pool.connection() as connection:
        connection.execute(DELETE_OLD_TICKETS)
        connection.execute(INSERT_TICKET, parameters)


DELETE_OLD_SESSIONS = """
delete from auth_sessions
where expires_at < now()
"""

REDEEM_TICKET = """
with redeemed as (
    delete from sign_in_tickets
    where ticket_hash = %(ticket_hash)s
    returning user_id, expires_at
)
insert into auth_sessions (token_hash, user_id, expires_at)
select %(token_hash)s, redeemed.user_id, now() + make_interval(days => %(days)s)
from redeemed
join users on users.id = redeemed.user_id
where redeemed.expires_at >= now()
  and users.disabled_at is null
returning token_hash
"""


def redeem_ticket(pool: ConnectionPool, ticket_hash: str, token_hash: str, days: int) -> bool:
    """Exchange a ticket for a sign-in; only the first of several tries gets it."""
    parameters = {"ticket_hash": ticket_hash, "token_hash": token_hash, "days": days}
    with pool.connection() as connection:
        connection.execute(DELETE_OLD_SESSIONS)
        return connection.execute(REDEEM_TICKET, parameters).fetchone() is not None


SELECT_SIGNED_IN_USER = """
select
    users.id::text, users.name, users.password_hash, users.is_admin, users.must_change_password,
    users.language, users.disabled_at is not null as is_disabled
from auth_sessions
join users on users.id = auth_sessions.user_id
where auth_sessions.token_hash = %(token_hash)s
  and auth_sessions.revoked_at is null
  and auth_sessions.expires_at >= now()
  and users.disabled_at is null
"""


def find_user_by_token(pool: ConnectionPool, token_hash: str) -> UserRow | None:
    """The account that a living token belongs to."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(UserRow))
        return cursor.execute(SELECT_SIGNED_IN_USER, {"token_hash": token_hash}).fetchone()


END_SIGN_IN = """
update auth_sessions
set revoked_at = now()
where token_hash = %(token_hash)s
  and revoked_at is null
"""


def revoke_token(pool: ConnectionPool, token_hash: str) -> None:
    """End one sign-in."""
    with pool.connection() as connection:
        connection.execute(END_SIGN_IN, {"token_hash": token_hash})
