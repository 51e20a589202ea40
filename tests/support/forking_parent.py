"""A process that has imported everything and forks a child for each job it is given.

It runs no thread and holds no connection, so that its children start in milliseconds and clean.
Jobs come as lines of JSON on standard input; a line of JSON says how each ended.
"""

import dataclasses
import gc
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from tests.support.kill_trial import Job

PROJECT_ROOT = Path(__file__).resolve().parents[2]
END_SECONDS = 60.0
PAUSE_SECONDS = 0.005


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a child ended: by a signal, or with a code."""

    signal: int
    code: int
    seconds: float
    is_late: bool
    """It did not end by itself in time and was killed for that."""

    @property
    def is_well(self) -> bool:
        return self.signal == 0 and self.code == 0


class ForkingParent:
    """The parent's process, from outside; `with` ends it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.forking_parent"],
            cwd=PROJECT_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> "ForkingParent":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=END_SECONDS)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def run(self, job: Job) -> Ended:
        """Let a child do the job; returns when it has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(dataclasses.asdict(job)) + "\n")
        self._process.stdin.flush()
        return Ended(**json.loads(self._process.stdout.readline()))


def serve() -> None:
    """Fork a child for every line until the input ends."""
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        job = Job(**json.loads(line))
        ended = watched(fork(job), job)
        print(json.dumps(dataclasses.asdict(ended)), flush=True)


def fork(job: Job) -> int:
    """The process number of the child, which never returns from here."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        with (Path(job.home) / "child.log").open("a") as log:
            os.dup2(log.fileno(), sys.stdout.fileno())
            os.dup2(log.fileno(), sys.stderr.fileno())
        os.close(sys.stdin.fileno())
        work(job)
        code = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def work(job: Job) -> None:
    from tests.support import kill_trial

    kill_trial.take_part(job)


def watched(child: int, job: Job) -> Ended:
    """Wait for a child; kill it when its time has come."""
    began = time.monotonic()
    limit = job.limit if job.kill_after is None else job.kill_after
    is_killed = False
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        seconds = time.monotonic() - began
        if ended:
            break
        if seconds > limit and not is_killed:
            is_killed = True
            os.kill(child, signal.SIGKILL)
        time.sleep(PAUSE_SECONDS)
    if os.WIFSIGNALED(status):
        number, code = os.WTERMSIG(status), 0
    else:
        number, code = 0, os.WEXITSTATUS(status)
    is_late = is_killed and job.kill_after is None
    return Ended(signal=number, code=code, seconds=seconds, is_late=is_late)


if __name__ == "__main__":
    serve()
