"""The policy before any call."""

from typing import Any

import pytest
from langchain_core.tools import BaseTool, tool

from meetmind.events import Risk
from meetmind.tools.past_calls import PastCall, PastCalls, target_of
from meetmind.tools.policy import (
    MAX_ASKED_A_RUN,
    MAX_ASKED_A_TURN,
    MAX_CALLS_A_RUN,
    MAX_CALLS_A_TURN,
    Ruling,
    arguments_sha256,
    grant_scope,
    rule_on_call,
)
from meetmind.tools.rag_search_tool import rag_search_tool
from meetmind.tools.read_tool import read_tool
from meetmind.tools.tool_register import ToolRegister, all_tools, risk_of
from meetmind.tools.write_tool import write_tool

THIS_TURN = "run.1.backend"
EARLIER_TURN = "run.0.architect"


def past_call(
    used: BaseTool,
    arguments: dict[str, Any],
    status: str = "finished",
    *,
    error_code: str = "",
    utterance_id: str = THIS_TURN,
) -> PastCall:
    return PastCall(
        utterance_id=utterance_id,
        tool=used.name,
        sha256=arguments_sha256(used.name, arguments),
        target=target_of(arguments),
        risk=risk_of(used),
        status=status,
        error_code=error_code,
    )


def rule(used: BaseTool | None, arguments: dict[str, Any], *past: PastCall) -> Ruling:
    return rule_on_call(
        tool=used,
        tool_name="rm" if used is None else used.name,
        arguments=arguments,
        past=PastCalls(calls=past, utterance_id=THIS_TURN),
    )


def test_a_low_risk_call_is_allowed_and_a_high_one_asked_about() -> None:
    search = rule(rag_search_tool, {"query": "q"})
    write = rule(write_tool, {"path": "a.md", "content": "x"})
    assert (search.verdict, search.risk) == ("allowed", "low")
    assert (write.verdict, write.risk) == ("asked", "high")


def test_an_unknown_tool_is_refused_with_a_sentence() -> None:
    ruling = rule(None, {})
    assert ruling.verdict == "refused"
    assert "rm" in ruling.sentence


def test_arguments_that_do_not_fit_are_refused_and_named() -> None:
    ruling = rule(write_tool, {"path": "a.md"})
    assert ruling.code == "bad_arguments"
    assert "content" in ruling.sentence


def test_the_same_call_again_is_refused_whatever_its_reason_says() -> None:
    first = past_call(write_tool, {"path": "a", "content": "x", "why": "one"})
    again = {"content": "x", "path": "a", "why": "two"}
    assert rule(write_tool, again, first).code == "same_call_again"


def test_the_same_call_is_free_again_in_another_turn() -> None:
    arguments = {"query": "q"}
    earlier = past_call(rag_search_tool, arguments, utterance_id=EARLIER_TURN)
    assert rule(rag_search_tool, arguments, earlier).verdict == "allowed"


def test_a_call_that_failed_may_be_tried_once_more_and_not_a_third_time() -> None:
    arguments = {"path": "notes.md"}
    failed = past_call(read_tool, arguments, "failed", error_code="no_such_file")
    assert rule(read_tool, arguments, failed).verdict == "allowed"
    third = rule(read_tool, arguments, failed, failed)
    assert third.code == "failed_twice"
    assert "no_such_file" in third.sentence


def test_two_different_faults_are_not_the_same_way() -> None:
    arguments = {"path": "notes.md"}
    first = past_call(read_tool, arguments, "failed", error_code="no_such_file")
    second = past_call(read_tool, arguments, "failed", error_code="too_large")
    assert rule(read_tool, arguments, first, second).verdict == "allowed"


def test_another_file_may_be_tried_after_two_failures() -> None:
    failed = past_call(read_tool, {"path": "a.md"}, "failed", error_code="no_such_file")
    assert rule(read_tool, {"path": "b.md"}, failed, failed).verdict == "allowed"


def test_a_call_rejected_twice_is_refused_for_the_run() -> None:
    arguments = {"path": "a.md", "content": "x"}
    rejected = past_call(write_tool, arguments, "rejected", utterance_id=EARLIER_TURN)
    assert rule(write_tool, arguments, rejected).verdict == "asked"
    assert rule(write_tool, arguments, rejected, rejected).code == "rejected_twice"


def test_a_rejected_call_is_not_asked_again_in_the_same_turn() -> None:
    arguments = {"path": "a.md", "content": "x"}
    rejected = past_call(write_tool, arguments, "rejected")
    assert rule(write_tool, arguments, rejected).code == "same_call_again"


@pytest.mark.parametrize(
    ("count", "utterance_id", "code"),
    [
        (MAX_CALLS_A_TURN, THIS_TURN, "too_many_calls"),
        (MAX_CALLS_A_RUN, EARLIER_TURN, "too_many_calls_a_run"),
    ],
)
def test_turns_and_runs_have_a_bounded_number_of_calls(
    count: int, utterance_id: str, code: str
) -> None:
    earlier = [
        past_call(rag_search_tool, {"query": str(number)}, utterance_id=utterance_id)
        for number in range(count)
    ]
    assert rule(rag_search_tool, {"query": "one more"}, *earlier).code == code
    assert rule(rag_search_tool, {"query": "one more"}, *earlier[1:]).verdict == "allowed"


@pytest.mark.parametrize(
    ("count", "utterance_id"), [(MAX_ASKED_A_TURN, THIS_TURN), (MAX_ASKED_A_RUN, EARLIER_TURN)]
)
def test_a_person_is_asked_a_bounded_number_of_times(count: int, utterance_id: str) -> None:
    asked = [
        past_call(
            write_tool,
            {"path": f"{number}.md", "content": "x"},
            "pending",
            utterance_id=utterance_id,
        )
        for number in range(count)
    ]
    one_more = {"path": "more.md", "content": "x"}
    assert rule(write_tool, one_more, *asked).code == "too_many_questions"
    assert rule(write_tool, one_more, *asked[1:]).verdict == "asked"
    assert rule(rag_search_tool, {"query": "q"}, *asked).verdict == "allowed"


def test_refused_calls_count_as_calls_and_not_as_questions() -> None:
    refused = [
        past_call(write_tool, {"path": f"{number}.md", "content": "x"}, "refused", error_code="x")
        for number in range(MAX_ASKED_A_TURN)
    ]
    assert rule(write_tool, {"path": "more.md", "content": "x"}, *refused).verdict == "asked"


def test_a_tool_that_does_not_say_its_risk_counts_as_high() -> None:
    @tool
    def unheard_of(text: str) -> str:
        """Nobody rated this."""
        return text

    assert risk_of(unheard_of) == "high"
    assert rule(unheard_of, {"text": "x"}).verdict == "asked"


@pytest.mark.parametrize("risk", ["LOW", "none", "", None, 0])
def test_an_odd_risk_counts_as_high(risk: Risk) -> None:
    @tool
    def oddly_rated(text: str) -> str:
        """Somebody rated this in words of their own."""
        return text

    oddly_rated.metadata = {"risk": risk}
    assert rule(oddly_rated, {"text": "x"}).verdict == "asked"


def test_a_permission_to_fetch_reaches_as_far_as_one_host() -> None:
    assert grant_scope("web_fetch", {"url": "https://Example.org/a?b#c"}) == "example.org"
    assert grant_scope("web_fetch", {"url": "https://[broken"}) == ""
    assert grant_scope("Edit", {"path": "a.md"}) == ""


def test_a_name_is_given_once() -> None:
    register = ToolRegister(all_tools)
    with pytest.raises(ValueError, match=all_tools[0].name):
        register.register(all_tools[0])
