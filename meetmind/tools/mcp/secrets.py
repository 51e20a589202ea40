"""Which parts of a server's configuration are secrets, and how they are kept out of every text."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl, quote, unquote, urlsplit

SECRET_NAME = re.compile(r"key|token|secret|passw|pwd|auth|credential|cookie|session|bearer", re.I)
HARMLESS_HEADERS = {"accept", "accept-language", "content-type", "user-agent"}
SHORTEST = 6
"""A shorter value would be struck out of ordinary words."""
STRUCK_OUT = "[redacted]"


def secrets_of_server(
    *,
    url: str,
    headers: Mapping[str, str],
    env: Mapping[str, str],
    variables: Mapping[str, str],
) -> frozenset[str]:
    """Every value that must not be shown: of headers, of the address, of names that say so."""
    found: list[str] = []
    for name, value in (*env.items(), *variables.items()):
        if SECRET_NAME.search(name):
            found.append(value)
    for name, value in headers.items():
        if name.lower() not in HARMLESS_HEADERS:
            found.append(value)
            found.append(value.rpartition(" ")[2])
    parts = urlsplit(url)
    found += [parts.password or "", unquote(parts.password or "")]
    for name, value in parse_qsl(parts.query):
        if SECRET_NAME.search(name):
            found += [value, quote(value, safe="+/"), quote(value, safe="")]
    return frozenset(value for value in found if len(value) >= SHORTEST)


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """The text with every secret struck out, the longest first."""
    for secret in sorted(secrets, key=len, reverse=True):
        if secret:
            text = text.replace(secret, STRUCK_OUT)
    return text
