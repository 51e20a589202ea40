"""Who may come in: passwords (argon2id), one-time tickets and the tokens of signed-in browsers.

Tickets and tokens are random and only their sha256 is stored, so that a copy of the database opens
no door.
"""

import hashlib
import secrets
from dataclasses import dataclass

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from psycopg_pool import ConnectionPool

from meetmind.clean_text import clean_bad_chars
from meetmind.database import users
from meetmind.database.users import UserRow
from meetmind.errors import NotFound, PasswordRefused, SignInRefused

FIRST_NAME = "admin"
FIRST_PASSWORD = "admin"  # noqa: S105 - it must be changed at the first sign-in
LOCAL_NAME = "local"
NO_PASSWORD = "!"  # noqa: S105 - no password has this hash
PASSWORD_CHARACTERS = 8
PASSWORD_LIMIT = 1_000
TICKET_SECONDS = 60
TOKEN_DAYS = 30


@dataclass(frozen=True, kw_only=True)
class Person:
    """Somebody with an account."""

    id: str
    name: str
    is_admin: bool
    must_change_password: bool
    language: str | None


class Accounts:
    """The accounts of this installation."""

    def __init__(self, pool: ConnectionPool, hasher: PasswordHasher | None = None) -> None:
        self._pool = pool
        self._hasher = PasswordHasher() if hasher is None else hasher
        self._nobodys_hash = self._hasher.hash(secrets.token_bytes(16))

    def ensure_first_account(self) -> None:
        """Make admin/admin, to be changed at the first sign-in, where there is no administrator."""
        if users.has_admin(self._pool):
            return
        password_hash = self._hasher.hash(FIRST_PASSWORD)
        users.insert_first_admin(self._pool, FIRST_NAME, password_hash)

    def sign_in(self, name: str, password: str) -> Person:
        """The person of this name and password; raises `SignInRefused` for either being wrong.

        An unknown name takes as long as a wrong password.
        """
        user = users.find_user_by_name(self._pool, clean_bad_chars(name).strip())
        if user is None:
            self._verifies(self._nobodys_hash, password)
            raise _refused()
        if not self._verifies(user.password_hash, password) or user.is_disabled:
            raise _refused()
        return _person(user)

    def issue_ticket(self, person_id: str) -> str:
        """A ticket that one redemption within a minute turns into a token."""
        ticket = secrets.token_urlsafe(32)
        users.insert_ticket(self._pool, _sha256(ticket), person_id, TICKET_SECONDS)
        return ticket

    def redeem_ticket(self, ticket: str) -> str | None:
        """A session token of 30 days, or None for a ticket that is used, old or made up."""
        token = secrets.token_urlsafe(32)
        if not users.redeem_ticket(self._pool, _sha256(ticket), _sha256(token), TOKEN_DAYS):
            return None
        return token

    def person_for_token(self, token: str) -> Person | None:
        """Whose token it is, unless it is revoked, old or made up."""
        user = users.find_user_by_token(self._pool, _sha256(token))
        if user is None:
            return None
        return _person(user)

    def sign_out(self, token: str) -> None:
        """End the sign-in of this token."""
        users.revoke_token(self._pool, _sha256(token))

    def change_password(
        self, person_id: str, old: str, new: str, keep_token: str | None = None
    ) -> None:
        """Replace the password and end every other sign-in; `keep_token` is the one to keep.

        Raises `SignInRefused` when `old` is wrong, `PasswordRefused` when `new` will not do.
        """
        user = users.find_user(self._pool, person_id)
        if user is None or not self._verifies(user.password_hash, old):
            raise _refused()
        if len(new) < PASSWORD_CHARACTERS or len(new) > PASSWORD_LIMIT:
            raise PasswordRefused(
                f"A password has at least {PASSWORD_CHARACTERS} characters.",
                characters=PASSWORD_CHARACTERS,
            )
        if new == old:
            raise PasswordRefused(
                "The new password equals the old one.", characters=PASSWORD_CHARACTERS
            )
        kept_token_hash = "" if keep_token is None else _sha256(keep_token)
        password_hash = self._hasher.hash(_bytes(new))
        users.change_password(self._pool, person_id, password_hash, kept_token_hash)

    def set_language(self, person_id: str, language: str) -> None:
        """Remember the language of somebody's pages."""
        users.set_language(self._pool, person_id, language)

    def person_named(self, name: str) -> Person:
        """The person of this name, for the command line; raises `NotFound`."""
        user = users.find_user_by_name(self._pool, clean_bad_chars(name))
        if user is None or user.is_disabled:
            raise NotFound(f"There is no account named {name}.", name=name)
        return _person(user)

    def local_person(self) -> Person:
        """The account of the command line without `--user`; nobody can sign in to it."""
        users.insert_user(self._pool, LOCAL_NAME, NO_PASSWORD)
        return self.person_named(LOCAL_NAME)

    def _verifies(self, password_hash: str, password: str) -> bool:
        if len(password) > PASSWORD_LIMIT:
            return False
        try:
            return self._hasher.verify(password_hash, _bytes(password))
        except (VerificationError, InvalidHashError):
            return False


def _person(user: UserRow) -> Person:
    return Person(
        id=user.id,
        name=user.name,
        is_admin=user.is_admin,
        must_change_password=user.must_change_password,
        language=user.language,
    )


def _refused() -> SignInRefused:
    return SignInRefused("The name or the password is wrong.")


def _sha256(secret: str) -> str:
    return hashlib.sha256(_bytes(secret)).hexdigest()


def _bytes(text: str) -> bytes:
    """Lone surrogates, which a browser can send, are no reason to fail."""
    return text.encode("utf-8", "surrogatepass")
