"""What the card of a waiting call shows in a terminal: all of it, and what it hides."""

import io
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from rich.console import Console

from meetmind.cli.call_card import show_call
from meetmind.cli.terminal import Terminal
from meetmind.i18n.translate import Language
from meetmind.server.approvals import PendingCall

CALL = PendingCall(
    run_id="run",
    session_id="session",
    session_title="A discussion",
    call_id="c1",
    agent_name="architect",
    tool="Write",
    risk="high",
    arguments={"path": "a.md", "content": "one\n"},
    reason="The summary is asked for.",
    preview="+one",
    asked_again="",
    requested_at=datetime(2026, 1, 1, tzinfo=UTC),
    expires_at=None,
    fingerprint="as shown",
)


def card(call: PendingCall, language: Language = "en") -> str:
    output = io.StringIO()
    show_call(Terminal(Console(file=output, width=100, highlight=False)), call, language)
    return output.getvalue()


def with_arguments(**arguments: Any) -> PendingCall:
    return replace(CALL, arguments=arguments, preview="")


def test_hidden_characters_are_written_out_wherever_they_stand() -> None:
    shown = card(
        replace(
            CALL,
            arguments={"path": "a\u200b.md", "content": "rm\x08\tx \n", "na\u202eme": 1},
            preview="+rm\x08\tx \n",
            reason="Be\u202ecause",
        )
    )
    for written_out in (
        "path: a⟨U+200B⟩.md",
        "na⟨U+202E⟩me: 1",
        "    rm⟨U+0008⟩⟨U+0009⟩x⟨U+0020⟩\n",
        "  +rm⟨U+0008⟩⟨U+0009⟩x⟨U+0020⟩\n",
        "Be⟨U+202E⟩cause",
    ):
        assert written_out in shown
    assert not {"\u200b", "\u202e", "\x08", "\t"} & set(shown)
    assert "3 hidden characters are written out" in shown


def test_letters_that_pass_for_others_are_named() -> None:
    shown = card(with_arguments(url="https://p\u0430ypal.com"))
    assert "Letters here pass for others: p\u0430ypal (\u0430 = U+0430)" in shown


def test_an_honest_call_has_no_warning() -> None:
    shown = card(CALL, "zh")
    assert "⟨U+" not in shown
    assert "冒充" not in shown


def test_no_line_of_a_value_can_pass_for_an_argument() -> None:
    lines = card(with_arguments(content="x\npath: safe.md", path="real.md")).split("\n")
    assert "  path: real.md" in lines
    assert "    path: safe.md" in lines
    assert "  path: safe.md" not in lines


def test_a_call_that_waits_once_more_says_why() -> None:
    assert "The file has changed since you were asked." in card(
        replace(CALL, asked_again="file_changed")
    )
