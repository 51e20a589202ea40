"""The embedded server comes up whatever happened before, and goes with the last app."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pg0
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from meetmind.database import embedded
from meetmind.database.embedded import EmbeddedServer, open_embedded
from meetmind.database.embedded_files import ServerFiles
from meetmind.database.server_user import PLACE_RECORD, ServerUser, choose_server_user
from meetmind.errors import EmbeddedServerError

AS_ROOT = os.geteuid() == 0
NOBODY = 65534
APP = """
import os, sys
from pathlib import Path
from meetmind.database.embedded import open_embedded
if len(sys.argv) > 2:
    os.setgroups([])
    os.setgid(int(sys.argv[2]))
    os.setuid(int(sys.argv[2]))
server = open_embedded(Path(sys.argv[1]))
print(server.conninfo, flush=True)
sys.stdin.readline()
server.close()
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """An empty MEETMIND_HOME that every user can enter."""
    home = Path(tempfile.mkdtemp(prefix="meetmind-home-"))
    home.chmod(0o755)
    yield home
    assert servers_of(home) == set()
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="module")
def _warm_home() -> Iterator[Path]:
    home = Path(tempfile.mkdtemp(prefix="meetmind-home-"))
    home.chmod(0o755)
    open_embedded(home).close()
    yield home
    shutil.rmtree(home)


@pytest.fixture
def warm_home(_warm_home: Path) -> Iterator[Path]:
    """A MEETMIND_HOME whose server has run before and does not run now."""
    yield _warm_home
    assert servers_of(_warm_home) == set()


class App:
    """Another process that uses the server of a home until it is told to leave, or killed."""

    def __init__(self, home: Path, *user_id: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", APP, str(home), *user_id],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )

    def conninfo(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def leave(self) -> None:
        _, complaints = self.process.communicate("\n", timeout=60)
        assert self.process.returncode == 0, complaints

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=60)


def servers_of(home: Path) -> set[int]:
    files = ServerFiles(place=home / "postgres", user=choose_server_user())
    return embedded._server_processes(files)


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, f"waited too long until {what}"
        time.sleep(0.002)


def answers(conninfo: str) -> bool:
    try:
        psycopg.connect(conninfo, connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


def postmaster(server: EmbeddedServer) -> int:
    pid_file = server.place / "data" / "postmaster.pid"
    return int(pid_file.read_text().splitlines()[0])


def test_a_start_serves_postgresql_with_everything_on(warm_home: Path) -> None:
    server = open_embedded(warm_home)
    with psycopg.connect(server.conninfo) as connection:
        row = connection.execute(
            "select current_setting('fsync'), current_setting('server_encoding'), "
            "current_setting('listen_addresses'), current_setting('unix_socket_directories')"
        ).fetchone()
        extensions = connection.execute("select name from pg_available_extensions").fetchall()
    server.close()

    assert row == ("on", "UTF8", "127.0.0.1", "")
    assert {("vector",), ("pg_trgm",)} <= set(extensions)


def test_the_password_is_readable_for_the_app_alone_and_stands_in_no_command_line(
    warm_home: Path,
) -> None:
    server = open_embedded(warm_home)
    password = str(conninfo_to_dict(server.conninfo)["password"])
    command_line = Path(f"/proc/{postmaster(server)}/cmdline")
    words = command_line.read_text() if command_line.exists() else ""
    server.close()

    assert (server.place / "password").stat().st_mode & 0o077 == 0
    assert (server.place / "data").stat().st_mode & 0o077 == 0
    assert password not in words
    assert password not in repr(server)
    assert password not in (server.place / "data" / "server.log").read_text()


def test_a_connection_without_the_password_is_refused(warm_home: Path) -> None:
    server = open_embedded(warm_home)
    port = conninfo_to_dict(server.conninfo)["port"]
    with pytest.raises(psycopg.OperationalError, match="authentication failed"):
        psycopg.connect(f"host=127.0.0.1 port={port} user=meetmind password=guess dbname=postgres")
    server.close()


def test_the_last_app_to_leave_stops_the_server(warm_home: Path) -> None:
    mine = open_embedded(warm_home)
    other = App(warm_home)
    conninfo = other.conninfo()

    mine.close()
    assert conninfo == mine.conninfo
    assert answers(conninfo)

    other.leave()
    assert not answers(conninfo)


def test_closing_twice_is_closing_once(warm_home: Path) -> None:
    first = open_embedded(warm_home)
    second = open_embedded(warm_home)

    first.close()
    first.close()
    assert answers(second.conninfo)

    second.close()
    assert not answers(second.conninfo)


def test_the_server_of_a_killed_app_is_used_again_and_stopped_in_the_end(warm_home: Path) -> None:
    killed = App(warm_home)
    conninfo = killed.conninfo()
    killed.kill()
    assert answers(conninfo)

    server = open_embedded(warm_home)
    assert server.conninfo == conninfo
    server.close()
    assert not answers(conninfo)


def test_rows_outlive_a_kill_of_app_and_server(warm_home: Path) -> None:
    app = App(warm_home)
    with psycopg.connect(app.conninfo(), autocommit=True) as connection:
        connection.execute("create table if not exists kept (id int)")
        connection.execute("truncate kept")
        connection.execute("insert into kept values (7)")
    app.kill()
    for process_id in servers_of(warm_home):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process_id, signal.SIGKILL)

    server = open_embedded(warm_home)
    with psycopg.connect(server.conninfo) as connection:
        rows = connection.execute("select id from kept").fetchall()
    server.close()
    assert rows == [(7,)]


def test_a_dead_postmaster_is_replaced(warm_home: Path) -> None:
    first = open_embedded(warm_home)
    os.kill(postmaster(first), signal.SIGKILL)

    second = open_embedded(warm_home)
    assert answers(second.conninfo)
    first.close()
    second.close()


@pytest.mark.parametrize("whose", ["a zombie's", "somebody else's"])
def test_a_left_over_process_number_does_not_hinder_a_start(warm_home: Path, whose: str) -> None:
    child = subprocess.Popen(["true"])
    wait_until(lambda: os.waitid(os.P_PID, child.pid, WAIT_AND_LEAVE) is not None, "it ended")
    number = child.pid if whose == "a zombie's" else os.getpid()
    pid_file = warm_home / "postgres" / "data" / "postmaster.pid"
    pid_file.write_text(f"{number}\n{pid_file.parent}\n1\n1\n\n127.0.0.1\n")

    server = open_embedded(warm_home)
    assert answers(server.conninfo)
    server.close()
    child.wait()


WAIT_AND_LEAVE = os.WEXITED | os.WNOWAIT


def test_two_first_starts_at_once_share_one_server(home: Path) -> None:
    apps = [App(home), App(home)]
    conninfos = {app.conninfo() for app in apps}

    assert len(conninfos) == 1
    assert answers(conninfos.pop())
    for app in apps:
        app.leave()


def is_unpacking(home: Path) -> bool:
    return any((home / "postgres").glob("scratch-*/.pg0/installation/*/bin/*"))


def is_initialising(home: Path) -> bool:
    return any((home / "postgres").glob("scratch-*/data/base"))


def is_starting(home: Path) -> bool:
    return (home / "postgres" / "data" / "PG_VERSION").exists()


@pytest.mark.parametrize("moment", [is_unpacking, is_initialising, is_starting])
def test_a_start_works_after_a_first_start_was_killed_at_any_moment(
    home: Path, moment: Callable[[Path], bool]
) -> None:
    app = App(home)
    wait_until(lambda: moment(home), moment.__name__)
    app.kill()

    server = open_embedded(home)
    with psycopg.connect(server.conninfo) as connection:
        connection.execute("create extension vector")
    server.close()


def test_a_half_removed_software_folder_is_unpacked_again(warm_home: Path) -> None:
    (software,) = (warm_home / "postgres").glob("software-*")
    (software / "bin" / "postgres").unlink()

    server = open_embedded(warm_home)
    assert answers(server.conninfo)
    server.close()


@pytest.mark.skipif(not AS_ROOT, reason="only root can become another user")
def test_a_normal_user_runs_the_server_itself(home: Path) -> None:
    program_folder = Path(pg0.__file__).parent / "bin"
    if not ServerUser(uid=NOBODY, gid=NOBODY).can_reach(program_folder):
        pytest.skip("the packages lie where a normal user cannot reach them")
    os.chown(home, NOBODY, NOBODY)

    app = App(home, str(NOBODY))
    assert answers(app.conninfo())
    assert (home / "postgres" / "data").stat().st_uid == NOBODY
    app.leave()


@pytest.mark.skipif(not AS_ROOT, reason="only root's server user is another one")
def test_roots_state_lies_where_its_server_user_can_reach_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    home = tmp_path / "private"
    server = open_embedded(home)
    try:
        assert answers(server.conninfo)
        assert not server.place.is_relative_to(home)
        assert (home / PLACE_RECORD).read_text().strip() == str(server.place)
        again = open_embedded(home)
        assert again.place == server.place
        again.close()
    finally:
        server.close()
        shutil.rmtree(server.place)

    with pytest.raises(EmbeddedServerError, match="that folder is gone"):
        open_embedded(home)


def test_a_user_without_a_name_is_told_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 54321)

    with pytest.raises(EmbeddedServerError, match="user id 54321, which has no name") as caught:
        choose_server_user()
    assert "PG_URL" in str(caught.value)


def test_on_windows_the_way_out_is_said(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")

    with pytest.raises(EmbeddedServerError, match="not supported on Windows"):
        open_embedded(home)


def test_a_home_that_cannot_be_written_is_said_plainly(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")

    with pytest.raises(EmbeddedServerError, match="Set MEETMIND_HOME to a folder"):
        open_embedded(tmp_path / "file")
