"""Secrets in texts and JSON values: masked before anything is logged, traced or embedded."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from meetmind.secret_shapes import PRIVATE_KEY, SHAPES, SecretShape

MASK = "[masked]"
DEEPEST_VALUE = 60


@dataclass(frozen=True, kw_only=True)
class Redacted:
    """A text without its secrets, and how many there were."""

    text: str
    count: int


def redact_text(text: str) -> Redacted:
    """The text with every secret that shows by its shape replaced by a mask.

    Takes a time that grows with the length of the text and with nothing else.
    """
    count = 0
    for shape in SHAPES:
        redacted = _masked(text, shape)
        text = redacted.text
        count += redacted.count
    return Redacted(text=text, count=count)


def redact_private_keys(text: str) -> Redacted:
    """The text without private keys, which are longer than a passage: they go before it is cut."""
    return _masked(text, PRIVATE_KEY)


def _masked(text: str, shape: SecretShape) -> Redacted:
    pieces: list[str] = []
    kept_to = 0
    count = 0
    for match in shape.pattern.finditer(text):
        if not shape.is_secret(match):
            continue
        begin, end = match.span("secret")
        pieces += [text[kept_to:begin], MASK]
        kept_to = end
        count += 1
    pieces.append(text[kept_to:])
    return Redacted(text="".join(pieces), count=count)


# The last words of a name, joined: `X-Api-Key`, `dbPassword`, `client_secret` end in one of them.
_TELLING_NAMES_TEXT = """
    password passwords passwd pwd passphrase passcode secret secrets token authorization cookie
    cookies apikey apikeys accesskey privatekey secretkey secretaccesskey clientsecret
    signingkey encryptionkey accountkey subscriptionkey masterkey session jwt credential
    credentials
"""
TELLING_NAMES = frozenset(_TELLING_NAMES_TEXT.split())
TELLING_HAN_NAMES = ("密码", "口令", "密钥", "令牌", "私钥")
# Tokens of a text, of a list's next page, of a model's vocabulary.
_HARMLESS_TOKENS_TEXT = """
    page next continuation eos bos pad unk mask sep cls max min per
"""
HARMLESS_TOKENS = frozenset(_HARMLESS_TOKENS_TEXT.split())
WORD_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
MOST_WORDS = 3


def redact_value(value: Any) -> Any:
    """A JSON value without secrets: by the names of keys, and in texts by their shape.

    Returns a new value; what is nested deeper than 60 levels is masked as a whole.
    """
    return _redacted_value(value, DEEPEST_VALUE)


def _redacted_value(value: Any, levels: int) -> Any:
    if isinstance(value, str):
        return redact_text(value).text
    if isinstance(value, Mapping):
        return _redacted_mapping(value, levels) if levels else MASK
    if isinstance(value, list | tuple):
        return [_redacted_value(item, levels - 1) for item in value] if levels else MASK
    return value


def _redacted_mapping(value: Mapping[Any, Any], levels: int) -> dict[str, Any]:
    redacted: dict[str, Any] = {}
    for key, item in value.items():
        name = str(key)
        shown_name = redact_text(name).text
        if is_secret_name(name) and _can_be_secret(item):
            redacted[shown_name] = MASK
        else:
            redacted[shown_name] = _redacted_value(item, levels - 1)
    return redacted


def is_secret_name(name: str) -> bool:
    """Whether what stands under this key is a secret: `api_key`, `X-Auth-Token`, not `tokens`."""
    if name.endswith(TELLING_HAN_NAMES):
        return True
    words = [word.lower() for word in WORD_BORDER.split(name[-100:]) if word]
    if words[-1:] == ["token"] and not HARMLESS_TOKENS.isdisjoint(words):
        return False
    return any("".join(words[-size:]) in TELLING_NAMES for size in range(1, MOST_WORDS + 1))


def _can_be_secret(item: Any) -> bool:
    """Nothing, yes, no and an empty text say no secret."""
    return item is not None and not isinstance(item, bool) and item != ""
