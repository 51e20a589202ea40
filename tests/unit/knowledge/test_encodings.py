"""Bytes of a text file: recognised, cleaned or refused."""

import pytest

from meetmind.errors import DocumentUnreadable
from meetmind.knowledge.encodings import clean_text, decode_text

CHINESE = "未支付订单在 30 分钟后自动取消，库存同时释放。\n退款按原路返回。"
ENGLISH = "Unpaid orders are cancelled after 30 minutes.\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gb18030"]
)
@pytest.mark.parametrize("text", [CHINESE, ENGLISH])
def test_a_text_is_read_in_every_supported_encoding(text: str, encoding: str) -> None:
    assert decode_text(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("未付款訂單在三十分鐘後自動取消，庫存同時釋放。", "big5"),
        ("Größe und Maße für Straßenbahnen", "latin-1"),
        ("注文は三十分後に自動的に取り消されます。", "shift-jis"),
        ("Заказ отменяется через тридцать минут", "koi8-r"),
    ],
)
def test_another_encoding_is_refused_and_never_garbled(text: str, encoding: str) -> None:
    with pytest.raises(DocumentUnreadable, match="encoding is not recognised"):
        decode_text(text.encode(encoding))


def test_a_damaged_file_of_a_marked_encoding_is_refused() -> None:
    with pytest.raises(DocumentUnreadable, match="UTF-16 but it is damaged"):
        decode_text(b"\xff\xfeabc")


def test_a_binary_file_is_refused() -> None:
    with pytest.raises(DocumentUnreadable, match="not a text file"):
        decode_text(bytes(range(1, 32)) * 20)


def test_nul_surrogates_and_control_characters_are_cleaned() -> None:
    assert clean_text("a\x00b\ud800c\x07d\ufeff") == "abcd"


def test_every_kind_of_line_end_becomes_a_plain_one() -> None:
    assert clean_text("a\r\nb\rc\x0cd\u2028e") == "a\nb\nc\nd\ne"


def test_nul_in_a_text_file_is_cleaned() -> None:
    assert decode_text(("x" * 200 + "\x00 end").encode()) == "x" * 200 + " end"
