"""A summary from a talk's own sentences: what it keeps, in both languages and over again."""

import pytest

from meetmind.llm.offline.compaction import (
    CallOutcome,
    FoldedTalk,
    extractive_summary,
    facts_left_out,
)
from meetmind.llm.offline.talk_sentences import SaidWords
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
