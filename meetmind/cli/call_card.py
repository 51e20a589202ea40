"""Prints the card of a call that waits for a person: everything that it would do."""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from meetmind.cli.steering_lines import role_title
from meetmind.cli.terminal import Terminal
from meetmind.hidden_characters import count_hidden, mixed_scripts, visible_text
from meetmind.i18n.translate import Language, translate

if TYPE_CHECKING:
    from meetmind.server.approvals import PendingCall

NAME_INDENT = "  "
VALUE_INDENT = "    "
"""Values stand further right than names, so that no line of a value can pass for an argument."""
WARNING = "bold yellow"


def show_call(terminal: Terminal, call: "PendingCall", language: Language) -> None:
    """Print a waiting call; nothing is cut and nothing stays hidden."""
    role = role_title(call.agent_name, language)
    wants = translate("approval.wants_other", language, role=role, tool=visible_text(call.tool))
    risk = translate(f"approval.{call.risk}", language)
    terminal.console.print()
    terminal.say(f"{wants} · {risk}", "bold yellow")
    if call.asked_again:
        terminal.say(translate(f"approval.again_{call.asked_again}", language), "yellow")
    why = translate("approval.why", language)
    reason = call.reason or translate("approval.no_why", language)
    terminal.say(translate("unit.label", language, name=why))
    terminal.show(reason, NAME_INDENT)
    _say_label(terminal, "step.arguments", language)
    _show_arguments(terminal, call.arguments)
    if call.preview:
        _say_label(terminal, "approval.changes", language)
        terminal.show(call.preview, NAME_INDENT)
    _warn(terminal, call, language)


def _say_label(terminal: Terminal, key: str, language: Language) -> None:
    name = translate(key, language)
    terminal.say(translate("unit.label", language, name=name))


def _show_arguments(terminal: Terminal, arguments: Mapping[str, object]) -> None:
    """The arguments as they will be used; texts keep their own lines."""
    for name, value in arguments.items():
        if isinstance(value, str):
            shown = value
        else:
            shown = json.dumps(value, ensure_ascii=False, indent=2, default=str)
        label = json.dumps(name, ensure_ascii=False)[1:-1]
        if "\n" in shown:
            terminal.show(f"{label}:", NAME_INDENT)
            terminal.show(shown, VALUE_INDENT)
        else:
            terminal.show(f"{label}: {shown}", NAME_INDENT)


def _warn(terminal: Terminal, call: "PendingCall", language: Language) -> None:
    """What tries not to be seen, as the pages warn of it."""
    shown = [*_texts_in(call.arguments), call.preview]
    in_arguments = sum(count_hidden(text) for text in shown[:-1])
    # A diff repeats the arguments; what it has beyond them stands in the file already.
    hidden = max(in_arguments, count_hidden(call.preview))
    if hidden:
        key = "approval.hidden_one" if hidden == 1 else "approval.hidden"
        terminal.say(translate(key, language, count=hidden), WARNING)
    lookalikes = mixed_scripts("\n".join(shown))
    if lookalikes:
        spelt = [_spelt_out(word, language) for word in lookalikes]
        words = translate("unit.list_separator", language).join(spelt)
        terminal.say(translate("approval.lookalikes", language, words=words), WARNING)


def _spelt_out(word: str, language: Language) -> str:
    """The word with the number of its first letter that is not plain: both look the same."""
    shown = visible_text(word)
    foreign = next((letter for letter in word if not letter.isascii()), "")
    if not foreign:
        return shown
    code = f"U+{ord(foreign):04X}"
    return translate("approval.lookalike", language, word=shown, letter=foreign, code=code)


def _texts_in(value: object) -> Iterator[str]:
    """Every text inside arguments, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from _texts_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts_in(inner)
