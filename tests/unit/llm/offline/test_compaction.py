"""A summary from a talk's own sentences: what it keeps, in both languages and over again."""

import pytest

from meetmind.llm.offline.compaction import (
    CallOutcome,
    FoldedTalk,
    extractive_summary,
    facts_left_out,
)
from meetmind.llm.offline.fact_marks import marks_of
from meetmind.llm.offline.talk_sentences import SaidWords, sentences_of_talk
from meetmind.llm.token_counts import estimate_tokens
from tests.support.long_talk import BRIEFS, facts_within, talk_with_facts

REFUSED = CallOutcome(
    tool="web_fetch",
    target="https://example.org/tariffs",
    outcome="failed",
    message="TLS certificate has expired (2 days ago)",
    next_step="rag_search",
)
WRITTEN = CallOutcome(tool="Write", target="docs/plan.md", outcome="written")


def folded(language: str, tokens: int = 9_000) -> FoldedTalk:
    utterances = talk_with_facts(language, tokens)
    talk = [SaidWords(by="backend", text=text) for text in utterances]
    return FoldedTalk(
        language=language,
        earlier_summary="",
        talk=(SaidWords(by="person", text=BRIEFS[language]), *talk),
        outcomes=(REFUSED, WRITTEN),
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_facts_stand_in_a_summary_of_a_fifth_of_the_length(language: str) -> None:
    summary = extractive_summary(folded(language), 1_800)
    assert estimate_tokens(summary) <= 1_800
    assert len(facts_within(language, summary)) >= 10
    assert BRIEFS[language] in summary


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_failure_keeps_its_exact_message_and_what_came_next(language: str) -> None:
    summary = extractive_summary(folded(language), 1_800)
    assert REFUSED.message in summary
    assert "rag_search" in summary
    assert "docs/plan.md" in summary


def test_headings_are_in_the_language_of_the_discussion() -> None:
    assert "## 决定" in extractive_summary(folded("zh"), 1_800)
    assert "## Decisions" in extractive_summary(folded("en"), 1_800)


def test_what_a_summary_kept_goes_on_into_the_next_one() -> None:
    first = extractive_summary(folded("en"), 1_800)
    later = talk_with_facts("en", 5_000)
    without_facts = [SaidWords(by="tester", text=_without_facts(text)) for text in later]
    again = FoldedTalk(language="en", earlier_summary=first, talk=tuple(without_facts))
    second = extractive_summary(again, 2_400)
    assert len(facts_within("en", second)) >= 9
    assert BRIEFS["en"] in second
    assert second.count("## Goal") == 1


def test_facts_that_a_model_lost_are_added_word_for_word() -> None:
    material = folded("en", 3_000)
    kept = facts_left_out(material, "They talked about shipping and tests.", 700)
    assert REFUSED.message in kept
    assert "docs/plan.md" in kept
    assert len(facts_within("en", kept)) >= 8
    everything = "\n".join(said.text for said in material.talk)
    assert REFUSED.message in facts_left_out(material, everything, 700)


def test_an_empty_talk_has_no_facts() -> None:
    nothing = FoldedTalk(language="en", earlier_summary="", talk=())
    assert facts_left_out(nothing, "", 500) == ""
    assert extractive_summary(nothing, 500).startswith("_")


def _without_facts(text: str) -> str:
    for fact in facts_within("en", text):
        text = text.replace(fact.sentence, "")
    return text


def test_files_of_any_kind_messages_and_refusals_show_without_their_usual_words() -> None:
    assert marks_of("The footer comes from partials/footer.mjml.").names_a_file
    bounced = marks_of('The first one came back: "550 5.7.1 Unauthenticated email".')
    assert bounced.is_failure
    assert bounced.quotes_message
    assert not marks_of('The button says "Note: bring your card along".').is_failure
    assert not marks_of("页面写着“标题：退货须知与常见问题”。").is_failure
    assert marks_of("不管市场怎么说，人脸识别不上。").is_rule
    assert marks_of("No tracking pixels, whatever marketing says.").is_rule
    assert "陈国栋" in marks_of("动名单之前先问陈国栋。").values


def test_what_was_done_about_an_exact_message_stands_with_it() -> None:
    talk = [SaidWords(by="tester", text='It said "card_declined: no funds". Another card went.')]
    assert sentences_of_talk(talk)[0].text.endswith("Another card went.")
