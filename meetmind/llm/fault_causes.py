"""Finds out which fault lies behind a status, a server's words or a broken connection."""

import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from meetmind.errors import ModelError
from meetmind.llm.faults import model_error
from meetmind.llm.server_habits import Endpoint

_FAULT_BY_STATUS = {
    401: "unauthorised",
    402: "quota",
    403: "forbidden",
    404: "not_found",
    405: "not_found",
    408: "timeout",
    409: "overloaded",
    413: "too_long",
    425: "overloaded",
    429: "rate_limited",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}
_TOOLS = re.compile(r"\btools?\b|tool[_ -]choice|\bfunctions?\b|function[_ -]call")
_QUOTA = re.compile(
    r"insufficient[_ ]quota|exceeded your current quota|insufficient[_ ]balance|billing"
)
_TOO_LONG = re.compile(
    r"context[_ ]length|context window|maximum context|prompt is too long|too many tokens"
    r"|exceeds? the (?:available )?context"
)
_NO_SUCH_MODEL = re.compile(
    r"model[^.]{0,60}not (?:exist|found)|(?:unknown|invalid|no such) model\b"
)
_STATUSES_OF_REFUSED_TOOLS = (400, 404, 422, 501)


def fault_of_status(status: int, words: str) -> str:
    """The fault behind an HTTP status; `words` is what the server wrote, in lower case."""
    if status in (400, 422) and _TOO_LONG.search(words):
        return "too_long"
    if status in _STATUSES_OF_REFUSED_TOOLS and _TOOLS.search(words):
        return "tools_refused"
    if status in (400, 422) and _NO_SUCH_MODEL.search(words):
        return "not_found"
    if status in (403, 429) and _QUOTA.search(words):
        return "quota"
    if status in _FAULT_BY_STATUS:
        return _FAULT_BY_STATUS[status]
    return "server_error" if status >= 500 else "bad_request"


def error_in_body(body: object, endpoint: Endpoint) -> ModelError:
    """For servers that report an error inside a stream, or in a reply with status 200."""
    code = body.get("code") if isinstance(body, dict) else None
    status = code if isinstance(code, int) and 400 <= code <= 599 else 500
    fault = fault_of_status(status, str(body).lower())
    return model_error(fault, endpoint, status=status)


def translated_os_error(error: OSError, endpoint: Endpoint) -> ModelError:
    """Our own error for a time-out (an OSError too) or a connection that failed."""
    if isinstance(error, TimeoutError):
        return model_error("timeout", endpoint)
    return model_error(fault_of_connection(error), endpoint)


def fault_of_connection(error: BaseException) -> str:
    """What lies at the bottom of a failed connection."""
    for cause in _causes(error):
        if isinstance(cause, socket.gaierror):
            return "unknown_host"
        if isinstance(cause, ssl.SSLEOFError | ssl.SSLZeroReturnError):
            return "connection"
        if isinstance(cause, ssl.SSLError):
            return "tls"
        if isinstance(cause, ConnectionRefusedError):
            return "refused"
        if type(cause).__name__ in ("UnsupportedProtocol", "InvalidURL"):
            return "bad_address"
    return "connection"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and everything that it came from, groups included."""
    waiting = [error]
    seen_ids = set()
    while waiting:
        current = waiting.pop()
        if id(current) in seen_ids:
            continue
        seen_ids.add(id(current))
        yield current
        if isinstance(current, BaseExceptionGroup):
            waiting.extend(current.exceptions)
        for origin in (current.__cause__, current.__context__):
            if origin is not None:
                waiting.append(origin)


def retry_after_seconds(headers: Mapping[str, str], now: datetime) -> float:
    """How long the server asks to wait, in seconds or as an HTTP date; 0 when it does not say.

    https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
    """
    text = str(headers.get("retry-after") or "").strip()
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return 0.0
    aware = date if date.tzinfo is not None else date.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())
