"""What a role looks up: its own table, the others' tables, and what others claimed."""

import json

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from meetmind.llm.offline.lookups import MOST_CALLS
from meetmind.llm.offline.model import answer
from meetmind.prompts.loader import section
from tests.support.bike_rental import BRIEF, OTHER_DEPOSIT_TIME, bike_passages

TOOLS = ["rag_search", "Read", "Write"]
POINTS = json.dumps([{"id": "P1", "question": "Refund of the deposit", "state": "open"}])


def look_up(
    role: str, *, talk: str = "", heard: str = "", turn: int = 1, brief: str = BRIEF
) -> list[SystemMessage | HumanMessage | AIMessage | ToolMessage]:
    system = f'<you name="{role}" title="{role}"/><language>en</language>'
    human = (
        f"<task>look_up</task>{section('brief', brief)}{section('question', brief)}"
        f"<talk>{talk}</talk><points>{POINTS if turn > 1 else '[]'}</points>"
        f'<heard>{heard}</heard><turn number="{turn}" of="15"/>'
    )
    return [SystemMessage(content=system), HumanMessage(content=human)]


def calls_of(messages: list[SystemMessage | HumanMessage | AIMessage | ToolMessage]) -> AIMessage:
    return answer(messages, TOOLS)


def test_the_opening_searches_all_tables_and_the_own_one_for_brief_and_points() -> None:
    asked = calls_of(look_up("architect")).tool_calls
    by_scope = {
        scope: [call["args"]["query"] for call in asked if call["args"]["scope"] == scope]
        for scope in ("own", "all")
    }
    assert BRIEF in by_scope["all"]
    assert by_scope["own"] == by_scope["all"]
    assert len(by_scope["all"]) >= 3


def test_a_role_checks_what_others_claimed_with_numbers() -> None:
    talk = section(
        "utterance", f"- Point 1, it is: “{OTHER_DEPOSIT_TIME}” [tester_0123456789ab]", by="tester"
    )
    asked = calls_of(look_up("backend", talk=talk, heard="tester", turn=2)).tool_calls
    assert OTHER_DEPOSIT_TIME in [call["args"]["query"] for call in asked]
    assert [call["args"]["scope"] for call in asked].count("all") == 1


def test_an_english_question_is_searched_in_chinese_words_too() -> None:
    asked = calls_of(look_up("backend", turn=2, brief="Refund unpaid orders at once.")).tool_calls
    assert any("退款" in call["args"]["query"] for call in asked)


def test_the_rules_to_bring_are_checked_in_all_tables_before_they_are_said() -> None:
    passage = next(p for p in bike_passages() if OTHER_DEPOSIT_TIME in p.content)
    messages = look_up("tester", turn=2)
    first = calls_of(messages)
    evidence = {
        "passage_id": passage.passage_id,
        "agent_name": passage.agent_name,
        "title": passage.title,
        "content": passage.content,
    }
    envelope = {"tool": "rag_search", "status": "ok", "request": {}, "evidence": [evidence]}
    results = [
        ToolMessage(content=json.dumps(envelope), tool_call_id=str(call["id"]), name="rag_search")
        for call in first.tool_calls
    ]
    second = calls_of([*messages, first, *results])
    assert [call["args"]["scope"] for call in second.tool_calls] == ["all"]
    assert second.tool_calls[0]["args"]["query"] == OTHER_DEPOSIT_TIME
    more_results = [
        ToolMessage(content=json.dumps(envelope), tool_call_id=str(call["id"]), name="rag_search")
        for call in second.tool_calls
    ]
    assert calls_of([*messages, first, *results, second, *more_results]).tool_calls == []


def test_a_turn_stays_below_the_number_of_calls_that_the_program_allows() -> None:
    brief = "We need refunds, coupons, invoices and callbacks; " * 20
    asked = calls_of(look_up("architect", brief=brief)).tool_calls
    assert len(asked) <= MOST_CALLS
    arguments = [json.dumps(call["args"]) for call in asked]
    assert len(arguments) == len(set(arguments))


def test_files_that_only_the_folder_names_are_read_after_the_look_at_it() -> None:
    tools = [*TOOLS, "list_dir"]
    messages = look_up("architect", brief=f"{BRIEF} The files are attached.")
    first = answer(messages, tools)
    listing = {"entries": [{"name": "old/"}, {"name": "plan.md", "bytes": 9}], "count": 2}
    results = []
    for call in first.tool_calls:
        data = listing if call["name"] == "list_dir" else None
        content = json.dumps({"tool": call["name"], "status": "ok", "data": data})
        results.append(ToolMessage(content=content, tool_call_id=str(call["id"])))
    second = answer([*messages, first, *results], tools)
    asked = [(call["name"], call["args"]) for call in second.tool_calls]
    assert asked == [("Read", {"path": "plan.md"})]


def test_what_nobody_gave_as_a_tool_is_not_asked_for() -> None:
    messages = look_up("architect", brief=f"{BRIEF} See https://example.com/x and plan.md.")
    assert {call["name"] for call in answer(messages, ["rag_search"]).tool_calls} == {"rag_search"}


def test_a_failed_search_does_not_stop_the_turn() -> None:
    messages = look_up("backend", turn=2)
    first = calls_of(messages)
    results = [
        ToolMessage(content="boom", tool_call_id=str(call["id"]), name="rag_search")
        for call in first.tool_calls
    ]
    assert calls_of([*messages, first, *results]).tool_calls == []
