import re
from pathlib import Path

import pytest

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.errors import MeetMindError
from meetmind.i18n.translate import as_language, catalogue, has_text, translate

PLACEHOLDER = re.compile(r"{(\w+)}")
PROJECT = Path(__file__).resolve().parents[3]
USED_KEY = re.compile(r"""\btext\(\s*"([a-z_]+\.[a-z_0-9]+)\"""")


def test_both_languages_have_the_same_keys() -> None:
    assert set(catalogue("en")) == set(catalogue("zh"))


def test_a_text_has_the_same_placeholders_in_both_languages() -> None:
    different = []
    for key, english in catalogue("en").items():
        chinese = catalogue("zh")[key]
        if set(PLACEHOLDER.findall(english)) != set(PLACEHOLDER.findall(chinese)):
            different.append(key)
    assert different == []


def test_no_text_is_empty() -> None:
    for language in ("en", "zh"):
        assert all(text.strip() for text in catalogue(language).values())


def test_every_key_that_the_pages_name_exists() -> None:
    sources = [*PROJECT.glob("meetmind/ui/*.py"), *PROJECT.glob("pages/*.py")]
    named = set()
    for source in sources:
        named |= set(USED_KEY.findall(source.read_text(encoding="utf-8")))
    assert named
    assert sorted(key for key in named if not has_text(key)) == []


def test_every_error_has_a_sentence() -> None:
    codes = []
    waiting = [MeetMindError]
    while waiting:
        error = waiting.pop()
        codes.append(error.code)
        waiting.extend(error.__subclasses__())
    assert sorted(code for code in codes if not has_text(f"error.{code}")) == []


def test_every_role_has_a_title() -> None:
    for name in AGENT_NAMES:
        assert has_text(f"role.{name}")
        assert has_text(f"answers_for.{name}")


def test_placeholders_are_filled_and_missing_ones_stay() -> None:
    assert translate("talk.turn", "en", number=3) == "turn 3"
    assert translate("talk.turn", "en", other=3) == "turn {number}"


def test_an_unknown_key_is_shown_as_itself() -> None:
    assert translate("no.such_key", "zh") == "no.such_key"


@pytest.mark.parametrize(
    ("tag", "language"),
    [("zh-CN", "zh"), ("zh", "zh"), ("ZH-TW", "zh"), ("en-US", "en"), ("de", "en"), (None, "en")],
)
def test_the_language_follows_the_browser(tag: str | None, language: str) -> None:
    assert as_language(tag) == language


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    "word", ["node", "chunk", "checkpoint", "thread", "节点", "检查点", "线程"]
)
def test_no_text_speaks_of_the_machinery(language: str, word: str) -> None:
    for text in catalogue(as_language(language)).values():
        assert re.search(rf"\b{word}s?\b", text.lower()) is None
