"""Translates everything that can go wrong with a chat model into one tree and one plain sentence.

No sentence repeats a key, a request or what the server wrote.
"""

import re
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import openai

from meetmind.errors import (
    ModelAnswerBroken,
    ModelBusy,
    ModelError,
    ModelMisconfigured,
    ModelUnavailable,
    ToolsRefused,
)
from meetmind.llm.server_habits import Endpoint

FOREIGN_ERRORS = (openai.OpenAIError, OSError)
"""What a call of a chat model may raise besides our own errors; a time-out is an OSError."""

ONCE = 1
A_FEW_TIMES = 3
AS_OFTEN_AS_ALLOWED = 1000


@dataclass(frozen=True, kw_only=True)
class FaultKind:
    """How one kind of fault is raised, how often such a call is tried in all, and its sentence."""

    error: type[ModelError]
    tries: int
    sentence: str


FAULT_KINDS: dict[str, FaultKind] = {
    "unauthorised": FaultKind(
        error=ModelMisconfigured, tries=ONCE, sentence="{host} does not accept the API key."
    ),
    "forbidden": FaultKind(
        error=ModelMisconfigured,
        tries=ONCE,
        sentence="{host} does not let this API key use the model {model}.",
    ),
    "quota": FaultKind(
        error=ModelMisconfigured,
        tries=ONCE,
        sentence="The account at {host} has no credit or quota left.",
    ),
    "not_found": FaultKind(
        error=ModelMisconfigured,
        tries=ONCE,
        sentence="{host} knows no model {model} at this address.",
    ),
    "bad_address": FaultKind(
        error=ModelMisconfigured,
        tries=ONCE,
        sentence="The address of the model's server is not a complete http:// or https:// address.",
    ),
    "unknown_host": FaultKind(
        error=ModelMisconfigured, tries=ONCE, sentence="No computer named {host} can be found."
    ),
    "tls": FaultKind(
        error=ModelMisconfigured,
        tries=ONCE,
        sentence="No secure connection to {host} could be made: its certificate is not accepted.",
    ),
    "bad_request": FaultKind(
        error=ModelMisconfigured,
        tries=ONCE,
        sentence="{host} does not accept the form of the request to {model}.",
    ),
    "too_long": FaultKind(
        error=ModelMisconfigured,
        tries=ONCE,
        sentence="The discussion is longer than the model {model} can read.",
    ),
    "tools_refused": FaultKind(
        error=ToolsRefused, tries=ONCE, sentence="{host} does not take tools with {model}."
    ),
    "refused": FaultKind(
        error=ModelUnavailable,
        tries=AS_OFTEN_AS_ALLOWED,
        sentence="Nothing answers at {host}.",
    ),
    "connection": FaultKind(
        error=ModelUnavailable,
        tries=AS_OFTEN_AS_ALLOWED,
        sentence="The connection to {host} broke off.",
    ),
    "timeout": FaultKind(
        error=ModelUnavailable,
        tries=AS_OFTEN_AS_ALLOWED,
        sentence="{host} did not answer in time.",
    ),
    "rate_limited": FaultKind(
        error=ModelUnavailable,
        tries=AS_OFTEN_AS_ALLOWED,
        sentence="{host} takes no more requests for the moment.",
    ),
    "overloaded": FaultKind(
        error=ModelUnavailable, tries=AS_OFTEN_AS_ALLOWED, sentence="{host} is overloaded."
    ),
    "server_error": FaultKind(
        error=ModelUnavailable,
        tries=AS_OFTEN_AS_ALLOWED,
        sentence="{host} reports a fault of its own.",
    ),
    "cut": FaultKind(
        error=ModelAnswerBroken,
        tries=AS_OFTEN_AS_ALLOWED,
        sentence="The answer of {model} broke off before its end.",
    ),
    "length": FaultKind(
        error=ModelAnswerBroken,
        tries=A_FEW_TIMES,
        sentence="The answer of {model} was cut at its length limit.",
    ),
    "empty": FaultKind(
        error=ModelAnswerBroken, tries=A_FEW_TIMES, sentence="{model} sent an empty answer."
    ),
    "unreadable": FaultKind(
        error=ModelAnswerBroken,
        tries=A_FEW_TIMES,
        sentence="{host} answered with something that is no model's answer.",
    ),
    "filtered": FaultKind(
        error=ModelAnswerBroken, tries=ONCE, sentence="{model} declined to answer."
    ),
    "busy": FaultKind(
        error=ModelBusy,
        tries=ONCE,
        sentence="No free place for a call of {model} came up within the time to wait.",
    ),
}

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
_STATUSES_OF_REFUSED_TOOLS = (400, 404, 422, 501)


def model_error(
    fault: str, endpoint: Endpoint, *, status: int = 0, retry_after_seconds: float = 0.0
) -> ModelError:
    """The error of this kind, its sentence filled in; 0 means unknown."""
    kind = FAULT_KINDS[fault]
    sentence = kind.sentence.format(host=endpoint.host, model=endpoint.name)
    return kind.error(
        sentence,
        fault=fault,
        host=endpoint.host,
        model=endpoint.name,
        status=status,
        retry_after_seconds=retry_after_seconds,
    )


def translated(error: Exception, endpoint: Endpoint) -> ModelError:
    """The error of our own tree for one of `FOREIGN_ERRORS`; our own errors pass as they are."""
    if isinstance(error, ModelError):
        return error
    if isinstance(error, openai.APIStatusError):
        status = error.status_code
        fault = _fault_of_status(status, _words_of(error))
        retry_after = retry_after_seconds(error.response.headers, datetime.now(UTC))
        return model_error(fault, endpoint, status=status, retry_after_seconds=retry_after)
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return model_error("timeout", endpoint)
    if isinstance(error, openai.APIConnectionError | OSError):
        return model_error(_fault_of_connection(error), endpoint)
    if isinstance(error, openai.APIError):
        return error_in_body(error.body, endpoint)
    return model_error("unreadable", endpoint)


def error_in_body(body: object, endpoint: Endpoint) -> ModelError:
    """For servers that report an error inside a stream, or in a reply with status 200."""
    code = body.get("code") if isinstance(body, dict) else None
    status = code if isinstance(code, int) and 400 <= code <= 599 else 500
    fault = _fault_of_status(status, str(body).lower())
    return model_error(fault, endpoint, status=status)


def retry_after_seconds(headers: Any, now: datetime) -> float:
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
    except ValueError:
        return 0.0
    aware = date if date.tzinfo is not None else date.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())


def _words_of(error: openai.APIError) -> str:
    return f"{error.message} {error.body}".lower()


def _fault_of_status(status: int, words: str) -> str:
    if status in _STATUSES_OF_REFUSED_TOOLS and _TOOLS.search(words):
        return "tools_refused"
    if status in (403, 429) and _QUOTA.search(words):
        return "quota"
    if status in (400, 422) and _TOO_LONG.search(words):
        return "too_long"
    if status in _FAULT_BY_STATUS:
        return _FAULT_BY_STATUS[status]
    return "server_error" if status >= 500 else "bad_request"


def _fault_of_connection(error: BaseException) -> str:
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
