import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from meetmind.hidden_characters import count_hidden, mixed_scripts, visible_text

ODD = (
    "ab \n\t/⟨⟩U+\u202e\u200b\u2060\ufeff\u00ad\u00a0\u3000\ufe0f"
    "\U000e0041\U000e0101\x00\x1b\r\ue000"
)
TEXTS = st.text(alphabet=st.one_of(st.sampled_from(ODD + "\ud800❤中é\u200d"), st.characters()))
WRITTEN_OUT = re.compile("⟨U\\+([0-9A-F]{4,6})⟩")

HIDDEN = {
    "zero-width space": "\u200b",
    "zero-width joiner": "\u200d",
    "word joiner": "\u2060",
    "byte order mark": "\ufeff",
    "right-to-left override": "\u202e",
    "first strong isolate": "\u2068",
    "tag": "\U000e0061",
    "variation selector": "\ufe0f",
    "variation selector supplement": "\U000e0150",
    "soft hyphen": "\u00ad",
    "no-break space": "\u00a0",
    "hair space": "\u200a",
    "wide space": "\u3000",
    "line separator": "\u2028",
    "escape": "\x1b",
    "NUL": "\x00",
    "carriage return alone": "\r",
    "private use": "\ue000",
    "lone surrogate": "\udc00",
    "Hangul filler": "\u3164",
    "blank Braille": "\u2800",
    "no character": "\uffff",
}


@pytest.mark.parametrize("letter", HIDDEN.values(), ids=list(HIDDEN))
def test_a_hidden_character_is_written_out_and_counted(letter: str) -> None:
    assert visible_text(f"rm {letter}x") == f"rm ⟨U+{ord(letter):04X}⟩x"
    assert count_hidden(f"rm {letter}x") == 1


@pytest.mark.parametrize(
    "text",
    [
        "plain words, `code` and $5\r\n\tindented\n",
        "中文段落，带“引号”和——破折号。",
        "\u3000\u3000首行缩进，全角\u3000空格",
        "Grüße, naïve café, Привет, שלום, مرحبا",
        "done ✅ ❤️ 👩‍💻 👍🏽 1️⃣",
    ],
)
def test_what_people_can_see_is_left_as_it_is(text: str) -> None:
    assert visible_text(text) == text
    assert count_hidden(text) == 0


def test_a_mark_that_the_text_writes_itself_cannot_pass_for_ours() -> None:
    assert visible_text("⟨U+202E⟩") == "⟨U+27E8⟩U+202E⟩"
    assert count_hidden("⟨U+202E⟩") == 0


@given(TEXTS)
@example("⟨U+27E8⟩")
def test_nothing_is_lost(text: str) -> None:
    def read_back(match: re.Match[str]) -> str:
        return chr(int(match[1], 16))

    assert WRITTEN_OUT.sub(read_back, visible_text(text)) == text


@given(TEXTS)
def test_what_is_shown_can_be_sent_and_holds_nothing_that_turns_its_direction(text: str) -> None:
    shown = visible_text(text)
    shown.encode("utf-8")
    assert "\x00" not in shown
    for letter in shown:
        assert unicodedata.bidirectional(letter) not in {"LRO", "RLO", "LRE", "RLE", "RLI", "LRI"}


@given(TEXTS)
def test_no_hidden_character_is_left_uncounted(text: str) -> None:
    written_out = len(WRITTEN_OUT.findall(visible_text(text)))
    posing = len(re.findall("⟨(?=U\\+)", text))
    assert count_hidden(text) == written_out - posing


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("open pаypal.com now", ["pаypal"]),
        ("run ѕudo, then ѕudo", ["ѕudo"]),
        ("https://gοοgle.com/x", ["gοοgle"]),
        ("notes／../secret.md", ["notes／../secret.md"]),
        ("https://ｅxample.com", ["https://ｅxample.com"]),
        ("file.\u2024/x", ["file.\u2024/x"]),
    ],
)
def test_letters_that_pass_for_others_are_named(text: str, words: list[str]) -> None:
    assert mixed_scripts(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "API接口在 notes/接口.md，见 https://example.com/文档",
        "Δt is 5 μs at 3 kΩ, naïve café",
        "Привет и API, файл readme.md",
        "地址：https://example.com，共 ３ 个",
        "ＡＢＣ 是全角",
    ],
)
def test_honest_words_are_not_named(text: str) -> None:
    assert mixed_scripts(text) == []


@given(st.text())
def test_any_text_can_be_asked_about(text: str) -> None:
    assert all(word in text for word in mixed_scripts(text))
