"""Finds out whom a person's words are for: `@tester ...` or `@测试 ...` at their beginning."""

import re
from dataclasses import dataclass

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.i18n.translate import LANGUAGES, translate

_MARK = re.compile(r"^\s*[@＠]\s*")
_BEHIND_NAME = re.compile(r"^[\s,，:：、;；.。!！]+")
_OTHER_NAMES = {
    "pm": "product_manager",
    "qa": "tester",
    "产品": "product_manager",
    "测试工程师": "tester",
}


@dataclass(frozen=True, kw_only=True)
class Addressed:
    """Words without the mark, and the role that they are for; empty for everybody."""

    words: str
    to_agent: str = ""


def addressed(words: str) -> Addressed:
    """The words and whom they are for; a mark that names no role stays in the words."""
    mark = _MARK.match(words)
    if mark is None:
        return Addressed(words=words)
    behind_mark = words[mark.end() :]
    for name, agent_name in _agent_by_name():
        if not behind_mark.lower().startswith(name):
            continue
        rest = behind_mark[len(name) :]
        # `@backends` is no role; a Chinese name needs no space behind it.
        if name.isascii() and re.match(r"[a-z0-9_-]", rest, re.IGNORECASE):
            continue
        return Addressed(words=_BEHIND_NAME.sub("", rest), to_agent=agent_name)
    return Addressed(words=words)


def _agent_by_name() -> list[tuple[str, str]]:
    """Every name of every role in every language, in small letters, the longest first."""
    agent_by_name = dict(_OTHER_NAMES)
    for agent_name in AGENT_NAMES:
        agent_by_name[agent_name] = agent_name
        agent_by_name[agent_name.replace("_", " ")] = agent_name
        for language in LANGUAGES:
            for section in ("role", "role_short"):
                name = translate(f"{section}.{agent_name}", language).lower()
                agent_by_name[name] = agent_name
    return sorted(agent_by_name.items(), key=lambda named: -len(named[0]))
