"""Secrets are found by shape and by name, and what only looks like one is left alone."""

import base64
import json
import random
import string
import time
from collections.abc import Callable, Iterator

import pytest

from meetmind.redaction import MASK, redact_private_keys, redact_text, redact_value

CHANCE = random.Random(20260712)
ALPHANUMERIC = string.ascii_letters + string.digits
SAMPLES_A_KIND = 25
ONE_SECOND = 1.0


def drawn(signs: str, length: int) -> str:
    """Random signs with at least one digit among them."""
    body = [CHANCE.choice(signs) for _ in range(length)]
    body[length // 2] = CHANCE.choice("23456789")
    return "".join(body)


def base64_url(value: object) -> str:
    raw = json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def json_web_token() -> str:
    head = base64_url({"alg": "RS256", "typ": "JWT"})
    body = base64_url({"sub": drawn(ALPHANUMERIC, 12), "iat": CHANCE.randrange(10**9)})
    return f"{head}.{body}.{drawn(ALPHANUMERIC, 43)}"


def private_key() -> str:
    kind = CHANCE.choice(["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""])
    lines = "\n".join(drawn(ALPHANUMERIC + "+/", 64) for _ in range(4))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"


SECRET_BY_KIND: dict[str, Callable[[], str]] = {
    "openai": lambda: f"sk-{drawn(ALPHANUMERIC, 48)}",
    "openai project": lambda: f"sk-proj-{drawn(ALPHANUMERIC + '_-', 40)}{drawn(ALPHANUMERIC, 16)}",
    "anthropic": lambda: f"sk-ant-api03-{drawn(ALPHANUMERIC, 60)}-{drawn(ALPHANUMERIC, 20)}AA",
    "hugging face": lambda: f"hf_{drawn(ALPHANUMERIC, 34)}",
    "aws": lambda: f"AKIA{drawn(string.ascii_uppercase + '234567', 16)}",
    "google": lambda: f"AIza{drawn(ALPHANUMERIC + '_-', 35)}",
    "google client": lambda: f"GOCSPX-{drawn(ALPHANUMERIC, 28)}",
    "azure application": lambda: f"{drawn(ALPHANUMERIC, 3)}8Q~{drawn(ALPHANUMERIC + '._-', 34)}",
    "github": lambda: f"gh{CHANCE.choice('pousr')}_{drawn(ALPHANUMERIC, 36)}",
    "github fine": lambda: f"github_pat_{drawn(ALPHANUMERIC, 22)}_{drawn(ALPHANUMERIC, 59)}",
    "gitlab": lambda: f"glpat-{drawn(ALPHANUMERIC, 20)}",
    "slack": lambda: f"xoxb-{drawn(string.digits, 12)}-{drawn(ALPHANUMERIC, 24)}",
    "stripe": lambda: f"sk_live_{drawn(ALPHANUMERIC, 24)}",
    "npm": lambda: f"npm_{drawn(ALPHANUMERIC, 36)}",
    "sendgrid": lambda: f"SG.{drawn(ALPHANUMERIC, 22)}.{drawn(ALPHANUMERIC, 43)}",
    "telegram": lambda: f"1{drawn(string.digits, 9)}:AA{drawn(ALPHANUMERIC, 33)}",
    "alibaba": lambda: f"LTAI{drawn(ALPHANUMERIC, 20)}",
    "json web token": json_web_token,
    "private key": private_key,
}
PLACES = (
    "Use {} for the gateway.",
    "网关使用{}，请勿外传。",
    "OPENAI={}",
    '{{"value": "{}", "n": 1}}',
    "two lines written in one\\n{}\\nend",
    "https://x.example/?next=%2Fa%3Db%3D{}",
    "curl -H 'X: {}' https://api.example.com/v1",
)


@pytest.mark.parametrize("kind", SECRET_BY_KIND)
def test_a_secret_of_every_kind_is_masked_wherever_it_stands(kind: str) -> None:
    for _ in range(SAMPLES_A_KIND):
        secret = SECRET_BY_KIND[kind]()
        for place in PLACES:
            redacted = redact_text(place.format(secret))

            assert redacted.text == place.format(MASK)
            assert redacted.count == 1


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("password: hunter2hunter2", "password: [masked]"),
        ("PASSWORD=swordfish", "PASSWORD=[masked]"),
        ("DB_PASSWORD='swordfish'", "DB_PASSWORD='[masked]'"),
        ("dbPassword: swordfish", "dbPassword: [masked]"),
        ("数据库密码：Tr0ub4dor&3x", "数据库密码：[masked]"),
        ("初始密码为 admin@2024，登录后修改", "初始密码为 [masked]，登录后修改"),
        ("api_key=AGXyxvPKCzQm", "api_key=[masked]"),
        ("mysql --password swordfish -u app", "mysql --password [masked] -u app"),
        ("run --api-key abcdefgh", "run --api-key [masked]"),
        ("口令: 93827461", "口令: [masked]"),
        ("密钥：a8f5f167f44f4964e6c998dee827110c", "密钥：[masked]"),
        ("令牌=Zx81kk20Qp", "令牌=[masked]"),
        ("postgresql://app:s3cretpass@db/shop", "postgresql://app:[masked]@db/shop"),
        ("redis://:pa55word@cache:6379/0", "redis://:[masked]@cache:6379/0"),
        ("https://me:p@ss:word@host/x", "https://me:[masked]@host/x"),
        ("Authorization: Bearer abc.DEF-123456789012", "Authorization: Bearer [masked]"),
        ("Authorization: Basic YWxhZGRpbjpvcGVu", "Authorization: Basic [masked]"),
        ("send basic YWxhZGRpbjpvcGVu now", "send basic [masked] now"),
        ("Cookie: sid=abc; theme=dark", "Cookie: [masked]"),
        ("Set-Cookie: sid=a1b2; Path=/\r\nHost: x", "Set-Cookie: [masked]\r\nHost: x"),
        ("GET /v1?api_key=abcdefgh&page=2", "GET /v1?api_key=[masked]&page=2"),
        ("https://x.example/?a=1&access_token=zzzzzz#top", "https://x.example/?a=1&access_token=[masked]#top"),
        ("/cb?token=abcdefgh HTTP/1.1", "/cb?token=[masked] HTTP/1.1"),
        ("grant=x&client_secret=abcd1234&z=1", "grant=x&client_secret=[masked]&z=1"),
        ("AccountName=a;AccountKey=Zm9vYmFyMTIz+/==;B=c", "AccountName=a;AccountKey=[masked];B=c"),
        ("Server=db;User Id=sa;Password=Pa55w0rd;", "Server=db;User Id=sa;Password=[masked];"),
        ("aws_secret_access_key = wJalr+UtnFEMI/K7MD", "aws_secret_access_key = [masked]"),
        ('{\\"api_key\\": \\"a1b2c3d4e5\\"}', '{\\"api_key\\": \\"[masked]\\"}'),
        ("https://hooks.slack.com/services/T012AB/B034CD/xyz9876543", "https://hooks.slack.com/services/[masked]"),
    ],
)  # fmt: skip
def test_a_value_behind_a_telling_name_is_masked(text: str, kept: str) -> None:
    assert redact_text(text).text == kept


def look_alikes() -> Iterator[str]:
    """Harmless texts: generated ones by shape, written ones by wording."""
    hexadecimal = "0123456789abcdef"
    for _ in range(25):
        yield f"backend_{drawn(hexadecimal, 12)} and file_{drawn(hexadecimal, 12)}"
        parts = [drawn(hexadecimal, length) for length in (8, 4, 4, 4, 12)]
        yield f"run {'-'.join(parts)} ended"
        yield f"sha256 {drawn(hexadecimal, 64)}"
        yield f"commit {drawn(hexadecimal, 40)} by li.wei@example.com"
        yield f"Order NO-{drawn(string.digits, 14)}, order AK{drawn(string.digits, 10)}"
        yield f"image {base64.b64encode(drawn(ALPHANUMERIC, 21).encode()).decode()}"
        yield f"{'-'.join(parts)}.backend.{CHANCE.randrange(9)}"
        yield f"会话 {drawn(hexadecimal, 32)} 已结束，订单号 {drawn(string.digits, 16)}"
        yield f"1{drawn(string.digits, 8)}:{CHANCE.randrange(60):02d} +86{drawn(string.digits, 11)}"
    yield from WRITTEN_LOOK_ALIKES


WRITTEN_LOOK_ALIKES = """
A risk-based-approach-to-security-testing-2024 and task-sk-learn-pipeline
sk-learn-based-classification-of-long-words is a library
The desk-reference-implementation-guide-v2 of disk_usage_statistics_2024_report
Passwords are hashed; the token expires after 30 minutes.
password: required, token: optional, secret: hidden
password: at least 8 characters
Password: 8-characters minimum, 12-digit-code or 30minutes
password: str = Field(min_length=8)
password: SecretStr | None = None
password=password, api_key=api_key, token=token
password = get_password(user)
password = os.environ["PG_PASSWORD"]
password = settings.database.password
password=${DB_PASSWORD} and password=$DB_PASSWORD
password={{ vault_password }} password=<password> password=****
api_key="YOUR_API_KEY_1234" api_key=your-key-here-2024
api_key: ...
max_tokens=4096, input_tokens: 1234567, token_count=8765432
token: 4096 tokens were used; tokens: 123456789
The token is base64-encoded and signed with RS256-compatible keys
secret key: aes-256-gcm
the access key: rsa-2048
secretary: Alice1234567
monkey=banana12345 donkey: grey1234567
public_key=abcdef123456 primary_key: order_id_2024 foreign key: user_id_12345
session_id=0123456789abcdef
keyboard: qwerty12345
docker login --password-stdin, --token TOKEN, --password $PASSWORD, --token <token>
api_key=userPasswordHash token=currentUserSessionName
密码至少 8 位，且包含数字。
密码：8-16位，区分大小写
密码不能为空；口令长度为 12 位；令牌有效期为 30 分钟
忘记密码？请联系管理员 admin@example.com
密钥: RSA-2048，每 90 天轮换一次
令牌：JWT，签名算法 RS256
密码策略：最短 10 位
Bearer authentication is used; bearer tokens are short-lived
a bearer of good news-2024
Basic authentication, basic knowledge, Basic services
Authorization: required for every call
Cookie: a small file; cookies are kept for 30 days
http://localhost:8501/discussion?d=0af3c1d2 and https://host:8443/path@2x.png
See https://example.com/search?q=token&page=2&key=a1
mailto:li.wei@example.com, git@github.com:owner/name.git
postgresql://db:5432/shop
https://example.com/docs/password-reset?lang=zh
eyJ is how a JWT begins; eyJhbGciOiJIUzI1NiJ9 is a header alone
-----BEGIN CERTIFICATE----- MIIB -----END CERTIFICATE-----
-----BEGIN PUBLIC KEY----- MIIB -----END PUBLIC KEY-----
ASIA-Pacific, ASIAPACIFICREGIONALS and AKIA are words
hf_hub_download, hf_transfer, npm_config_cache, ghp_ and xoxb- are prefixes
SG.something and SG.1.2 are names
v2.1.0-beta, secret: v2.1.0-beta
[masked] and password: [masked]
""".strip().splitlines()


def test_two_hundred_look_alikes_are_left_alone() -> None:
    texts = list(look_alikes())
    changed = [text for text in texts if redact_text(text).count]

    assert len(texts) >= 200
    assert changed == []


def test_what_is_masked_already_is_not_counted_again() -> None:
    texts = [place.format(make()) for place in PLACES for make in SECRET_BY_KIND.values()]
    redacted = redact_text("\n".join([*texts, "password=hunter2hunter2", "Cookie: a=bcdef"]))

    again = redact_text(redacted.text)

    assert again.count == 0
    assert again.text == redacted.text


def test_private_keys_alone_are_masked_before_a_text_is_cut() -> None:
    redacted = redact_private_keys(f"password: hunter2hunter2\n{private_key()}\nend")

    assert redacted.text == f"password: hunter2hunter2\n{MASK}\nend"
    assert redacted.count == 1


@pytest.mark.parametrize(
    "name",
    [
        "password", "Password", "dbPassword", "db_password", "passwd", "pwd", "secret",
        "client_secret", "clientSecret", "token", "access_token", "X-Auth-Token",
        "refreshToken", "api_key", "apikey", "API-KEY", "x-api-key", "authorization",
        "Proxy-Authorization", "cookie", "Set-Cookie", "private_key", "session",
        "aws_secret_access_key", "密码", "数据库密码", "访问令牌",
    ],
)  # fmt: skip
def test_what_stands_under_a_secret_name_is_masked(name: str) -> None:
    value = {"outer": [{name: "plain words"}, {name: {"value": "plain words"}}]}

    assert redact_value(value) == {"outer": [{name: MASK}, {name: MASK}]}


@pytest.mark.parametrize(
    "name",
    [
        "tokens", "input_tokens", "token_count", "max_tokens", "next_page_token",
        "mask_token", "secretary", "monkey", "session_id", "public_key", "key", "keys",
        "primary_key", "password_length", "cookie_policy", "authorized", "passage",
        "passages", "author", "密码长度", "关键词",
    ],
)  # fmt: skip
def test_what_stands_under_an_ordinary_name_stays(name: str) -> None:
    assert redact_value({name: "plain words"}) == {name: "plain words"}


def test_nothing_yes_and_no_are_not_masked() -> None:
    value = {"password": None, "token": True, "secret": "", "cookie": False}

    assert redact_value(value) == value


def test_texts_and_names_of_keys_are_masked_by_shape() -> None:
    secret = SECRET_BY_KIND["github"]()
    value = {"lines": ("a", f"b {secret}"), secret: 1, "n": 2.5}

    assert redact_value(value) == {"lines": ["a", f"b {MASK}"], MASK: 1, "n": 2.5}


def test_a_value_nested_without_end_is_cut() -> None:
    value: object = "deep"
    for _ in range(900):
        value = [value]

    assert MASK in json.dumps(redact_value(value))


@pytest.mark.parametrize(
    "piece",
    ["a", "sk_a1", "eyJ", "eyJaaaaaaaaaa.", "password=", "password: ", "://a:", "https://a:b", "&a",
     "SG.", "-----BEGIN ", "cookie=a=", "密码：", "password=&a", "password=1", "\\neyJ", "%3Dsk-"],
)  # fmt: skip
def test_a_megabyte_of_the_worst_shape_takes_less_than_a_second(piece: str) -> None:
    text = (piece * (1_000_000 // len(piece) + 1))[:1_000_000]

    begun = time.process_time()
    redact_text(text)

    assert time.process_time() - begun < ONE_SECOND
