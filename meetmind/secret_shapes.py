"""How secrets look: keys by their shape, and values that stand behind a telling name."""

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

IsSecret = Callable[[re.Match[str]], bool]


@dataclass(frozen=True)
class SecretShape:
    """How a kind of secret looks; the group `secret` is what gets masked."""

    pattern: re.Pattern[str]
    is_secret: IsSecret = lambda match: True


# Every pattern is linear on any text: a run of characters is read once from its beginning (that is
# what the look-behinds are for), or is bounded.
# Where a key may begin: not within a word, but behind `\n` and `%3D`, which are written-out signs.
_BEGIN = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtf])|(?<=%[0-9A-Fa-f]{2}))"
PRIVATE_KEY = SecretShape(
    re.compile(
        r"(?P<secret>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?"
        r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z))",
        re.S,
    )
)
# AWS, Alibaba and Tencent; Google; GitHub; GitLab; Slack; Hugging Face; npm, PyPI, SendGrid and
# Shopify; Databricks, DigitalOcean, Groq and xAI; LangSmith, Stripe webhooks; Azure applications,
# Telegram.
ISSUED_KEY = SecretShape(
    re.compile(
        _BEGIN + r"(?P<secret>"
        r"(?:AKIA|ASIA(?=[A-Z]{0,15}[0-9]))[A-Z0-9]{16}(?![A-Za-z0-9])"
        r"|LTAI(?=[A-Za-z]{0,20}[0-9])[A-Za-z0-9]{12,26}(?![A-Za-z0-9])"
        r"|AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])"
        r"|AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}"
        r"|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}"
        r"|gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent)-[A-Za-z0-9_.-]{20,}"
        r"|xox[abeoprs]-[A-Za-z0-9.-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}"
        r"|hf_[A-Za-z0-9]{30,}|npm_[A-Za-z0-9]{36}|pypi-AgEI[A-Za-z0-9_-]{20,}"
        r"|SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}|shp(?:at|ca|pa|ss)_[0-9a-f]{32}"
        r"|dapi[0-9a-f]{32}|do[opr]_v1_[0-9a-f]{64}|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}"
        r"|lsv2_[a-z]{2}_[0-9a-f]{32}_[0-9a-f]{10}|whsec_[A-Za-z0-9+/=]{20,}"
        r"|[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,}|[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"
        r")"
    )
)
SLACK_HOOK = SecretShape(
    re.compile(r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[A-Za-z0-9/_-]{20,})")
)
JSON_WEB_TOKEN = SecretShape(
    re.compile(
        r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrtf])|(?<=%[0-9A-Fa-f]{2}))"
        r"(?P<secret>eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)"
    )
)
COOKIE = SecretShape(
    re.compile(
        r"cookie\\?[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\?[\"']?"
        r"(?P<secret>[\w.$!%-]{1,80}=[^\r\n\"']{4,})",
        re.I,
    )
)
PASSWORD_IN_URL = SecretShape(
    re.compile(
        r"(?<=://)[^\s:/@\"'<>]{0,128}:(?P<secret>[^\s/\"'<>$%{}*\[][^\s/\"'<>]{0,255})(?=@)"
    )
)
WORDY_MARK = re.compile(r"your|example|placeholder|change[_-]?me|x{4}|\.\.\.", re.I)


def _is_random(value: str) -> bool:
    """Whether a run of letters was drawn by a machine: a long piece of it holds digits too."""
    if WORDY_MARK.search(value):
        return False
    longest = max(re.split(r"[-_.~+/]", value), key=len)
    has_digit = any(sign.isdigit() for sign in value)
    return has_digit and len(longest) >= 12 and not value.isdigit()


def _is_random_secret(match: re.Match[str]) -> bool:
    return _is_random(match["secret"])


def _is_basic_login(match: re.Match[str]) -> bool:
    """`name:password` in base64."""
    try:
        login = base64.b64decode(match["secret"], validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return False
    return ":" in login and login.isprintable()


# OpenAI, Anthropic, Stripe and everybody who writes keys as they do.
PREFIXED_KEY = SecretShape(
    re.compile(_BEGIN + r"(?P<secret>(?:sk|pk|rk)[-_][A-Za-z0-9_-]{18,})"),
    _is_random_secret,
)
BEARER = SecretShape(
    re.compile(r"(?i:\bbearer)[ \t]{1,4}(?P<secret>[A-Za-z0-9._~+/-]{12,}={0,2})"),
    _is_random_secret,
)
BASIC = SecretShape(
    re.compile(r"(?i:\bbasic)[ \t]{1,4}(?P<secret>[A-Za-z0-9+/]{8,}={0,2})"), _is_basic_login
)

# What stands behind a telling name. `after` shows a call or an index, which is code, no value.
_VALUE = r"(?:[!#$%*+./0-9?@A-Z^_a-z|~:-]|&(?![A-Za-z0-9_.-]{1,24}=)|=(?=[\s\"'=,;]|\Z)){6,}"
NAMED_VALUE = re.compile(
    # The first line only saves time: it says at a glance where no name begins.
    r"(?a)(?=[pPsSaAeEmMtTcC密口令私])"
    r"(?:(?P<password>pass(?:word|wd|phrase|code)|(?<![a-z])pwd|密码|口令)"
    r"|(?<![a-z])secret(?:[_-]?(?:access[_-]?)?key(?:[_-]?base)?)?"
    r"|(?:api|access|account|private|signing|encryption|subscription|master)[_ -]?key"
    r"|token|authorization|credential|密钥|令牌|私钥)"
    r"(?P<mark>\\?[\"']?[ \t]{0,8}(?:=>|:=|[:=：＝]|是|为|[ \t]is[ \t])[ \t]{0,8})"
    r"(?:(?:bearer|basic|token|digest|apikey)[ \t]{1,4})?"
    rf"(?P<quote>\\?[\"'`])?(?P<secret>{_VALUE})(?P<after>[(\[{{]?)",
    re.I,
)
IN_QUERY = SecretShape(
    re.compile(
        r"[?&](?:[a-z]{1,16}[_-])?(?:(?:api|access|account|subscription)?[_-]?key|token|auth|secret"
        r"|password|passwd|pwd|sig|signature|credential)=(?P<secret>[^&#\s\"'<>${}\[\]]{6,})",
        re.I,
    ),
    lambda match: WORDY_MARK.search(match["secret"]) is None,
)
NAME_IN_HUMPS = re.compile(r"_*[a-z]*(?:[A-Z][a-z]+)*[A-Z]?")
PLAIN_WORD = re.compile(r"[A-Za-z]{6,}\Z")
# Words, references and measures that stand behind a telling name and give nothing away.
_HARMLESS_WORDS_TEXT = """
    required optional string hidden forgotten forgot invalid expired missing unknown default
    disabled enabled private public password passwd passphrase secret secrets token tokens
    apikey apitoken authentication authorization changed unchanged encrypted hashed bcrypt
    argon2 argon2id argon2i scrypt base64 sha256 sha512 sha1 rotated vaulted revoked redacted
    masked removed undefined secretstr nullable boolean integer number object settings
    environment generate generated plaintext bearer
"""
HARMLESS_WORDS = frozenset(_HARMLESS_WORDS_TEXT.split())
HARMLESS_VALUE = re.compile(
    r"https?://.*"
    # a measure: 30minutes, 8-characters
    r"|\d{1,5}[-_]?(?:ms|s|sec|seconds?|min|mins|minutes?|hours?|days?|weeks?|months?|bits?|bytes?"
    r"|chars?|characters?|digits?|letters?|words?|times|attempts|symbols)(?:[-_.][a-z]+)*[.:?!]?"
    # a method: RS256, rsa-2048, aes-256-gcm, base64-encoded
    r"|(?:rsa|aes|sha|md|hmac|ecdsa|ed|rs|hs|es|ps|sm|des|argon|pbkdf|utf|base|oauth|tls|uuid|jwt|pkce"
    r"|scram|x)[-_]?\d{1,5}[a-z]{0,3}(?:[-_/.][a-z0-9]{1,12}){0,3}[.:?!]?"
    # a place in a program: settings.oauth2.secret, and a version: v2.1.0-beta
    r"|[a-z_]+\d?(?:(?:\.|::)[a-z_]+\d?)+[.:?!]?|v?\d+(?:\.\d+)+(?:-[a-z0-9.]+)?[.:?!]?"
    # a reference to what stands elsewhere
    r"|(?-i:\$[A-Z_][A-Z0-9_]*)|%[a-z_]+%|:[a-z_]+|[a-z_-]+[.:?!]+|\*+|\.+",
    re.I,
)


def _is_harmless(value: str) -> bool:
    if WORDY_MARK.search(value) or HARMLESS_VALUE.fullmatch(value):
        return True
    return value.lower().strip(".:?!,;") in HARMLESS_WORDS


def _is_named_secret(match: re.Match[str]) -> bool:
    value = match["secret"]
    if match["after"] or _is_harmless(value):
        return False
    is_password = match["password"] is not None
    if value.isdigit():
        return is_password
    if _changes_case_often(value):
        return True
    if PLAIN_WORD.match(value):
        return is_password and _is_whole_value(match)
    has_letter = any(sign.isalpha() for sign in value)
    has_digit = any(sign.isdigit() for sign in value)
    has_symbol = re.search(r"[!@#$%^&*+~?|][A-Za-z0-9!@#$%^&*+~?|]", value) is not None
    return has_letter and (has_symbol or (has_digit and (is_password or len(value) >= 8)))


def _changes_case_often(value: str) -> bool:
    """Whether letters change their case as only drawn ones do, and no `userPasswordHash` does."""
    if NAME_IN_HUMPS.fullmatch(value):
        return False
    letters = [sign for sign in value if sign.isalpha()]
    changes = sum(1 for one, other in pairwise(letters) if one.isupper() != other.isupper())
    return len(letters) >= 8 and changes >= 0.4 * len(letters)


def _is_whole_value(match: re.Match[str]) -> bool:
    """Whether a plain word is the value of a setting and not the first word of a sentence."""
    if match["quote"] or "=" in match["mark"]:
        return True
    rest = match.string[match.end() : match.end() + 2].lstrip(" \t")
    is_sentence = not any(sign in match["mark"] for sign in ":：")
    return not is_sentence and not rest.strip()


NAMED = SecretShape(NAMED_VALUE, _is_named_secret)
IN_COMMAND = SecretShape(
    re.compile(
        r"--(?:[a-z]{1,12}-)?(?:pass(?:word|wd|phrase)?|pwd|token|secret|(?:api|access|secret)-key)"
        r"[ \t]{1,4}[\"']?(?P<secret>[^\s\"'<>${}\[\]-][^\s\"']{5,})"
    ),
    lambda match: not _is_harmless(match["secret"]),
)
SHAPES = (
    PRIVATE_KEY,
    COOKIE,
    PASSWORD_IN_URL,
    SLACK_HOOK,
    JSON_WEB_TOKEN,
    ISSUED_KEY,
    PREFIXED_KEY,
    BEARER,
    BASIC,
    IN_QUERY,
    IN_COMMAND,
    NAMED,
)
