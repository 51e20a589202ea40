"""The log of a process: one format on standard error, and no secret in any record."""

import logging
import sys
import threading
import traceback
from types import TracebackType
from typing import Any

from meetmind.redaction import redact_text

LINE_FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
OWN_LOGGERS = ("meetmind", "__main__")
# They write every URL that they ask for, with all that stands in it.
TALKATIVE_LOGGERS = ("httpx", "httpcore", "mcp", "openai", "urllib3")

logger = logging.getLogger(__name__)


class RedactedRecord(logging.LogRecord):
    """A record whose message and traceback are read once, without secrets.

    It is made so and not by a handler: Streamlit and uvicorn write through handlers of their own.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.msg = redact_text(self._whole_message()).text
        self.args = ()
        if self.stack_info:
            self.stack_info = redact_text(self.stack_info).text
        if self.exc_info and self.exc_info[0] is not None:
            told = "".join(traceback.format_exception(*self.exc_info))
            self.exc_text = redact_text(told.rstrip("\n")).text

    def _whole_message(self) -> str:
        """The message with its arguments; where they do not fit, the message alone."""
        try:
            return self.getMessage()
        except Exception:
            # A foreign object may raise anything when it is written out, and a line of the log
            # must never break its caller.
            return f"{self.msg!s} (its arguments do not fit)"


def set_up_logging(level: str) -> None:
    """Write the log of this process to standard error; at a second call only the level changes.

    `level` holds for what the project says. Libraries are heard from warnings on. An unknown level
    is INFO. Where the process has a log already, only secrets are kept out of it.
    """
    set_log_level(level)
    logging.setLogRecordFactory(RedactedRecord)
    if logging.getLogger().hasHandlers():
        return
    logging.basicConfig(format=LINE_FORMAT, stream=sys.stderr)
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_uncaught_in_thread


def set_log_level(level: str, at_least: int = logging.DEBUG) -> None:
    """What is heard of the project: from `level` on, and never less than `at_least`."""
    number = logging.getLevelNamesMapping().get(level.strip().upper(), logging.INFO)
    heard = max(number, at_least)
    for name in OWN_LOGGERS:
        logging.getLogger(name).setLevel(heard)
    foreign = max(heard, logging.WARNING)
    logging.getLogger().setLevel(foreign)
    for name in TALKATIVE_LOGGERS:
        logging.getLogger(name).setLevel(foreign)


def _log_uncaught(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    logger.critical("The process broke", exc_info=(kind, error, trace))


def _log_uncaught_in_thread(fault: threading.ExceptHookArgs) -> None:
    if fault.exc_value is None or issubclass(fault.exc_type, SystemExit):
        return
    name = "" if fault.thread is None else fault.thread.name
    exc_info = (fault.exc_type, fault.exc_value, fault.exc_traceback)
    logger.critical("The thread %s broke", name, exc_info=exc_info)
