"""What a terminal shows of a discussion, event by event."""

import dataclasses
import io
import typing
from typing import Literal

import pytest
from rich.cells import cell_len
from rich.console import Console

from meetmind.cli.chat_lines import print_round_review, show_event
from meetmind.cli.terminal import Terminal
from meetmind.cli.transcript import Transcript
from meetmind.events import (
    BriefRewritten,
    BudgetChanged,
    DiscussionEvent,
    FloorTaken,
    GuardActed,
    HandedOver,
    IntentRecognised,
    ModelFellBack,
    ModelHeld,
    ModelRetried,
    PassageEvidence,
    PauseAsked,
    PersonSpoke,
    Point,
    QuestionAnswered,
    QuestionAsked,
    RouteChosen,
    RunEnded,
    RunPaused,
    RunResumed,
    RunStarted,
    RunWaiting,
    Stance,
    TalkCompacted,
    ToolAskedAgain,
    ToolDecided,
    ToolFinished,
    ToolRequested,
    ToolsUnavailable,
    ToolUndone,
    UtteranceEnded,
    WordsArrived,
    WordsWithdrawn,
)
from meetmind.i18n.translate import Language, translate

PASSAGE = PassageEvidence(
    passage_id="backend_ab12cd34ef56",
    agent_name="backend",
    title="幂等性规范 Idempotency rules",
    source="idempotency.md",
    locator="§ 2",
    language="zh",
    content="同一个幂等键 72 小时内只处理一次。",
    rank=1,
    coverage=0.8,
)
UTTERANCE = UtteranceEnded(
    utterance_id="run.1.backend",
    agent_name="backend",
    iteration=1,
    content="回调会重复到达，键保留 72 小时 [backend_ab12cd34ef56]。"
    "Made up [backend_000000000000]. [bold red]No markup[/bold red].",
    next_agent="tester",
    done=False,
    used_rag=2,
    stances=(Stance(point_id="p1", stance="object", why="72 小时不够"),),
    points=(Point(id="p1", question="键要保留多久？"),),
    evidence=(PASSAGE,),
)
EVENTS: list[DiscussionEvent] = [
    RunStarted(
        brief="支付回调",
        mode="auto",
        language="zh",
        model_name="m",
        offline=True,
        max_iterations=15,
    ),
    BriefRewritten(rewritten_query="支付回调去重", expansion_terms=(), fell_back=False),
    IntentRecognised(intent="development_requirement", score=1, margin=1, rung="keyword"),
    RouteChosen(route="team", by="intent"),
    RouteChosen(route="assistant", by="person"),
    FloorTaken(utterance_id="run.1.backend", agent_name="backend", iteration=1),
    ToolRequested(
        utterance_id="run.1.backend",
        agent_name="backend",
        call_id="c1",
        tool="rag_search",
        risk="low",
        arguments={"query": "幂等键"},
        verdict="allowed",
    ),
    ToolFinished(
        utterance_id="run.1.backend",
        call_id="c1",
        tool="rag_search",
        status="ok",
        summary="",
        evidence=(PASSAGE,),
    ),
    ToolsUnavailable(utterance_id="run.1.backend"),
    ModelRetried(fault="no_such_fault", attempt=2, wait_seconds=1.25),
    WordsArrived(utterance_id="run.1.backend", text="回调"),
    WordsWithdrawn(utterance_id="run.1.backend"),
    UTTERANCE,
    HandedOver(from_agent="backend", to_agent="tester", by="role", reason="需要验收规则"),
    HandedOver(from_agent="tester", to_agent="architect", by="guard", guard="last_turn"),
    RunWaiting(call_ids=("c2",)),
    ToolAskedAgain(call_id="c2", preview="+one"),
    ToolUndone(call_id="c1", undone_by="lin"),
    ToolUndone(call_id="c2", undone_by="lin"),
    ToolDecided(call_id="c2", decision="rejected", decided_by="lin", reason="not now"),
    ToolFinished(
        utterance_id="run.2.tester", call_id="c2", tool="Write", status="rejected", summary=""
    ),
    RunResumed(reason="decision"),
    RunResumed(reason="cut_off"),
    RunResumed(reason="pause"),
    GuardActed(guard="same_speaker", utterance_id="run.2.tester", agent_name="tester"),
    PersonSpoke(message_id="m1", text="退款也要算进去 [bold]", said_by="lin", to_agent="tester"),
    PersonSpoke(message_id="m2", text="And refunds", said_by="lin"),
    QuestionAsked(
        utterance_id="run.2.tester",
        agent_name="tester",
        call_id="q1",
        question="键保留 24 还是 72 小时？",
        choices=("24 小时", "72 小时"),
        why="两份资料说法不同",
    ),
    QuestionAnswered(call_id="q1", answer="72 小时", answered_by="lin"),
    QuestionAnswered(call_id="q2", answer="", answered_by="lin"),
    PauseAsked(asked_by="lin"),
    PauseAsked(asked_by="lin", withdrawn=True),
    RunPaused(),
    BudgetChanged(
        max_iterations=20, max_tokens=90_000, max_minutes=30, max_cost=0.5, changed_by="lin"
    ),
    ModelHeld(fault="rate_limited", wait_seconds=12),
    ModelFellBack(fault="timeout", from_model="big", to_model="small"),
    TalkCompacted(
        summary_id="s",
        through_message_id="run.1.backend",
        messages=2,
        tokens_before=1200,
        tokens_after=300,
        by="person",
    ),
    RunEnded(status="done", reason="closed_by_architect"),
]


def printed(events: list[DiscussionEvent], language: Language = "en", width: int = 100) -> str:
    output = io.StringIO()
    terminal = Terminal(Console(file=output, width=width, highlight=False))
    transcript = Transcript()
    for event in events:
        show_event(terminal, transcript, event, language)
    print_round_review(terminal, transcript, language)
    return output.getvalue()


def test_every_kind_of_event_is_in_this_test() -> None:
    union, _ = typing.get_args(DiscussionEvent)
    assert {type(event) for event in EVENTS} == set(typing.get_args(union))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [20, 33, 60, 80, 133])
def test_a_whole_run_fits_any_width_in_both_languages(language: Language, width: int) -> None:
    for line in printed(EVENTS, language, width).split("\n"):
        assert cell_len(line) <= width


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_text_is_in_the_catalogue(language: Language) -> None:
    text = printed(EVENTS, language)

    for section in ("cli.", "quiet.", "step.", "talk.", "guard.", "end.", "role.", "approval."):
        assert section not in text
    for section in ("question.", "budget.", "boundary.", "stance.", "fault_short."):
        assert section not in text


def test_citations_are_numbered_and_made_up_ones_go() -> None:
    text = printed([UTTERANCE])

    assert "键保留 72 小时 [1]。" in text
    assert "[1] 幂等性规范 Idempotency rules · idempotency.md · § 2" in text
    assert "backend_" not in text


def test_nothing_that_a_model_says_is_taken_for_markup() -> None:
    assert "[bold red]No markup[/bold red]" in printed([UTTERANCE])


def test_an_utterance_says_who_speaks_and_where_it_stands() -> None:
    text = printed([UTTERANCE], "zh")

    assert "后端工程师" in text
    assert "键要保留多久？: 反对 — 72 小时不够" in text


def test_the_review_has_a_line_a_turn_and_the_end() -> None:
    text = printed([UTTERANCE, EVENTS[-1]])

    assert "The discussion at a glance" in text
    assert "Backend engineer" in text
    assert "The architect closed the discussion" in text


def test_a_failed_model_is_one_sentence() -> None:
    failed = RunEnded(status="failed", reason="model_failed", fault="no_such_fault")

    sentence = translate("end.model_failed", "en", fault=translate("fault.model", "en"))
    assert sentence in printed([failed], width=300)


def test_a_refused_call_says_why() -> None:
    refused = ToolRequested(
        utterance_id="u",
        agent_name="backend",
        call_id="c",
        tool="Write",
        risk="high",
        arguments={},
        verdict="refused",
        reason="Give a path inside the workspace.",
        code="outside",
    )

    assert "Write: not allowed — The path leads out of the discussion's folder." in printed(
        [refused]
    )
    assert "Give a path" not in printed([refused], "zh")


@pytest.mark.parametrize(
    ("status", "error_code", "summary", "line"),
    [
        ("error", "no_such_file", "There is no file 'a.md'.", "Read: 失败 — 没有这个文件。"),
        ("error", "never_heard_of", "It broke.", "Read: 失败 — 工具没能完成这项操作。"),
        ("ok", "", "a.md, lines 1-40 of 50", "Read: 第 1 至 40 行，共 50 行"),
    ],
)
def test_how_a_call_ended_is_told_in_the_readers_language(
    status: Literal["ok", "error"], error_code: str, summary: str, line: str
) -> None:
    finished = ToolFinished(
        utterance_id="u",
        call_id="c",
        tool="Read",
        status=status,
        summary=summary,
        error_code=error_code,
    )

    assert line in printed([finished], "zh")


@pytest.mark.parametrize(
    "line",
    [
        "你 (对测试工程师说)",
        "测试工程师想问你",
        "2. 72 小时",
        "lin 的回答：72 小时",
        "lin 没有回答，留待以后",
        "lin 修改了预算：最多发言 20 次、最多 90,000 个 token、最多工作 30 分钟、费用最多 0.5000",
        "讨论已暂停，已有的发言都会保留。",
        "以上内容已为模型生成摘要 (2 条发言 · 1,200 → 300 个 token)",
    ],
)
def test_what_people_do_to_a_discussion_is_a_line_each(line: str) -> None:
    assert line in printed(EVENTS, "zh", 200)


def test_a_change_of_mind_and_what_would_resolve_an_objection_stand_below_the_stance() -> None:
    stance = Stance(
        point_id="p1",
        stance="object",
        why="too short",
        resolves_if="it is 72 hours",
        changed_because="the tester showed a late callback",
    )
    text = printed([dataclasses.replace(UTTERANCE, stances=(stance,))])

    assert "has changed its mind: the tester showed a late callback" in text
    assert "would be settled if it is 72 hours" in text
