"""The process in which documents are read: `python -m meetmind.knowledge.reading_child <bytes>`.

It knows no settings, no database and no model, may use only so much memory, and ends when its
standard input does.
"""

import os
import signal
import sys
from typing import IO

from meetmind.errors import DocumentUnreadable
from meetmind.knowledge.child_memory import limit_memory
from meetmind.knowledge.document_faults import unreadable
from meetmind.knowledge.loaders import load_document
from meetmind.knowledge.reading_messages import ReadAnswer, ReadRequest, receive, send
from meetmind.knowledge.splitters import split_document

GRACE_SECONDS = 5
DEEPEST_CALLS = 5_000
"""Parsers call themselves for what is nested; each format has its own smaller limit."""
# Made at the start: once memory has run out, no catalogue can be read.
TOO_MUCH_MEMORY = unreadable("too_much_memory")


def main() -> None:
    """Answer requests until there are no more."""
    limit_memory(int(sys.argv[1]))
    sys.setrecursionlimit(DEEPEST_CALLS)
    requests = sys.stdin.buffer
    answers = _answers_alone_on_stdout()
    send(answers, os.getpid())
    while True:
        request = receive(requests)
        if not isinstance(request, ReadRequest):
            return
        _end_after(request.most_seconds)
        answer = _answer(request)
        _end_after(0)
        send(answers, answer)
        if answer.is_out_of_memory:
            return


def _answer(request: ReadRequest) -> ReadAnswer:
    try:
        document = load_document(request.source, request.raw)
        pieces = split_document(document) if request.with_pieces else []
        return ReadAnswer(document=document, pieces=tuple(pieces))
    except DocumentUnreadable as error:
        return ReadAnswer(problem=error)
    except MemoryError:
        return ReadAnswer(problem=TOO_MUCH_MEMORY, is_out_of_memory=True)


def _end_after(seconds: float) -> None:
    """Die by the alarm when nobody is left to kill a reading that never ends; 0 calls it off."""
    if hasattr(signal, "alarm"):
        signal.alarm(int(seconds) + GRACE_SECONDS if seconds else 0)


def _answers_alone_on_stdout() -> IO[bytes]:
    """The pipe to the parent; whatever a library prints goes to standard error instead."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


if __name__ == "__main__":
    main()
