"""Says in plain words what a tool call is: a wish, a line in a list, a permission, a refusal."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from meetmind.hidden_characters import visible_text
from meetmind.i18n.translate import has_text
from meetmind.ui.language import text
from meetmind.ui.roles import coloured_title, role_title
from meetmind.ui.safe_text import safe_label, shortened, shortened_within

SEARCH = "rag_search"
FETCH = "web_fetch"
SERVER_MARK = "__"
"""Between the name of an MCP server and the name of its tool."""
QUERY_WIDTH = 72
ADDRESS_WIDTH = 60
WISH_BY_TOOL = {
    "Write": "wants_write",
    "Edit": "wants_edit",
    FETCH: "wants_fetch",
    "AIsearch": "wants_web_search",
}
ICON_BY_TOOL = {
    SEARCH: ":material/search:",
    "Read": ":material/description:",
    "Write": ":material/edit_document:",
    "Edit": ":material/edit_document:",
    "list_dir": ":material/folder_open:",
    "glob": ":material/folder_open:",
    "grep": ":material/find_in_page:",
    FETCH: ":material/language:",
    "AIsearch": ":material/travel_explore:",
    "skill": ":material/school:",
    "list_processes": ":material/memory:",
}
OTHER_ICON = ":material/build:"


def icon_of(tool: str) -> str:
    """The sign of a tool."""
    return ICON_BY_TOOL.get(tool, OTHER_ICON)


def tool_text(tool: str) -> str:
    """The tool's name as people read it, safe inside Markdown."""
    server, mark, name = tool.partition(SERVER_MARK)
    if mark:
        return text("approval.tool_of", tool=safe_label(name), server=safe_label(server))
    return safe_label(tool)


def wish_text(agent_name: str, tool: str, *, is_plain: bool = False) -> str:
    """Who wants to do what; the role in its colour unless it is to be plain."""
    role = role_title(agent_name) if is_plain else coloured_title(agent_name)
    wish = WISH_BY_TOOL.get(tool)
    if wish is not None:
        return text(f"approval.{wish}", role=role)
    return text("approval.wants_other", role=role, tool=tool_text(tool))


def call_title(tool: str, arguments: Mapping[str, Any]) -> str:
    """What the call does, in a few words, safe inside Markdown."""
    if tool == SEARCH:
        return text("step.search", query=query_label(arguments), scope=scope_text(arguments))
    path = _shown(arguments, "path")
    if tool in ("Read", "Write", "Edit"):
        return text(f"step.{tool.lower()}", path=path)
    if tool == FETCH:
        return text("step.fetch", address=_shown(arguments, "url", ADDRESS_WIDTH))
    if tool == "AIsearch":
        return text("step.web_search", query=query_label(arguments))
    if tool == "list_dir":
        return text("step.list_dir", path=path or ".")
    if tool in ("glob", "grep"):
        return text(f"step.{tool}", pattern=_shown(arguments, "pattern", QUERY_WIDTH))
    if tool == "skill" and arguments.get("name"):
        return text("step.skill", name=_shown(arguments, "name"))
    return text("step.other", tool=tool_text(tool))


def query_label(arguments: Mapping[str, Any]) -> str:
    """The query, its middle left out when it is long."""
    query = " ".join(str(arguments.get("query", "")).split())
    return safe_label(shortened_within(query, QUERY_WIDTH))


def scope_text(arguments: Mapping[str, Any]) -> str:
    """Where a role looked, in a few words."""
    return text("step.scope_all" if arguments.get("scope") == "all" else "step.scope_own")


def host_of(address: str) -> str:
    """The host that an address leads to, in lower case; empty when it cannot be told."""
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""


def scope_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """How far a permission for calls like this one would reach."""
    return host_of(str(arguments.get("url", ""))) if tool == FETCH else ""


def permission_text(tool: str, scope: str) -> str:
    """What a permission lets pass, safe inside Markdown."""
    if tool == FETCH:
        return text("approval.allows_fetch", host=safe_label(visible_text(scope)))
    if tool == "Edit":
        return text("approval.allows_edit")
    if tool == "AIsearch":
        return text("approval.allows_web_search")
    return text("approval.allows_other", tool=tool_text(tool))


def permission_title(tool: str, scope: str) -> str:
    """What a permission lets pass, as a line of its own."""
    words = permission_text(tool, scope)
    return words[:1].upper() + words[1:]


def refusal_text(code: str) -> str:
    """Why the policy refused a call, in a sentence for people."""
    key = f"refusal.{code}"
    return text(key if has_text(key) else "refusal.other")


def _shown(arguments: Mapping[str, Any], name: str, width: int | None = None) -> str:
    value = visible_text(str(arguments.get(name, "")))
    return safe_label(value if width is None else shortened(value, width))
