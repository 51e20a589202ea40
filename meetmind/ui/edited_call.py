"""The arguments of a waiting call while a person changes them: fields, faults, the new effect."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

ROLE_REASON = "why"
"""The argument in which a role says why; it has no effect, so nobody needs to change it."""
LONG_TEXT = 80
FIRST = ("path", "url", "query", "old_string", "new_string", "content")


@dataclass(frozen=True, kw_only=True)
class EditedCall:
    """What is known of the arguments that were typed last."""

    fault: str = ""
    """Why they cannot run, safe inside Markdown."""
    arguments: Mapping[str, Any] | None = None
    """The ones whose effect is shown; None before anybody asked for it."""
    risk: str = ""
    preview: str = ""
    effect: str = ""
    """What the server knows the shown effect by."""


def in_reading_order(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What the call is about first, why it is wanted last; the ledger keeps no order."""
    names = [name for name in FIRST if name in arguments]
    names += [name for name in arguments if name not in FIRST and name != ROLE_REASON]
    if ROLE_REASON in arguments:
        names.append(ROLE_REASON)
    return {name: arguments[name] for name in names}


def has_field(name: str) -> bool:
    """Whether an argument can be changed."""
    return name != ROLE_REASON


def is_long(value: Any) -> bool:
    """Whether an argument needs a field of several lines."""
    if isinstance(value, str):
        return len(value) > LONG_TEXT or "\n" in value or "\r" in value
    return isinstance(value, dict | list)


def field_text(value: Any) -> str | bool:
    """What stands in the field at first: texts as they are, yes or no, all else as JSON."""
    if isinstance(value, str | bool):
        return value
    return json.dumps(value, ensure_ascii=False, indent=2 if is_long(value) else None)


def typed_arguments(
    original: Mapping[str, Any], typed_by_name: Mapping[str, Any]
) -> tuple[dict[str, Any], str]:
    """The arguments with what was typed, and the name of the first one that is not valid JSON."""
    arguments = dict(original)
    for name, typed in typed_by_name.items():
        value = original[name]
        if typed is None or _is_untouched(value, typed):
            continue
        if isinstance(value, str | bool):
            arguments[name] = typed
            continue
        try:
            arguments[name] = json.loads(typed)
        except ValueError:
            return arguments, name
    return arguments, ""


def _is_untouched(value: Any, typed: Any) -> bool:
    """Whether a field still holds what it held; browsers turn line ends into plain ones."""
    shown = field_text(value)
    if isinstance(shown, str):
        shown = shown.replace("\r\n", "\n").replace("\r", "\n")
    return bool(shown == typed)
