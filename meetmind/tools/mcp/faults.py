"""What went wrong with a server, out of the exceptions of the libraries, without secrets."""

from collections.abc import Iterable, Iterator

import httpx
from mcp.shared.exceptions import McpError
from mcp.types import CONNECTION_CLOSED

from meetmind.redaction import redact_text
from meetmind.tools.mcp.offers import plain_text
from meetmind.tools.mcp.secrets import without_secrets

WORDS_CHARACTERS = 300
MOST_READ = 20_000
"""Of a longer fault the beginning is read."""
UNAUTHORISED = (401, 403)
REQUEST_TIMEOUT = 408


def server_fault(
    error: BaseException, secrets: Iterable[str], *, has_expired: bool
) -> tuple[str, str]:
    """A reason (`timed_out`, `no_command`, `unreachable`, ...) and more words, often none.

    The words of an exception are not taken over, since they may quote a whole address; only what
    the server itself answered is, with every known secret struck out.
    """
    if has_expired:
        return "timed_out", ""
    reasons = [_reason_of(single) for single in _single_errors(error)]
    known = [reason for reason in reasons if reason[0] != "broken"]
    reason, words = (known or reasons)[0]
    return reason, fault_words(words, secrets, WORDS_CHARACTERS)


def fault_words(words: str, secrets: Iterable[str], limit: int) -> str:
    """What a server says of its fault, without our secrets and without what looks like one.

    Cut at `limit` characters, and last, so that no piece of a secret is left at the end.
    """
    plain = plain_text(words, MOST_READ)
    struck_out = without_secrets(plain, secrets)
    redacted = redact_text(struck_out)
    return plain_text(redacted.text, limit)


def _single_errors(error: BaseException) -> Iterator[BaseException]:
    if not isinstance(error, BaseExceptionGroup):
        yield error
        return
    for inner in error.exceptions:
        yield from _single_errors(inner)


def _reason_of(error: BaseException) -> tuple[str, str]:
    if isinstance(error, McpError):
        return _reason_of_answer(error)
    if isinstance(error, httpx.HTTPStatusError):
        status = error.response.status_code
        if status in UNAUTHORISED:
            return "unauthorised", ""
        return "bad_status", f"HTTP {status}"
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return "timed_out", ""
    if isinstance(error, httpx.TransportError | httpx.InvalidURL | ConnectionError):
        return "unreachable", ""
    if isinstance(error, OSError):
        return "no_command", error.strerror or ""
    return "broken", type(error).__name__


def _reason_of_answer(error: McpError) -> tuple[str, str]:
    if error.error.code == CONNECTION_CLOSED:
        return "gone", ""
    if error.error.code == REQUEST_TIMEOUT:
        return "timed_out", ""
    return "refused", error.error.message
