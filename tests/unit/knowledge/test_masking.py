"""Secrets in documents."""

import pytest

from meetmind.knowledge.masking import mask_secrets


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-" + "a1B2" * 8,
        "AKIA" + "ABCD1234" * 2,
        "ghp_" + "a1B2c3" * 6,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3.c2lnbmF0dXJlLW9m",
        "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----",
    ],
)
def test_a_secret_is_masked_by_its_shape(secret: str) -> None:
    masked = mask_secrets(f"Use {secret} for the gateway.")

    assert masked.count == 1
    assert secret not in masked.text
    assert masked.text.startswith("Use [masked]")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("password: hunter2hunter2", "password: [masked]"),
        ("数据库密码：Tr0ub4dor&3x", "数据库密码：[masked]"),
        ("postgresql://app:s3cretpass@db/shop", "postgresql://app:[masked]@db/shop"),
    ],
)
def test_a_value_behind_a_telling_name_is_masked(text: str, kept: str) -> None:
    assert mask_secrets(text).text == kept


def test_ordinary_text_about_secrets_stays() -> None:
    text = "Passwords are hashed; the token expires after 30 minutes. 密码至少八位。"

    assert mask_secrets(text).text == text
    assert mask_secrets(text).count == 0
