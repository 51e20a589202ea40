"""The embedded PostgreSQL: started by the first app that needs it, stopped by the last to leave.

Every app holds a shared lock for as long as it uses the server. After a kill the server stays, and
the next start finds it: whether a server runs is asked by connecting, since a zombie or a reused
process number fools `pg_ctl status`.
"""

import logging
import os
import shlex
import socket
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import psycopg
from psycopg.conninfo import make_conninfo

from meetmind.database.embedded_files import (
    OWNER_NAME,
    ServerFiles,
    ensure_server_files,
    last_line,
    scratch_folder,
)
from meetmind.database.file_locks import PAUSE_SECONDS, FileLock, held_alone
from meetmind.database.server_user import choose_server_user, owner_of, state_place
from meetmind.errors import EmbeddedServerError

logger = logging.getLogger(__name__)

DATABASE_NAME = "meetmind"
LOCK_SECONDS = 300.0
ANSWER_SECONDS = 60.0
START_TRIES = 5
LOG_LIMIT_BYTES = 5_000_000
SERVER_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    # Statements carry people's words, which have no place in a log.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
    # Containers often have 64 MB of shared memory, too little for a parallel index build.
    "max_parallel_maintenance_workers": "0",
}


@dataclass(kw_only=True)
class EmbeddedServer:
    """A running server, and this app's share in it."""

    place: Path
    conninfo: str = field(repr=False)
    _files: ServerFiles = field(repr=False)
    _presence: FileLock | None = field(repr=False)

    def close(self) -> None:
        """Leave; the last app to leave stops the server. A second call does nothing."""
        presence, self._presence = self._presence, None
        if presence is None:
            return
        with held_alone(self._files.start_lock, LOCK_SECONDS):
            presence.release()
            _stop_if_unused(self._files)


def open_embedded(home: Path) -> EmbeddedServer:
    """The running server of the installation at `home`, unpacked and started where needed.

    Raises `EmbeddedServerError` with a plain sentence and a way out.
    """
    if sys.platform == "win32":
        raise EmbeddedServerError(
            "The embedded PostgreSQL is not supported on Windows. Set PG_URL to a PostgreSQL "
            "server, for example the one of docker-compose.yml, or use WSL."
        )
    try:
        files = _files_of(home.resolve())
        with held_alone(files.start_lock, LOCK_SECONDS):
            return _join(files)
    except OSError as error:
        raise EmbeddedServerError(
            f"MeetMind cannot keep its embedded PostgreSQL under {home}: {error}. "
            "Set MEETMIND_HOME to a folder that it may write to."
        ) from error


def _files_of(home: Path) -> ServerFiles:
    user = choose_server_user()
    place = state_place(home, user)
    data = place / "data"
    if data.is_dir() and user.uid != os.geteuid():
        user = owner_of(data)
    return ServerFiles(place=place, user=user)


def _join(files: ServerFiles) -> EmbeddedServer:
    presence = FileLock(files.apps_lock)
    try:
        ensure_server_files(files)
        port = _ensure_running(files)
        _ensure_database(files, port)
        presence.take_shared()
    except BaseException:
        presence.release()
        _stop_if_unused(files)
        raise
    conninfo = _conninfo(files, port, DATABASE_NAME)
    return EmbeddedServer(place=files.place, conninfo=conninfo, _files=files, _presence=presence)


def _ensure_running(files: ServerFiles) -> int:
    """The port of the running server. Tries again when another process took the free port."""
    for _ in range(START_TRIES):
        port = _wait_for_answer(files)
        if port is not None:
            return port
        _start(files)
    port = _wait_for_answer(files)
    if port is None:
        raise EmbeddedServerError(
            f"The embedded PostgreSQL does not start: {last_line(_log_text(files))}. "
            f"Its whole log is {files.log}."
        )
    return port


def _wait_for_answer(files: ServerFiles) -> int | None:
    """The port of a server that answers, or None when no process of it is left."""
    deadline = time.monotonic() + ANSWER_SECONDS
    while True:
        port = _written_port(files)
        if port is not None and _answers(files, port):
            return port
        alive = _server_processes(files)
        if not alive:
            (files.data / "postmaster.pid").unlink(missing_ok=True)
            return None
        if time.monotonic() > deadline:
            raise EmbeddedServerError(
                f"The embedded PostgreSQL runs as process {min(alive)} and has not answered for "
                f"{ANSWER_SECONDS:.0f} seconds. End that process, then start again."
            )
        time.sleep(PAUSE_SECONDS)


def _written_port(files: ServerFiles) -> int | None:
    """The port in the server's own pid file, whose fourth line it is."""
    try:
        lines = (files.data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return None
    if len(lines) < 4 or not lines[3].strip().isdigit():
        return None
    return int(lines[3])


def _answers(files: ServerFiles, port: int) -> bool:
    """Whether our server answers at `port`: nobody else knows its password."""
    try:
        psycopg.connect(_conninfo(files, port, "postgres"), connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


def _server_processes(files: ServerFiles) -> set[int]:
    """Living processes of the server; each of them works in the data folder."""
    data = str(files.data.resolve())
    found = set()
    for process in psutil.process_iter():
        try:
            if process.cwd() == data and process.status() != psutil.STATUS_ZOMBIE:
                found.add(process.pid)
        except (psutil.Error, OSError):
            continue
    return found


def _start(files: ServerFiles) -> None:
    if files.log.exists() and files.log.stat().st_size > LOG_LIMIT_BYTES:
        files.log.unlink()
    options = ["-p", str(_free_port())]
    for name, value in SERVER_SETTINGS.items():
        options += ["-c", f"{name}={value}"]
    with scratch_folder(files) as scratch:
        command = [
            str(files.software / "bin" / "pg_ctl"),
            "start",
            "--wait",
            f"--timeout={ANSWER_SECONDS:.0f}",
            f"--pgdata={files.data}",
            f"--log={files.log}",
            f"--options={shlex.join(options)}",
        ]
        outcome = files.user.run(command, files.environment(scratch), ANSWER_SECONDS + 10)
    if outcome.returncode != 0:
        logger.warning("pg_ctl start: %s", last_line(outcome.stdout))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _log_text(files: ServerFiles) -> str:
    if not files.log.exists():
        return ""
    return files.log.read_text(encoding="utf-8", errors="replace")


CREATE_DATABASE = f"create database {DATABASE_NAME}"


def _ensure_database(files: ServerFiles, port: int) -> None:
    conninfo = _conninfo(files, port, "postgres")
    with psycopg.connect(conninfo, autocommit=True, connect_timeout=10) as connection:
        try:
            connection.execute(CREATE_DATABASE)
        except psycopg.errors.DuplicateDatabase:
            return


def _stop_if_unused(files: ServerFiles) -> None:
    """Stop the server unless another app holds the shared lock. The start lock is held."""
    others = FileLock(files.apps_lock)
    try:
        if others.take_alone_now():
            _stop(files)
    finally:
        others.release()


def _stop(files: ServerFiles) -> None:
    if not (files.data / "postmaster.pid").exists():
        return
    for how in ("fast", "immediate"):
        with scratch_folder(files) as scratch:
            command = [
                str(files.software / "bin" / "pg_ctl"),
                "stop",
                "--wait",
                "--timeout=30",
                f"--pgdata={files.data}",
                f"--mode={how}",
            ]
            outcome = files.user.run(command, files.environment(scratch), 40)
        if outcome.returncode == 0:
            return
        logger.warning("pg_ctl stop: %s", last_line(outcome.stdout))


def _conninfo(files: ServerFiles, port: int, database: str) -> str:
    return make_conninfo(
        host="127.0.0.1",
        port=port,
        user=OWNER_NAME,
        password=files.password_file.read_text(encoding="utf-8"),
        dbname=database,
        # The environment of the app (PGSSLMODE and the like) is meant for other servers.
        sslmode="disable",
        gssencmode="disable",
    )
