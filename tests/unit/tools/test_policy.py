"""The policy before any call."""

import pytest
from langchain_core.tools import tool

from meetmind.tools.policy import MAX_CALLS_A_TURN, arguments_sha256, rule_on_call
from meetmind.tools.rag_search_tool import rag_search_tool
from meetmind.tools.tool_register import ToolRegister, all_tools, risk_of
from meetmind.tools.write_tool import write_tool


def test_a_low_risk_call_is_allowed_and_a_high_one_asked_about() -> None:
    search = rule_on_call(
        tool=rag_search_tool, tool_name="rag_search", arguments={"query": "q"}, earlier_hashes=()
    )
    write = rule_on_call(
        tool=write_tool,
        tool_name="Write",
        arguments={"path": "a.md", "content": "x"},
        earlier_hashes=(),
    )
    assert (search.verdict, search.risk) == ("allowed", "low")
    assert (write.verdict, write.risk) == ("asked", "high")


def test_an_unknown_tool_is_refused_with_a_sentence() -> None:
    ruling = rule_on_call(tool=None, tool_name="rm", arguments={}, earlier_hashes=())
    assert ruling.verdict == "refused"
    assert "rm" in ruling.sentence


def test_arguments_that_do_not_fit_are_refused_and_named() -> None:
    ruling = rule_on_call(
        tool=write_tool, tool_name="Write", arguments={"path": "a.md"}, earlier_hashes=()
    )
    assert ruling.code == "bad_arguments"
    assert "content" in ruling.sentence


def test_the_same_call_again_is_refused_whatever_its_reason_says() -> None:
    first = arguments_sha256("Write", {"path": "a", "content": "x", "why": "one"})
    ruling = rule_on_call(
        tool=write_tool,
        tool_name="Write",
        arguments={"content": "x", "path": "a", "why": "two"},
        earlier_hashes=[first],
    )
    assert ruling.code == "same_call_again"


def test_a_turn_has_a_bounded_number_of_calls() -> None:
    earlier = [str(number) for number in range(MAX_CALLS_A_TURN)]
    ruling = rule_on_call(
        tool=rag_search_tool,
        tool_name="rag_search",
        arguments={"query": "one more"},
        earlier_hashes=earlier,
    )
    assert ruling.code == "too_many_calls"


def test_a_tool_that_does_not_say_its_risk_counts_as_high() -> None:
    @tool
    def unheard_of(text: str) -> str:
        """Nobody rated this."""
        return text

    assert risk_of(unheard_of) == "high"
    ruling = rule_on_call(
        tool=unheard_of, tool_name="unheard_of", arguments={"text": "x"}, earlier_hashes=()
    )
    assert ruling.verdict == "asked"


def test_a_name_is_given_once() -> None:
    register = ToolRegister(all_tools)
    with pytest.raises(ValueError, match=all_tools[0].name):
        register.register(all_tools[0])
