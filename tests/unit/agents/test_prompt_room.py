"""What a prompt may hold beside the talk."""

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from meetmind.agents.prompt_room import PASSAGES_SHARE, PromptRoom
from meetmind.events import PassageEvidence
from meetmind.tools.envelope import Envelope, read_envelope_json

ROOM = PromptRoom(context=4_000)


def passage(number: int, content: str) -> PassageEvidence:
    return PassageEvidence(
        passage_id=f"file_{number:012x}",
        agent_name="backend",
        title="A file",
        source="long.md",
        locator="1",
        language="zh",
        content=content,
        rank=1,
        coverage=0.9,
    )


def test_a_file_that_is_too_long_is_shown_in_part_and_leaves_room_for_others() -> None:
    shown = ROOM.fitting_passages([passage(1, "退货" * 6_000), passage(2, "短")], PASSAGES_SHARE)
    assert [one.passage_id[-1] for one in shown] == ["1", "2"]
    assert shown[0].content.endswith("…")
    assert 300 < ROOM.count(shown[0].content) < ROOM.share(PASSAGES_SHARE)


def test_the_oldest_results_of_a_loop_go_first_and_keep_their_calls() -> None:
    whole = Envelope(tool="Read", status="ok", data={"text": "word " * 6_000}).to_json()
    small = Envelope(tool="Read", status="ok", data={"text": "newest"}).to_json()
    messages: list[AnyMessage] = [
        HumanMessage(content="Look it up."),
        AIMessage(content="", tool_calls=[{"name": "Read", "args": {}, "id": "0"}]),
        ToolMessage(content=whole, tool_call_id="0", name="Read"),
        AIMessage(content="", tool_calls=[{"name": "Read", "args": {}, "id": "1"}]),
        ToolMessage(content=small, tool_call_id="1", name="Read"),
    ]
    kept = ROOM.within(messages, "You are the backend.")
    assert [type(message) for message in kept] == [type(message) for message in messages]
    named = read_envelope_json(str(kept[2].content))
    assert named is not None
    assert (named.tool, named.status, named.data) == ("Read", "ok", None)
    assert kept[4] is messages[4]
    assert messages[2].content == whole
    assert ROOM.within(messages[:2], "") == messages[:2]
