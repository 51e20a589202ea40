"""A PostgreSQL server of a trial's own, to be restarted, stopped in its tracks and starved."""

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg

from meetmind.database.embedded import EmbeddedServer, open_embedded
from meetmind.database.embedded_files import scratch_folder

CONTROL_SECONDS = 60.0
PAUSE_SECONDS = 0.05


@dataclass(frozen=True, kw_only=True)
class OwnServer:
    """What can be done to the server from outside."""

    server: EmbeddedServer

    @property
    def url(self) -> str:
        return self.server.conninfo

    def control(self, *what: str) -> None:
        """Call `pg_ctl`; a server that is started again keeps its port."""
        files = self.server._files
        with scratch_folder(files) as scratch:
            command = [str(files.software / "bin" / "pg_ctl"), *what, "--wait"]
            command += [f"--pgdata={files.data}", f"--log={files.log}"]
            done = files.user.run(command, files.environment(scratch), CONTROL_SECONDS)
        assert done.returncode == 0, done.stdout

    def hand_over(self, folder: Path) -> None:
        """Give a folder to the user that runs the server."""
        self.server._files.user.owns_from_now(folder)

    def restart(self, mode: str = "fast") -> None:
        self.control("restart", f"--mode={mode}")

    def stop(self) -> None:
        # What the server was started with stands in a file that the next start does not read.
        options = (self.server._files.data / "postmaster.opts").read_text()
        (self.server._files.place / "options").write_text(options)
        self.control("stop", "--mode=immediate")

    def start(self) -> None:
        options = (self.server._files.place / "options").read_text().strip()
        given = options.partition(" ")[2].replace('"', "'")
        self.control("start", f"--options={given}")

    def processes(self) -> list[psutil.Process]:
        """The postmaster and everything that it has started."""
        number = int((self.server._files.data / "postmaster.pid").read_text().splitlines()[0])
        postmaster = psutil.Process(number)
        return [postmaster, *postmaster.children(recursive=True)]

    @contextmanager
    def hung(self) -> Iterator[None]:
        """A server that answers nothing and closes nothing."""
        stopped = self.processes()
        for process in stopped:
            os.kill(process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in stopped:
                os.kill(process.pid, signal.SIGCONT)

    def hang(self, seconds: float) -> None:
        with self.hung():
            time.sleep(seconds)

    def end_backends(self, condition: str) -> int:
        """Terminate other backends of the trial's database; how many there were."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            statement = (
                f"select pg_terminate_backend(pid) from pg_stat_activity a where {condition}"
            )
            return len(connection.execute(statement.encode()).fetchall())


@contextmanager
def own_server() -> Iterator[OwnServer]:
    """A server in a home that goes with it."""
    home = Path(tempfile.mkdtemp(prefix="meetmind-faulty-"))
    home.chmod(0o755)
    server = open_embedded(home)
    try:
        yield OwnServer(server=server)
    finally:
        server.close()
        shutil.rmtree(home, ignore_errors=True)
