"""Every guard on a few utterances: what it finds, and what it leaves alone."""

from collections.abc import Sequence
from typing import Any

import pytest

from meetmind.events import Point, Stance, UtteranceEnded
from meetmind.graph.guards.circles import going_in_circles, one_voice
from meetmind.graph.guards.claims import never_looked_up
from meetmind.graph.guards.closing import closing_refusal, insists, with_points_recorded
from meetmind.graph.guards.courtesy import is_only_courtesy, thanks_loop
from meetmind.graph.guards.finding import Finding, RunTerms
from meetmind.graph.guards.likeness import share_said
from meetmind.graph.guards.minds import changed_without_cause, objection_without_way_out
from meetmind.graph.guards.movement import turns_without_movement
from meetmind.graph.guards.notes import guard_notes
from meetmind.graph.guards.repetition import already_said
from meetmind.graph.guards.review import review

TERMS = RunTerms(brief="Build a returns page", max_iterations=15)
P1 = Point(id="P1", question="How long?")


def utterance(name: str, content: str = "Word.", **changes: Any) -> UtteranceEnded:
    values: dict[str, Any] = {
        "utterance_id": f"run.{name}",
        "agent_name": name,
        "iteration": 0,
        "content": content,
        "next_agent": "",
        "done": False,
        "used_rag": 1,
    }
    values.update(changes)
    return UtteranceEnded(**values)


def spoken(*names: str) -> list[UtteranceEnded]:
    return [utterance(name, f"The {place}th word of it all.") for place, name in enumerate(names)]


def stands(kind: str, **details: str) -> tuple[Stance, ...]:
    return (Stance(point_id="P1", stance=kind, why="so", **details),)  # type: ignore[arg-type]


def name_of(finding: Finding | None) -> str:
    return "" if finding is None else finding.guard


@pytest.mark.parametrize(
    "text",
    [
        "Thank you all, great work!",
        "Thanks, Product manager, excellent point!",
        "I totally agree with you, well said.",
        "谢谢大家，说得很好！",
        "非常感谢后端同事的宝贵意见，完全同意。",
        "Great discussion, looking forward to working with everyone.",
    ],
)
def test_politeness_alone_is_recognised(text: str) -> None:
    assert is_only_courtesy(utterance("backend", text))


@pytest.mark.parametrize(
    "text",
    [
        "Agreed: the window stays at 14 days.",
        "Thanks. The gate then needs a second reviewer on Mondays.",
        "感谢架构师。退货期限是签收后十四天。",
        "同意，但第十五天的用例要补上。",
        "I have nothing on this in my documents.",
        "Great, but the payment provider blocks partial refunds.",
    ],
)
def test_politeness_with_substance_is_none(text: str) -> None:
    assert not is_only_courtesy(utterance("backend", text))


def test_the_second_courtesy_within_three_turns_is_a_loop() -> None:
    thanks = utterance("backend", "Thank you, great point!")
    assert thanks_loop([utterance("architect"), thanks]) is None
    assert name_of(thanks_loop([thanks, utterance("tester"), thanks])) == "thanks_loop"
    assert thanks_loop([thanks, utterance("a"), utterance("b"), thanks]) is None


def test_a_vote_with_a_polite_word_is_no_loop_but_the_same_vote_again_is() -> None:
    backend = utterance("backend", "Agreed, thank you.", stances=stands("agree"))
    tester = utterance("tester", "I agree, great point.", stances=stands("agree"))
    assert thanks_loop([backend, tester]) is None
    assert name_of(thanks_loop([backend, tester, backend, tester])) == "thanks_loop"


def test_two_roles_go_in_circles_only_while_nothing_moves() -> None:
    names = ["architect", "frontend", "backend", "tester", "backend", "tester", "backend"]
    still = spoken(*names)
    assert name_of(going_in_circles(still, "tester")) == "going_in_circles"
    assert going_in_circles(still, "frontend") is None
    moving = [*still[:-1], utterance("backend", cited_ids=("backend_000000000001",))]
    assert going_in_circles(moving, "tester") is None


def test_three_roles_go_in_circles() -> None:
    three = ["backend", "frontend", "tester"] * 3
    between_two = ["architect", "backend", "architect", "tester"] * 3
    assert name_of(going_in_circles(spoken(*between_two), "architect")) == "three_in_circles"
    assert name_of(going_in_circles(spoken(*three), "backend")) == "three_in_circles"
    assert going_in_circles(spoken(*three), "product_manager") is None


def test_one_voice_in_every_second_turn_is_found_but_for_the_architect() -> None:
    names = ["architect", "frontend", "tester", "product_manager", "frontend"]
    every_second = []
    for name in names:
        every_second += ["backend", name]
    talk = spoken(*every_second)
    assert name_of(one_voice(talk, "backend")) == "one_voice"
    assert one_voice(talk, "architect") is None


def test_the_same_words_again_are_found_in_both_languages() -> None:
    english = "Returns are taken back within fourteen days of delivery."
    chinese = "退货期限是签收后十四天，超过期限由客服处理。"
    for text in (english, chinese):
        talk = [utterance("backend", text), utterance("tester"), utterance("backend", text)]
        found = already_said(talk)
        assert name_of(found) == "already_said"
        assert found is not None
        assert found.details["said_by"] == "backend"


def test_new_numbers_a_quotation_and_new_evidence_are_no_repetition() -> None:
    said = "Does the returns gate hold when 20 parcels arrive in one day?"
    before = [utterance("backend", said), utterance("tester")]
    assert already_said([*before, utterance("backend", said.replace("20", "500"))]) is None
    quoting = f"Backend asks “{said}”, which the suite cannot tell."
    assert already_said([*before, utterance("tester", quoting)]) is None
    with_evidence = utterance("backend", said, cited_ids=("backend_000000000001",))
    assert already_said([*before, with_evidence]) is None


def test_likeness_counts_han_text_by_two_characters() -> None:
    assert share_said("退货期限十四天", "退货期限十四天。") == 1.0
    assert share_said("退货期限十四天", "页面颜色改成蓝色") == 0.0


@pytest.mark.parametrize(
    "claim",
    [
        "Refunds take 7 working days.",
        "Every parcel must be scanned twice.",
        "退款需要 7 天到账。",
        "每个包裹必须扫描两次。",
        "The fee is $12.",
    ],
)
def test_facts_without_a_search_are_claims(claim: str) -> None:
    talk = [utterance("architect"), utterance("tester", claim, used_rag=0)]
    assert name_of(never_looked_up(talk, "A brief")) == "never_looked_up"
    searched = [utterance("architect"), utterance("tester", claim)]
    assert never_looked_up(searched, "A brief") is None


@pytest.mark.parametrize(
    "harmless",
    [
        "Must the window hold on weekends?",
        "We must ask the tester first.",
        "The 30 days of the brief are a lot.",
        "退款要几天？",
        "我们必须先问测试。",
        "Nothing in my documents.",
    ],
)
def test_questions_plans_and_the_numbers_of_the_brief_are_none(harmless: str) -> None:
    talk = [utterance("architect"), utterance("tester", harmless, used_rag=0)]
    assert never_looked_up(talk, "A window of 30 days") is None


def test_an_objection_without_a_way_out_counts_as_a_question() -> None:
    bare = utterance("backend", stances=stands("object"))
    assert name_of(objection_without_way_out([bare])) == "objection_without_way_out"
    assert bare.stances[0].counts_as == "question"
    whole = utterance("backend", stances=stands("object", resolves_if="it is shorter"))
    assert objection_without_way_out([whole]) is None


def test_a_made_up_mind_changes_only_with_a_cause() -> None:
    agreed = utterance("backend", stances=stands("agree"))
    asked = utterance("backend", stances=stands("question"))
    now_against = stands("object", resolves_if="x")
    assert name_of(changed_without_cause([agreed, utterance("backend", stances=now_against)])) == (
        "changed_without_cause"
    )
    with_cause = stands("object", resolves_if="x", changed_because="new figures")
    assert changed_without_cause([agreed, utterance("backend", stances=with_cause)]) is None
    assert changed_without_cause([asked, agreed]) is None


def closing(point: Point | None, *before: UtteranceEnded) -> list[UtteranceEnded]:
    points = () if point is None else (point,)
    return [*before, utterance("architect", "Done.", done=True, points=points)]


HEARD = (utterance("architect", points=(P1,)), utterance("backend"), utterance("tester"))
AGAINST = utterance("tester", stances=stands("object", resolves_if="the suite changes"))


@pytest.mark.parametrize(
    ("point", "before", "guard"),
    [
        (Point(id="P1", question="?", state="settled"), HEARD, ""),
        (Point(id="P1", question="?", state="settled"), HEARD[:2], "closing_too_early"),
        (P1, HEARD, "points_still_open"),
        (Point(id="P1", question="?", state="recorded_open"), HEARD, "open_without_reason"),
        (
            Point(id="P1", question="?", state="recorded_open", reason="no figures yet"),
            HEARD,
            "",
        ),
        (
            Point(id="P1", question="?", state="recorded_open", reason="缺少春季数据"),
            HEARD,
            "",
        ),
        (
            Point(id="P1", question="?", state="settled"),
            (*HEARD[:2], AGAINST),
            "settled_over_objection",
        ),
        (
            Point(id="P1", question="?", state="settled", reason="the suite is changed first"),
            (*HEARD[:2], AGAINST),
            "",
        ),
        (None, HEARD[1:], "points_not_framed"),
    ],
)
def test_what_keeps_the_architect_from_closing(
    point: Point | None, before: Sequence[UtteranceEnded], guard: str
) -> None:
    assert name_of(closing_refusal(closing(point, *before), TERMS)) == guard


def test_points_that_the_run_before_left_open_count_too() -> None:
    carried = RunTerms(brief="x", max_iterations=15, carried_points=(Point(id="P9", question="?"),))
    settled = closing(Point(id="P1", question="?", state="settled"), *HEARD)
    assert name_of(closing_refusal(settled, carried)) == "points_still_open"


def test_the_third_refused_closing_is_taken_and_the_program_records_what_is_open() -> None:
    talk = [*HEARD]
    for _ in range(2):
        talk = [*closing(P1, *talk), utterance("backend")]
        assert not insists(talk[:-1], TERMS)
    third = utterance("architect", "Done.", done=True, points=(P1,))
    recorded = with_points_recorded(talk, third, TERMS, language="zh")
    assert recorded.points[0].state == "recorded_open"
    assert recorded.points[0].reason
    judged = review([*talk, recorded], TERMS)
    assert judged.ended_by == "closed_with_open_points"
    moved = utterance("architect", done=True, points=(Point(id="P2", question="?"),))
    assert with_points_recorded(talk, moved, TERMS, language="zh") == moved


def test_movement_is_evidence_a_stance_a_state_or_a_new_voice_but_no_turning_back() -> None:
    agree = utterance("backend", stances=stands("agree"))
    against = utterance("backend", stances=stands("object", resolves_if="x"))
    talk = [utterance("architect", points=(P1,)), agree, against]
    assert turns_without_movement(talk) == 0
    assert turns_without_movement([*talk, agree]) == 1
    assert turns_without_movement([*talk, agree, utterance("architect", points=(P1,))]) == 2
    settled = utterance("architect", points=(Point(id="P1", question="?", state="settled"),))
    assert turns_without_movement([*talk, agree, settled]) == 0
    answering = utterance("backend", "As before.", answers_person=True)
    assert turns_without_movement([*talk, agree, answering]) == 0


def test_a_standstill_ends_only_where_a_guard_has_acted() -> None:
    names = ["architect", "backend", "frontend", "tester", "product_manager"]
    heard = [utterance(name, f"The {name} begins.", next_agent="tester") for name in names]
    quiet = [utterance(name, f"Still {name}.", next_agent="tester") for name in names[:3]]
    more = [utterance("architect", "Nothing comes.", next_agent="backend") for _ in range(3)]
    assert not review([*heard, *quiet, *more], TERMS).is_stuck
    selfish = utterance("backend", "Again me.", next_agent="backend")
    assert not review([*heard, selfish, *more[:2]], TERMS).is_stuck
    assert review([*heard, selfish, *more], TERMS).ended_by == "going_in_circles"


def test_every_finding_has_its_sentences_for_the_model() -> None:
    thanks = utterance("backend", "Thank you, great point!")
    notes = guard_notes([utterance("architect"), thanks, thanks], "backend", TERMS)
    assert notes == (
        "Your last turn was only polite. Say something that settles a point: a passage, a stance "
        "or a question.",
    )
    assert guard_notes([utterance("architect"), thanks, thanks], "tester", TERMS)
    assert guard_notes([], "architect", TERMS) == ()
