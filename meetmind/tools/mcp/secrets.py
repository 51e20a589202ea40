"""Which parts of a server's configuration are secrets, and how they are kept out of every text."""

import json
import os.path
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from urllib.parse import parse_qsl, quote, unquote, urlsplit

_NAME = r"key|token|secret|pass|pwd|auth(?!or(?!i))|credential|cookie|session|bearer"
SECRET_NAME = re.compile(_NAME, re.I)
HARMLESS_HEADERS = {"accept", "accept-language", "content-type", "user-agent"}
SHORTEST = 6
"""A shorter value would be struck out of ordinary words."""
STRUCK_OUT = "[redacted]"
PLAIN_WORD = re.compile(r"[A-Za-z]{1,16}(?:[-_.](?:[A-Za-z]{1,16}|[0-9]{1,4}[a-z]?)){0,3}")
PLAIN_NUMBER = re.compile(r"-?[0-9]{1,12}|[0-9]{1,4}(?:\.[0-9]{1,5}){1,3}(?::[0-9]{1,5})?")
PATH_BEGIN = re.compile(r"~?/|\.{1,2}/|[A-Za-z]:[\\/]")
LONG_PART = 8
WORDS_IN_ADDRESS = re.compile(
    r"[A-Z]?[a-z]{1,20}[0-9]{0,2}(?:[-_.](?:[A-Za-z]?[a-z]{2,20}|[a-z]?)[0-9]{0,4}){0,5}"
    r"|[0-9]{4}(?:-[0-9]{2}){2}"
)
NAMED_VALUE = re.compile(
    rf"[\w.-]{{0,40}}(?:{_NAME})[\w.-]{{0,20}}\s{{0,2}}[=:]\s{{0,2}}[\"']?"
    r"(?:(?:bearer|basic|token)\s{1,2})?([^\s;,&\"']+)",
    re.I,
)
DRAWN = re.compile(r"(?=[a-z]*[0-9])(?=[0-9]*[a-z])[a-z0-9]{12,}", re.I)
"""Letters and digits in one long run, as only a machine draws them."""


def secrets_of_server(
    *,
    url: str,
    headers: Mapping[str, str],
    env: Mapping[str, str],
    variables: Mapping[str, str],
    args: Sequence[str] = (),
) -> frozenset[str]:
    """Every value that must not be shown, in each of the ways in which a text may write it.

    Of variables all but places, of `env` all but places, short words and numbers, of headers
    nearly all, and of the address and the arguments what looks like a secret or is named like one.
    """
    found: list[str] = []
    for name, value in variables.items():
        if SECRET_NAME.search(name) or not _is_place(value):
            found += [value, *_within(value)]
    for name, value in env.items():
        if SECRET_NAME.search(name) or not _is_plain(value):
            found += [value, *_within(value)]
    for name, value in headers.items():
        if name.lower() not in HARMLESS_HEADERS:
            found += [value, value.rpartition(" ")[2]]
    found += [*_within(url), *_in_arguments(args)]
    written = (form for value in found for form in _forms(value))
    return frozenset(form for form in written if len(form) >= SHORTEST)


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """The text with every secret struck out, the longest first."""
    for secret in sorted(secrets, key=len, reverse=True):
        if secret:
            text = text.replace(secret, STRUCK_OUT)
    return text


def _is_plain(value: str) -> bool:
    is_word = PLAIN_WORD.fullmatch(value) is not None
    return is_word or PLAIN_NUMBER.fullmatch(value) is not None or _is_place(value)


def _is_place(value: str) -> bool:
    """Whether it is a path or an address without a secret.

    Answers are full of them: without them nobody could open a file or follow a link.
    """
    if PATH_BEGIN.match(value):
        return DRAWN.search(value) is None or os.path.exists(value)
    return value.startswith(("http://", "https://")) and not [*_within(value)]


def _within(value: str) -> Iterator[str]:
    """The secrets inside a value: of an address, and of a text such as `User=a;Password=b`."""
    yield from NAMED_VALUE.findall(value)
    try:
        parts = urlsplit(value)
        login = (parts.username or "", parts.password or "")
    except ValueError:
        return
    if not parts.netloc:
        return
    name_alone_or_password = login[1] or login[0]
    if name_alone_or_password:
        yield name_alone_or_password
    for name, answer in parse_qsl(parts.query):
        if SECRET_NAME.search(name) or DRAWN.search(answer):
            yield answer
    for part in parts.path.split("/"):
        # `/s/<token>/mcp`
        if len(part) >= LONG_PART and not WORDS_IN_ADDRESS.fullmatch(part):
            yield part


def _in_arguments(args: Sequence[str]) -> Iterator[str]:
    """Tokens that stand among a command's arguments: `--token X`, `--key=X`, a login, or drawn."""
    for argument in args:
        yield from _within(argument)
        if DRAWN.search(argument) and "/" not in argument:
            yield argument
    for flag, value in pairwise(args):
        is_named = flag.startswith("-") and "=" not in flag and SECRET_NAME.search(flag)
        if is_named and not value.startswith("-") and not _is_place(value):
            yield value


def _forms(value: str) -> Iterator[str]:
    """A secret as it is, in an address, out of an address, and within JSON."""
    yield value
    yield unquote(value)
    yield quote(value, safe="+/", errors="replace")
    yield quote(value, safe="", errors="replace")
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
