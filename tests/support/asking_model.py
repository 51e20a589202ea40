"""A model that asks for the tool calls that a brief stands for; all else it says by the rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from meetmind.llm.client import ModelClient
from meetmind.llm.prompt_sections import PromptSections
from meetmind.llm.scripted import ScriptedChatModel, ScriptedStep, calls
from tests.support.holding_write import HELD_AFTER, HELD_BEFORE
from tests.support.room import scripted_client

Call = tuple[str, dict[str, Any]]

WRITE = "Write it down"
CHANGE = "Change it twice"
CARDS = "Show every card, see https://xn--exmple-cua.org/prices"
TWO_FILES = "Two files at once"
THREE_FILES = "Three files at once"
ONE_BY_ONE = "One file, then another"
IN_TWO_TURNS = "A file in this turn and one in your next"
WHERE_I_SAY = "Keep it where I say"
BEFORE_EFFECT = "Hold before the file is there"
AFTER_EFFECT = "Hold once the file is there"
ONE_HELD = "Two files, one of which is held"
ASK_ME = "Ask me first"
QUESTION = "Do gift cards count as payment?"
CHOICES = ("Yes, they do", "No, only money")

REASON = "it belongs into told.md"


@dataclass(frozen=True, kw_only=True)
class BriefStep(ScriptedStep):
    """One round of calls in the first turn of every discussion with this brief."""

    brief: str
    calls_before: int
    has_spoken: bool = False
    """Whether it belongs to a later turn of the role instead."""
    told: str = ""
    """What the tool messages of the turn have to say."""

    def fits(self, sections: PromptSections) -> bool:
        is_next = len(sections.asked_calls) == self.calls_before and self._is_turn(sections)
        is_told = self.told in " ".join(answer.error for answer in sections.tool_messages)
        is_asked = sections.brief.startswith(self.brief) and is_told
        return is_next and is_asked and super().fits(sections)

    def _is_turn(self, sections: PromptSections) -> bool:
        if self.has_spoken:
            return self.role in sections.heard
        return not sections.heard


def write(path: str = "summary.md", content: str = "# Summary\n") -> Call:
    return ("Write", {"path": path, "content": content, "why": "so that it can be read later"})


def change(old: str, new: str, path: str = "notes.md") -> Call:
    why = f"since {new} is what was agreed"
    return ("Edit", {"path": path, "old_string": old, "new_string": new, "why": why})


ROUNDS_BY_BRIEF: Mapping[str, tuple[tuple[Call, ...], ...]] = {
    WRITE: ((write(),),),
    CHANGE: (
        (write("notes.md", "30 minutes\n5 percent\n"),),
        (change("30 minutes", "15 minutes"),),
        (change("5 percent", "7 percent"),),
    ),
    CARDS: (
        (
            write("notes.md", "\n".join(f"{n}. a line of the summary" for n in range(40))),
            ("web_fetch", {"url": "https://xn--exmple-cua.org/prices", "why": "for the prices"}),
            write("hidden.md", "pay\u200bment\u202e to p\u0430ypal\n"),
            ("Write", {"path": "../out.md", "content": "x", "why": "to see"}),
        ),
    ),
    TWO_FILES: ((write("a.md"), write("b.md")),),
    THREE_FILES: ((write("a.md"), write("b.md"), write("c.md")),),
    ONE_BY_ONE: ((write("a.md"),), (write("b.md"),)),
    IN_TWO_TURNS: ((write("a.md"),),),
    WHERE_I_SAY: ((write(),),),
    BEFORE_EFFECT: ((write(HELD_BEFORE),),),
    AFTER_EFFECT: ((write(HELD_AFTER),),),
    ONE_HELD: ((write("a.md"), write(HELD_BEFORE)),),
    ASK_ME: ((("ask_person", {"question": QUESTION, "choices": list(CHOICES), "why": "scope"}),),),
}


def _later_steps() -> list[BriefStep]:
    """A call in the role's next turn, and one that is made only by who has heard the reason."""
    asks_b, asks_told = calls(write("b.md")).message, calls(write("told.md")).message
    next_turn = BriefStep(
        message=asks_b,
        task="look_up",
        role="architect",
        brief=IN_TWO_TURNS,
        calls_before=0,
        has_spoken=True,
    )
    who_was_told = BriefStep(
        message=asks_told,
        task="look_up",
        role="architect",
        brief=WHERE_I_SAY,
        calls_before=1,
        told=REASON,
    )
    return [next_turn, who_was_told]


def asking_client(times: int = 8, piece_seconds: float = 0.0) -> ModelClient:
    """A client whose architect makes a brief's calls, round after round; each brief so often.

    `piece_seconds` is how long the model takes for a few letters.
    """
    steps = _later_steps() * times
    for brief, rounds in ROUNDS_BY_BRIEF.items():
        steps += _steps_of(brief, rounds) * times
    return scripted_client(ScriptedChatModel(steps, piece_seconds=piece_seconds))


def _steps_of(brief: str, rounds: tuple[tuple[Call, ...], ...]) -> list[BriefStep]:
    steps: list[BriefStep] = []
    calls_before = 0
    for asked in rounds:
        message = calls(*asked).message
        steps.append(
            BriefStep(
                message=message,
                task="look_up",
                role="architect",
                brief=brief,
                calls_before=calls_before,
            )
        )
        calls_before += len(asked)
    return steps
