"""Whom the embedded PostgreSQL runs as, and where its state lies so that this user can reach it.

PostgreSQL refuses to run as root. A normal user runs the server itself and keeps its state under
`MEETMIND_HOME`; root runs it as an existing unprivileged user.
"""

import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from meetmind.errors import EmbeddedServerError

if sys.platform != "win32":
    import pwd

ROOT = 0
UNPRIVILEGED_NAMES = ("postgres", "nobody", "daemon")
# `_place_outside` checks whose folder it is: anyone may write to the temporary ones.
FALLBACK_PARENTS = (Path("/var/lib"), Path("/var/tmp"), Path("/tmp"))
PLACE_RECORD = "postgres_place.txt"


@dataclass(frozen=True, kw_only=True)
class ServerUser:
    """The user that owns the server's files and runs its programs."""

    uid: int
    gid: int

    @property
    def is_me(self) -> bool:
        """Whether the app itself runs as this user."""
        return self.uid == os.geteuid()

    def run(
        self, command: Sequence[str], env: Mapping[str, str], seconds: float
    ) -> "subprocess.CompletedProcess[str]":
        """Run `command` as this user with only `env`; both outputs come back as one text.

        Raises `EmbeddedServerError` when it cannot be started or does not end in time.
        """
        try:
            return subprocess.run(
                command,
                env=dict(env),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
                timeout=seconds,
                check=False,
                # A Ctrl-C in the terminal is for the app, which stops the server itself.
                start_new_session=True,
                user=None if self.is_me else self.uid,
                group=None if self.is_me else self.gid,
                extra_groups=None if self.is_me else [],
            )
        except (OSError, subprocess.SubprocessError) as error:
            program = Path(command[0]).name
            raise EmbeddedServerError(
                f"The embedded PostgreSQL's program {program} could not be run: {error}. "
                "Set PG_URL to a PostgreSQL server of your own instead."
            ) from error

    def owns_from_now(self, path: Path) -> None:
        """Hand `path` over to this user; nothing to do for a normal user's own files."""
        if not self.is_me:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def can_reach(self, folder: Path) -> bool:
        """Whether this user can step into `folder`."""
        return self.run(["/bin/sh", "-c", 'cd "$1"', "sh", str(folder)], {}, 10).returncode == 0


def choose_server_user() -> ServerUser:
    """The user running the app, or for root an existing unprivileged one."""
    uid = os.geteuid()
    if uid == ROOT:
        return _unprivileged_user()
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        raise EmbeddedServerError(
            f"The embedded PostgreSQL cannot run as user id {uid}, which has no name on this "
            "machine. Start MeetMind as a named user, or set PG_URL to a PostgreSQL server."
        ) from None
    return ServerUser(uid=uid, gid=entry.pw_gid)


def owner_of(data: Path) -> ServerUser:
    """The user that has run the server so far; another one could not read its files."""
    stat = data.stat()
    return ServerUser(uid=stat.st_uid, gid=stat.st_gid)


def _unprivileged_user() -> ServerUser:
    for name in UNPRIVILEGED_NAMES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != ROOT:
            return ServerUser(uid=entry.pw_uid, gid=entry.pw_gid)
    names = ", ".join(UNPRIVILEGED_NAMES)
    raise EmbeddedServerError(
        f"PostgreSQL does not run as root and none of the users {names} exists. "
        "Start MeetMind as a normal user, or set PG_URL to a PostgreSQL server."
    )


def state_place(home: Path, user: ServerUser) -> Path:
    """The folder of the server's files: inside `home`, or elsewhere when `user` cannot get there.

    A place outside is recorded in `home`, so that the same installation finds it again.
    """
    record = home / PLACE_RECORD
    if record.is_file():
        return _recorded_place(record)
    inside = home / "postgres"
    inside.mkdir(mode=0o755, parents=True, exist_ok=True)
    if user.is_me or user.can_reach(inside):
        return inside
    inside.rmdir()
    place = _place_outside(home, user)
    record.write_text(f"{place}\n", encoding="utf-8")
    return place


def _recorded_place(record: Path) -> Path:
    place = Path(record.read_text(encoding="utf-8").strip())
    if not place.is_dir():
        raise EmbeddedServerError(
            f"The embedded database of this installation lay in {place}, and that folder is gone. "
            f"Put it back, or delete {record} to begin with an empty database."
        )
    return place


def _place_outside(home: Path, user: ServerUser) -> Path:
    installation = hashlib.sha256(str(home).encode()).hexdigest()[:12]
    for parent in FALLBACK_PARENTS:
        place = parent / f"meetmind-{installation}"
        try:
            place.mkdir(mode=0o755, exist_ok=True)
        except OSError:
            continue
        is_ours = not place.is_symlink() and place.stat().st_uid == os.geteuid()
        if is_ours and user.can_reach(place):
            return place
    raise EmbeddedServerError(
        f"The user that runs the embedded PostgreSQL cannot reach {home}. "
        "Set MEETMIND_HOME to a folder below one that everybody may enter, such as /var/lib."
    )
