"""Documents read in a process of their own, so that none can hang or crash the app."""

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Self

from meetmind.knowledge.document_faults import unreadable
from meetmind.knowledge.documents import LoadedDocument, Piece
from meetmind.knowledge.loaders import load_document, suffix_of
from meetmind.knowledge.reading_messages import ReadAnswer, ReadRequest, receive, send
from meetmind.knowledge.splitters import split_document

CHILD_MODULE = "meetmind.knowledge.reading_child"
PACKAGE_PARENT = Path(__file__).resolve().parents[2]
TIME_LIMIT_SECONDS = 60.0
START_LIMIT_SECONDS = 60.0
MEMORY_LIMIT_BYTES = 2_000_000_000
CHEAP_BYTES = 300_000
CHEAP_SUFFIXES = (".md", ".txt", ".json", ".csv", ".tsv")
# A file with a cheap name may be something else inside.
COSTLY_STARTS = (b"%PDF", b"PK", b"<", b"\xd0\xcf")
# The child gets no settings and no secrets.
KEPT_VARIABLES = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LD_LIBRARY_PATH", "LANG")


class DocumentReader:
    """Reads documents one at a time; threads wait for each other.

    The child process is started with the first document that needs it, kept for the next ones, and
    replaced after it was killed.
    """

    def __init__(
        self,
        *,
        time_limit: float = TIME_LIMIT_SECONDS,
        memory_limit: int = MEMORY_LIMIT_BYTES,
        cheap_bytes: int = CHEAP_BYTES,
    ) -> None:
        self._time_limit = time_limit
        self._memory_limit = memory_limit
        self._cheap_bytes = cheap_bytes
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def read(self, source: str, raw: bytes) -> LoadedDocument:
        """The document in the bytes of the file `source`.

        Raises `DocumentUnreadable`, also when it takes too long or too much memory.
        """
        if self._is_cheap(source, raw):
            return load_document(source, raw)
        return self._ask(source, raw, with_pieces=False)[0]

    def read_and_split(self, source: str, raw: bytes) -> tuple[LoadedDocument, list[Piece]]:
        """The document and its passages.

        Raises `DocumentUnreadable`, also when it takes too long or too much memory.
        """
        if self._is_cheap(source, raw):
            document = load_document(source, raw)
            return document, split_document(document)
        return self._ask(source, raw, with_pieces=True)

    def close(self) -> None:
        """End the child process; the next document would start another."""
        with self._lock:
            self._end_child()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _is_cheap(self, source: str, raw: bytes) -> bool:
        """Whether it is a small text, which needs no process of its own."""
        if len(raw) > self._cheap_bytes or suffix_of(source) not in CHEAP_SUFFIXES:
            return False
        return not raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(COSTLY_STARTS)

    def _ask(
        self, source: str, raw: bytes, *, with_pieces: bool
    ) -> tuple[LoadedDocument, list[Piece]]:
        request = ReadRequest(
            source=source, raw=raw, with_pieces=with_pieces, most_seconds=self._time_limit
        )
        with self._lock:
            answer = self._answer_of_child(request)
        if answer.document is None:
            raise answer.problem or unreadable("broke_off")
        return answer.document, list(answer.pieces)

    def _answer_of_child(self, request: ReadRequest) -> ReadAnswer:
        child = self._running_child()
        answer, was_killed = _exchange(child, request, self._time_limit)
        if isinstance(answer, ReadAnswer) and not was_killed:
            if answer.is_out_of_memory:
                self._end_child()
            return answer
        self._end_child()
        if was_killed:
            return ReadAnswer(problem=unreadable("too_slow", seconds=f"{self._time_limit:g}"))
        return ReadAnswer(problem=unreadable("broke_off"))

    def _running_child(self) -> subprocess.Popen[bytes]:
        """The child, started where there is none that lives."""
        if self._child is not None and self._child.poll() is None:
            return self._child
        self._end_child()
        try:
            self._child = subprocess.Popen(
                [sys.executable, "-m", CHILD_MODULE, str(self._memory_limit)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                # Ctrl+C in the terminal is for the app, which then closes the child.
                start_new_session=True,
            )
        except OSError as error:
            raise unreadable("reader_refused", fault=str(error)) from None
        greeting, _ = _exchange(self._child, None, START_LIMIT_SECONDS)
        if greeting is None:
            self._end_child()
            raise unreadable("reader_silent")
        return self._child

    def _end_child(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _exchange(
    child: subprocess.Popen[bytes], request: ReadRequest | None, seconds: float
) -> tuple[object | None, bool]:
    """The child's next message after the request, and whether it was killed for being too slow."""
    assert child.stdin is not None
    assert child.stdout is not None
    was_killed = threading.Event()

    def kill() -> None:
        was_killed.set()
        child.kill()

    timer = threading.Timer(seconds, kill)
    timer.daemon = True
    timer.start()
    try:
        if request is not None:
            send(child.stdin, request)
        return receive(child.stdout), was_killed.is_set()
    except OSError:
        return None, was_killed.is_set()
    finally:
        timer.cancel()
        timer.join()


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return {
        **kept,
        "PYTHONPATH": str(PACKAGE_PARENT),
        "PYTHONUTF8": "1",
        # Its threads would each take address space of their own.
        "OPENBLAS_NUM_THREADS": "1",
    }
