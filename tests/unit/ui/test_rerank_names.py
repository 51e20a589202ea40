import pytest

from meetmind.config.retrieval_settings import PathWeight, RetrievalSettings
from meetmind.i18n.translate import Language, translate
from meetmind.search_trace import SkippedPath
from meetmind.ui import show_rerank_names
from meetmind.ui.show_rerank_names import settings_text, skipped_text


@pytest.fixture(autouse=True)
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    language: Language = "zh"

    def text(key: str, **values: str | int | float) -> str:
        return translate(key, language, **values)

    monkeypatch.setattr(show_rerank_names, "text", text)
    monkeypatch.setattr(show_rerank_names, "known_text", lambda section, name: name)


def test_a_question_that_no_model_read_is_told_in_a_sentence() -> None:
    skipped = SkippedPath(name="late", reason="question_unread")
    assert skipped_text(skipped) == "没有模型读过这个问题，所以没有按词元重排。"


def test_a_reason_without_a_sentence_stands_behind_a_colon_of_the_language() -> None:
    assert skipped_text(SkippedPath(name="late", reason="tired")) == "按词元重排：tired"


def test_only_paths_that_played_a_part_have_a_weight() -> None:
    weights = (PathWeight(path="words"), PathWeight(path="minilm"), PathWeight(path="e5"))
    settings = RetrievalSettings(embedding_models=(), rerank_model="", path_weights=weights)
    said = settings_text(settings, "zh", ("words", "e5_across"))
    assert "权重：词语 1、E5 1" in said
    assert "MiniLM" in settings_text(settings, "zh")
    assert "权重" not in settings_text(settings, "zh", ())
