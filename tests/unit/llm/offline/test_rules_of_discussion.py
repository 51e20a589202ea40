"""The offline model keeps the rules of the discussion, so that no guard ever has to act."""

import json
from pathlib import Path
from typing import Any

import pytest

from meetmind.agents.schemas import ModelOutput
from meetmind.agents.situation import current_points
from meetmind.agents.stances import on_known_points
from meetmind.graph.guards.finding import RunTerms
from meetmind.graph.guards.review import review
from meetmind.llm.offline.asking import names_no_subject
from tests.support.bike_rental import BRIEF, CHINESE_BRIEF, UNKNOWN_BRIEF, bike_passages
from tests.support.offline_meeting import Meeting
from tests.support.seed_passages import seed_passages

BRIEFS = Path(__file__).resolve().parents[3] / "data" / "offline_briefs.json"


def assert_no_guard_acts(meeting: Meeting) -> None:
    terms = RunTerms(brief=meeting.brief, max_iterations=meeting.turn_limit)
    events = meeting.as_events()
    for end in range(1, len(events) + 1):
        judged = review(events[:end], terms)
        told = [(found.guard, dict(found.details)) for found in judged.all_findings]
        assert not told, (meeting.brief, end, events[end - 1].agent_name, told)
        assert not judged.ended_by


@pytest.mark.parametrize(
    ("brief", "language"), [(BRIEF, "en"), (CHINESE_BRIEF, "zh"), (UNKNOWN_BRIEF, "en")]
)
def test_no_guard_acts_and_every_point_ends_with_its_reason(brief: str, language: str) -> None:
    meeting = Meeting(passages=bike_passages(), brief=brief, language=language).play()
    assert_no_guard_acts(meeting)
    for point in meeting.utterances[-1].output["points"]:
        assert point["state"] in ("settled", "recorded_open")
        assert point["reason"]


@pytest.mark.skipif(not seed_passages(), reason="the seed documents are not there")
def test_no_guard_acts_on_the_seed_documents() -> None:
    briefs: list[dict[str, Any]] = json.loads(BRIEFS.read_text(encoding="utf-8"))
    for brief in briefs[1::3]:
        meeting = Meeting(
            passages=seed_passages(), brief=brief["brief"], language=brief["language"]
        )
        assert_no_guard_acts(meeting.play())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_made_up_mind_names_what_changed_it(language: str) -> None:
    brief = BRIEF if language == "en" else CHINESE_BRIEF
    meeting = Meeting(passages=bike_passages(), brief=brief, language=language).play()
    earlier: dict[tuple[str, str], str] = {}
    for spoken in meeting.utterances:
        points = current_points(meeting.as_events())
        stances = ModelOutput.model_validate(spoken.output).stance_values()
        for stance in on_known_points(stances, points):
            before = earlier.get((spoken.role, stance.point_id))
            if before in ("agree", "object") and before != stance.stance:
                assert stance.changed_because
            if stance.stance == "object":
                assert stance.resolves_if
            earlier[spoken.role, stance.point_id] = stance.stance


def test_what_the_person_says_is_answered_first_with_a_quote() -> None:
    said = {1: "How long may a deposit refund take?"}
    meeting = Meeting(passages=bike_passages(), brief=BRIEF, said=said).play()
    answered = meeting.utterances[1]
    first = answered.content.split("\n\n")[0]
    assert "How long may a deposit refund take?" in first
    own = [passage for passage in answered.cited if passage.agent_name == answered.role]
    assert any(f"[{passage.passage_id}]" in first for passage in own) or "holds nothing" in first
    assert_no_guard_acts(meeting)


def test_what_no_table_knows_is_answered_with_the_plain_word() -> None:
    said = {2: "阳台上的番茄怎么种？"}
    meeting = Meeting(passages=bike_passages(), brief=CHINESE_BRIEF, language="zh", said=said)
    first = meeting.play().utterances[2].content.split("\n\n")[0]
    assert first == "对于你说的「阳台上的番茄怎么种？」，我的资料库里没有相关内容。"


@pytest.mark.parametrize(
    ("brief", "language", "answer"),
    [("Make it better", "en", BRIEF), ("优化一下", "zh", CHINESE_BRIEF)],
)
def test_a_brief_without_a_subject_is_asked_about_once(
    brief: str, language: str, answer: str
) -> None:
    meeting = Meeting(
        passages=bike_passages(), brief=brief, language=language, answer_to_question=answer
    ).play()
    asked = [call for call in meeting.read_calls if call[1] == "ask_person"]
    assert len(asked) == 1
    assert asked[0][0] == "architect"
    assert asked[0][2]["question"]
    assert len(meeting.order) > 2
    assert any(passage for spoken in meeting.utterances for passage in spoken.cited)
    assert_no_guard_acts(meeting)


def test_a_brief_with_a_subject_is_asked_about_never() -> None:
    meeting = Meeting(passages=bike_passages(), brief=BRIEF, answer_to_question="Never mind")
    meeting.play()
    assert not [call for call in meeting.read_calls if call[1] == "ask_person"]


@pytest.mark.parametrize(
    "text", ["Improve the checkout", "做一个退货页面", "How long are keys kept?"]
)
def test_a_subject_is_seen(text: str) -> None:
    assert not names_no_subject(text)
