"""Secrets in documents: masked before a passage is stored."""

import re
from dataclasses import dataclass

MASK = "[masked]"

PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S
)
# What is a secret by its shape alone, and values that stand behind a telling name.
SECRETS = (
    PRIVATE_KEY,
    re.compile(r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{20,}"),
    re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    re.compile(r"\bgh[pousr]_[A-Za-z0-9]{30,}\b"),
    re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    re.compile(r"\bAIza[A-Za-z0-9_-]{35}\b"),
    re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
)
PASSWORD_IN_URL = re.compile(
    r"(?P<before>\b[a-z][a-z0-9+.-]*://[^\s:/@]+:)(?P<secret>[^\s@/]{3,})(?=@)"
)
NAMED_SECRET = re.compile(
    r"(?P<before>(?:\b(?:password|passwd|pwd|secret|api[_-]?key|access[_-]?token|client[_-]?secret)"
    r"|密码|口令|密钥)[\"']?\s*[:=：]\s*[\"']?)(?P<secret>[A-Za-z0-9+/_.~!@#$%^&*-]{8,})",
    re.I,
)


@dataclass(frozen=True, kw_only=True)
class Masked:
    """A text without its secrets."""

    text: str
    count: int


def mask_private_keys(text: str) -> Masked:
    """The text without private keys, which are longer than a passage: they go before it is cut."""
    masked, count = PRIVATE_KEY.subn(MASK, text)
    return Masked(text=masked, count=count)


def mask_secrets(text: str) -> Masked:
    """The text with every secret replaced by a mask, and how many there were."""
    count = 0
    for pattern in SECRETS:
        text, found = pattern.subn(MASK, text)
        count += found
    for pattern in (PASSWORD_IN_URL, NAMED_SECRET):
        text, found = pattern.subn(rf"\g<before>{MASK}", text)
        count += found
    return Masked(text=text, count=count)
