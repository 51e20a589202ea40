"""Bytes of a text file: recognised, cleaned or refused."""

import pytest

from meetmind.errors import DocumentUnreadable
from meetmind.knowledge.encodings import clean_line, clean_text, decode_text

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
        ("주문은 삼십 분 후에 자동으로 취소됩니다.", "euc-kr"),
        ("Größe und Maße für Straßenbahnen", "mac-roman"),
        ("Objednávka se zruší po třiceti minutách", "cp1250"),
        ("注文は三十分後に自動的に取り消されます。", "shift-jis"),
        ("Заказ отменяется через тридцать минут", "koi8-r"),
    ],
)
def test_another_encoding_is_refused_and_never_garbled(text: str, encoding: str) -> None:
    with pytest.raises(DocumentUnreadable, match="encoding is not recognised"):
        decode_text(text.encode(encoding))


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("未付款訂單在三十分鐘後自動取消，庫存同時釋放。", "big5"),
        ("未付款訂單在三十分鐘後自動取消，庫存同時釋放。", "gbk"),
        ("Größe und Maße für Straßenbahnen", "latin-1"),
        ("The café’s order costs 5 € – and it is “paid” to us.", "cp1252"),
    ],
)
def test_an_old_encoding_is_recognised_by_the_signs_of_its_language(
    text: str, encoding: str
) -> None:
    assert decode_text(text.encode(encoding)) == text


def test_letters_of_no_one_language_are_not_taken_for_latin_1() -> None:
    with pytest.raises(DocumentUnreadable, match="encoding is not recognised"):
        decode_text("the ßñå of and".encode("latin-1"))


def test_a_text_that_was_cut_within_its_last_letter_is_read() -> None:
    assert decode_text((CHINESE * 3).encode()[:-1]) == (CHINESE * 3)[:-1]


def test_a_text_whose_letters_were_lost_before_is_refused() -> None:
    with pytest.raises(DocumentUnreadable, match="text is damaged"):
        decode_text("订\ufffd\ufffd".encode())


def test_seven_bit_chinese_is_not_taken_for_english() -> None:
    with pytest.raises(DocumentUnreadable, match="encoding is not recognised"):
        decode_text(CHINESE.encode("hz", "ignore"))


def test_two_halves_of_one_letter_are_joined() -> None:
    assert clean_text("\ud83d\ude00") == "😀"


def test_a_line_to_show_is_one_line_that_turns_no_direction_and_is_bounded() -> None:
    assert clean_line("  Safe\n\u202e fdp.exe\x00 ") == "Safe fdp.exe"
    assert clean_line("word " * 100, longest=20) == "word word word word…"


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
