"""Whole discussions on passages in memory: who speaks, what is quoted, where roles disagree."""

import re
from collections.abc import Sequence

import pytest

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.llm.tool_envelopes import PromptPassage
from tests.support.bike_rental import (
    BRIEF,
    CHINESE_BRIEF,
    UNKNOWN_BRIEF,
    bike_passages,
)
from tests.support.offline_meeting import Meeting, Spoken
from tests.support.seed_passages import make_passage

QUOTE = re.compile(
    r"(?:“([^“”]+)”|「([^「」]+)」)(?: \([^)]*\)|（[^）]*）)? ?\[([a-z_]+_[0-9a-f]{12})\]"
)
SAYS_NOTHING = {"en": "holds nothing on this", "zh": "资料库里没有与"}
BRIEFS = [(BRIEF, "en"), (CHINESE_BRIEF, "zh")]


def discussion(
    brief: str = BRIEF,
    language: str = "en",
    passages: Sequence[PromptPassage] | None = None,
    **options: object,
) -> Meeting:
    known = bike_passages() if passages is None else passages
    return Meeting(passages=known, brief=brief, language=language, **options).play()  # type: ignore[arg-type]


def without(role: str) -> list[PromptPassage]:
    return [passage for passage in bike_passages() if passage.agent_name != role]


def says_nothing(spoken: Spoken, language: str) -> bool:
    own = [passage for passage in spoken.cited if passage.agent_name == spoken.role]
    return not own and SAYS_NOTHING[language] in spoken.content


@pytest.mark.parametrize(("brief", "language"), BRIEFS)
def test_all_five_speak_and_the_architect_closes(brief: str, language: str) -> None:
    meeting = discussion(brief, language)
    assert set(meeting.order) == set(AGENT_NAMES)
    assert meeting.order[0] == meeting.order[-1] == "architect"
    assert len(meeting.order) <= 12
    assert meeting.utterances[-1].output["done"]
    assert not any(spoken.output["done"] for spoken in meeting.utterances[:-1])


@pytest.mark.parametrize(("brief", "language"), BRIEFS)
def test_every_quote_stands_word_for_word_in_the_passage_it_cites(
    brief: str, language: str
) -> None:
    content_by_id = {passage.passage_id: passage.content for passage in bike_passages()}
    for spoken in discussion(brief, language).utterances:
        quotes = QUOTE.findall(spoken.content)
        assert quotes
        for english, chinese, passage_id in quotes:
            assert (english or chinese) in content_by_id[passage_id]


@pytest.mark.parametrize(("brief", "language"), BRIEFS)
def test_every_utterance_cites_its_own_table(brief: str, language: str) -> None:
    for spoken in discussion(brief, language).utterances:
        assert any(passage.agent_name == spoken.role for passage in spoken.cited), spoken.role


def test_the_opening_names_the_points_of_the_brief() -> None:
    opening = discussion().utterances[0]
    points = opening.output["points"]
    assert 2 <= len(points) <= 4
    for point in points:
        assert point["question"] in opening.content
        assert point["state"] == "open"


@pytest.mark.parametrize(("brief", "language"), BRIEFS)
def test_contradicting_documents_are_objected_to(brief: str, language: str) -> None:
    meeting = discussion(brief, language)
    objections = []
    for spoken in meeting.utterances[:-1]:
        objecting = [s for s in spoken.output["stances"] if s["stance"] == "object"]
        if objecting and spoken.role in ("tester", "product_manager"):
            objections.append((spoken, objecting[0]))
    assert objections
    spoken, stance = objections[0]
    assert {"tester", "product_manager"} <= {passage.agent_name for passage in spoken.cited}
    assert "3" in stance["resolves_if"]
    assert "10" in stance["resolves_if"]


def test_whoever_is_objected_to_answers_next() -> None:
    meeting = discussion()
    for place, spoken in enumerate(meeting.utterances[:-2]):
        stances = [stance["stance"] for stance in spoken.output["stances"]]
        answered_already = "against" not in spoken.output["handover_reason"]
        if "object" in stances and not answered_already:
            answer = meeting.utterances[place + 1]
            assert answer.role in ("tester", "product_manager")
            assert answer.output["stances"][0]["stance"] == "object"
            return
    pytest.fail("nobody objected")


def test_the_contested_point_stays_open_and_the_summary_names_both_sides() -> None:
    closing = discussion().utterances[-1]
    states = {point["id"]: point["state"] for point in closing.output["points"]}
    assert "recorded_open" in states.values()
    assert "open" not in states.values()
    assert "3 days" in closing.content
    assert "10 days" in closing.content


def test_no_sentence_is_quoted_as_new_twice() -> None:
    seen: set[str] = set()
    for spoken in discussion().utterances[:-1]:
        for line in spoken.content.splitlines():
            if not line.startswith("- Point"):
                continue
            quoted = QUOTE.findall(line)[0][0]
            assert quoted not in seen
            seen.add(quoted)


@pytest.mark.parametrize("emptied", AGENT_NAMES)
@pytest.mark.parametrize(("brief", "language"), BRIEFS)
def test_with_an_empty_table_exactly_that_role_says_so(
    emptied: str, brief: str, language: str
) -> None:
    full = discussion(brief, language)
    meeting = discussion(brief, language, without(emptied))
    silent = {s.role for s in meeting.utterances if says_nothing(s, language)}
    assert silent == {emptied}
    assert hand_overs(meeting) != hand_overs(full)
    assert meeting.utterances[-1].output["done"]


def hand_overs(meeting: Meeting) -> list[tuple[str, str, str]]:
    return [
        (spoken.role, spoken.output["next_agent"], spoken.output["handover_reason"])
        for spoken in meeting.utterances
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_brief_that_no_table_knows_ends_at_once_and_says_so(language: str) -> None:
    brief = UNKNOWN_BRIEF if language == "en" else "怎样在冬天的阳台上种番茄？"
    meeting = discussion(brief, language)
    assert meeting.order == ["architect"]
    opening = meeting.utterances[0]
    assert opening.output["done"]
    assert opening.written == ()
    expected = "None of the five tables" if language == "en" else "五个资料库里都没有"
    assert expected in opening.content


def test_with_no_passages_at_all_the_discussion_ends_at_once() -> None:
    assert discussion(passages=[]).order == ["architect"]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 6, 7, 8, 15])
def test_the_discussion_fits_into_any_number_of_turns(limit: int) -> None:
    meeting = discussion(turn_limit=limit)
    assert len(meeting.order) <= min(limit, 12)
    if limit >= 3:
        assert meeting.utterances[-1].role == "architect"
        assert meeting.utterances[-1].output["done"]


def test_the_summary_is_asked_for_once_and_holds_rules_and_sources() -> None:
    meeting = discussion()
    written = [call for spoken in meeting.utterances for call in spoken.written]
    assert len(written) == 1
    assert written[0]["path"].startswith("summary-")
    assert written[0]["path"].endswith(".md")
    assert written[0]["why"]
    for heading in (
        "## What the documents already lay down",
        "## Objections",
        "## Open points",
        "## Next steps",
        "## Sources",
    ):
        assert heading in written[0]["content"]
    assert BRIEF in written[0]["content"]


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        ("ok", "The summary is written: summary-"),
        ("rejected", "not written, because the person rejected it"),
        ("refused", "the request was refused"),
        ("error", "could not be written"),
        ("unsure", "not certain whether"),
    ],
)
def test_the_closing_says_what_became_of_the_file(decision: str, words: str) -> None:
    closing = discussion(decision=decision).utterances[-1]
    assert words in closing.content
    assert closing.output["done"]


def test_the_same_discussion_is_played_the_same_way_every_time() -> None:
    one, other = discussion(), discussion()
    assert [spoken.output for spoken in one.utterances] == [
        spoken.output for spoken in other.utterances
    ]


def test_different_briefs_lead_to_different_orders() -> None:
    briefs = [
        BRIEF,
        "What happens when a payment callback arrives twice?",
        "Where does the cancel button of a booking stand on the phone?",
        "What does a day ticket cost on Sundays?",
    ]
    orders = {tuple(discussion(brief).order) for brief in briefs}
    assert len(orders) >= 3


def test_a_later_run_does_not_count_earlier_speakers_as_heard() -> None:
    talk = (("person", BRIEF), ("architect", "An earlier word."), ("backend", "Another one."))
    meeting = discussion(earlier_talk=talk)
    assert meeting.order == discussion().order


def test_names_and_sentences_are_in_the_language_of_the_brief() -> None:
    for spoken in discussion(CHINESE_BRIEF, "zh").utterances:
        without_quotes = re.sub("“[^”]+”", "", QUOTE.sub("", spoken.content))
        without_path = re.sub(r"summary-\S+\.md", "", without_quotes)
        assert re.findall(r"[A-Za-z]{4,}", without_path) == []


def test_the_architect_names_a_clash_that_its_search_over_all_tables_shows() -> None:
    rival = make_passage(
        "architect",
        "Limit of refunds",
        "The deposit of a cancelled booking is refunded within 30 days.",
    )
    opening = discussion(passages=[*bike_passages(), rival]).utterances[0]
    assert [stance["stance"] for stance in opening.output["stances"]][:1] == ["object"]
    assert "30 days" in opening.content


def test_the_summary_lists_contested_points_as_open_and_sources_with_titles() -> None:
    written = next(call for spoken in discussion().utterances for call in spoken.written)
    open_points = written["content"].split("## Open points")[1].split("## Next steps")[0]
    assert "3 days" in open_points
    assert "10 days" in open_points
    sources = written["content"].split("## Sources")[1]
    assert "Tester: Acceptance of refunds" in sources


@pytest.mark.parametrize(("brief", "language"), BRIEFS)
def test_nobody_agrees_on_a_point_once_two_documents_stand_against_each_other(
    brief: str, language: str
) -> None:
    contested: set[str] = set()
    for spoken in discussion(brief, language).utterances:
        stances = spoken.output["stances"]
        agreed = {stance["point_id"] for stance in stances if stance["stance"] == "agree"}
        assert not agreed & contested, spoken.role
        contested |= {s["point_id"] for s in stances if s["stance"] == "object"}


def test_a_rule_that_leaves_out_half_of_a_point_does_not_settle_it() -> None:
    passage = make_passage(
        "backend", "Bookings", "A paid booking must be cancelled by the customer within 5 hours."
    )
    brief = "Let customers cancel an unpaid booking on the phone and release the bicycle at once."
    closing = discussion(brief, passages=[passage]).utterances[-1]
    states = {point["state"] for point in closing.output["points"]}
    assert states == {"recorded_open"}


def test_a_quote_in_the_other_language_gives_way_to_one_that_is_as_good() -> None:
    for spoken in discussion(CHINESE_BRIEF, "zh").utterances[:-1]:
        listed = [line for line in spoken.content.splitlines() if line.startswith("- 议题")]
        assert not any("（原文为英文）" in line for line in listed), spoken.role


def test_a_role_does_not_agree_with_a_claim_that_its_own_passage_contradicts() -> None:
    for spoken in discussion().utterances:
        for paragraph in spoken.content.split("\n\n"):
            agrees = re.search(r"speaks against|contradict|against it", paragraph)
            if agrees and spoken.role in ("tester", "product_manager"):
                assert "within 3 days" not in paragraph
                assert "within 10 days" not in paragraph
