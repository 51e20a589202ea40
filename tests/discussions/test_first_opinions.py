"""First opinions: everybody speaks before having heard the others, also across a crash."""

from meetmind.events import FloorTaken, HandedOver, RunEnded, UtteranceEnded
from meetmind.llm.prompt_sections import PromptSections
from meetmind.llm.scripted import ScriptedStep, answers
from tests.support.room import Room, wait_until
from tests.support.scripted_talks import cites, point, stance, turn

ROUND = ["backend", "frontend", "tester", "product_manager"]


def opening_and_closing() -> list[ScriptedStep]:
    asked = turn("How long?", "tester", points=[point()], first_opinions=True)
    closed = turn("Settled.", done=True, points=[point("settled", "all four agree")])
    return [
        answers(asked, role="architect", task="speak"),
        answers(closed, role="architect", task="speak"),
    ]


def opinions() -> list[ScriptedStep]:
    """Everybody proposes the architect, which the round does not follow."""
    steps = []
    for name in ROUND:
        words = turn(
            f"Secret of the {name} {cites(name)}.",
            "architect",
            stances=[stance("agree", f"why of the {name}")],
        )
        steps.append(answers(words, role=name, task="speak"))
    return steps


def prompts_of(room: Room, role: str) -> list[PromptSections]:
    sections = [request.sections for model in room.models for request in model.requests]
    return [one for one in sections if one.you is not None and one.you.name == role]


def test_a_round_goes_by_the_roster_and_nobody_sees_the_others(room: Room) -> None:
    executor = room.open([*opening_and_closing(), *opinions()])
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build the returns page", "team")
    assert room.wait_for_end(run_id).reason == "closed_by_architect"
    events = room.events(run_id)
    speakers = [event.agent_name for event in events if isinstance(event, UtteranceEnded)]
    assert speakers == ["architect", *ROUND, "architect"]
    handed = [event.by for event in events if isinstance(event, HandedOver)]
    assert handed == ["round"] * 5
    first = [
        event.agent_name
        for event in events
        if isinstance(event, FloorTaken) and event.first_opinion
    ]
    assert first == ROUND
    for role in ROUND:
        for request in [r for m in room.models for r in m.requests]:
            if request.sections.you is None or request.sections.you.name != role:
                continue
            text = "\n".join(message.text for message in request.messages)
            hidden = [name for name in ROUND if name != role]
            assert "How long?" in text
            assert not any(f"Secret of the {name}" in text for name in hidden)
            assert not any(f"why of the {name}" in text for name in hidden)
            assert not any(f"{name}_000000000000" in text for name in hidden)
    closing = prompts_of(room, "architect")[-1]
    assert len(closing.talk) == 5
    assert {one.agent_name for one in closing.stances} == set(ROUND)


def test_a_crash_in_the_middle_of_a_round_goes_on_where_it_was(room: Room) -> None:
    slow = room.open([*opening_and_closing()[:1], *opinions()[:2]], piece_seconds=0.02)
    run_id = slow.start_run(room.owner_id, room.new_session(), "Build the returns page", "team")
    wait_until(
        lambda: any(
            isinstance(event, FloorTaken) and event.agent_name == "tester"
            for event in room.events(run_id)
        )
    )
    slow.close()
    again = room.open([*opening_and_closing()[1:], *opinions()[2:]])
    again.resume_execution(room.owner_id, run_id)
    room.wait_for(run_id, RunEnded)
    events = room.events(run_id)
    speakers = [event.agent_name for event in events if isinstance(event, UtteranceEnded)]
    assert speakers == ["architect", *ROUND, "architect"]
    shown = [sections for sections in prompts_of(room, "tester") if sections.task == "speak"][-1]
    assert [said.by for said in shown.talk] == ["architect"]
    floors = [event for event in events if isinstance(event, FloorTaken)]
    assert [floor.first_opinion for floor in floors] == [False, True, True, True, True, False]


def test_first_opinions_on_the_same_points_are_given_once(room: Room) -> None:
    asked = turn("How long?", "tester", points=[point()], first_opinions=True)
    closed = turn("Settled.", done=True, points=[point("settled", "all four agree")])
    steps = [answers(one, role="architect", task="speak") for one in (asked, asked, closed)]
    executor = room.open([*steps, *opinions()])
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build the returns page", "team")
    room.wait_for_end(run_id)
    floors = [event for event in room.events(run_id) if isinstance(event, FloorTaken)]
    assert [floor.agent_name for floor in floors if floor.first_opinion] == ROUND


def test_no_summary_tells_first_opinions_while_the_round_goes_on(room: Room) -> None:
    room.settings.update({"MODEL_CONTEXT_TOKENS": "2400", "COMPACT_AT_SHARE": "0.75"})
    long_words = "and so the page goes on being looked at from every side " * 50
    asked = turn(f"How long? {long_words}", "tester", points=[point()], first_opinions=True)
    said = [
        turn(f"Secret of the {name}. {long_words}", "architect", stances=[stance("agree")])
        for name in ROUND
    ]
    steps = [answers(asked, role="architect", task="speak")]
    steps += [
        answers(words, role=name, task="speak") for name, words in zip(ROUND, said, strict=True)
    ]
    executor = room.open([*steps, *opening_and_closing()[1:]], piece_characters=400)
    session_id = room.new_session()
    run_id = executor.start_run(room.owner_id, session_id, "Build the returns page", "team")
    room.wait_for_end(run_id)
    requests = room.models[0].requests
    last_opinion = max(
        place
        for place, request in enumerate(requests)
        if request.sections.you is not None and request.sections.you.name == ROUND[-1]
    )
    for request in requests[:last_opinion]:
        if request.sections.task == "compact":
            text = "\n".join(str(message.content) for message in request.messages)
            assert "Secret of the" not in text
