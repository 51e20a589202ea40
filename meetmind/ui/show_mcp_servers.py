"""Draws the MCP servers: whether they answer, their tools, and how risky each tool is."""

import hashlib
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.ui.knowledge_change import leave_change_notice, show_change_notice
from meetmind.ui.language import date_time_text, error_text, text
from meetmind.ui.safe_text import safe_label, shortened
from meetmind.ui.session import current_person, current_services

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.mcp_servers import McpServers
    from meetmind.server.mcp_states import ServerState, ServerTool
    from meetmind.server.services import Services

PLACE = "mcp"
POLL_SECONDS = 2.0
WORDS_WIDTH = 240
FAULT_WIDTH = 300
RISKS = ("low", "medium", "high", "deny")
ICON_BY_HEALTH = {
    "connecting": ":blue[:material/hourglass_top:]",
    "connected": ":green[:material/check_circle:]",
    "failed": ":red[:material/error:]",
    "off": ":gray[:material/power_settings_new:]",
}
EXAMPLE = """{
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/srv/papers"]
    },
    "tracker": {
      "url": "https://tracker.example/mcp",
      "headers": {"Authorization": "Bearer ${TRACKER_TOKEN}"}
    }
  }
}"""


def show_mcp_servers(services: "Services", person: "Person") -> None:
    """The servers and their tools; administrators decide on risks and ask again."""
    servers = services.mcp
    st.markdown(f"**{text('mcp.title')}**")
    st.caption(text("mcp.text"))
    show_change_notice(PLACE)
    _show_file_fault(servers)
    if servers.is_connecting():
        _show_connecting()
    else:
        for state in servers.servers():
            _show_server(state, can_change=person.is_admin)
    _show_how_to_add(servers)
    if not person.is_admin:
        st.caption(f":material/lock: {text('mcp.only_admins')}")
        return
    st.button(
        text("mcp.again"),
        key="mcp_again",
        icon=":material/refresh:",
        help=text("mcp.again_help"),
        on_click=on_connect_again,
    )


@st.fragment(run_every=POLL_SECONDS)
def _show_connecting() -> None:
    """The servers while some have not answered yet; their tools can be changed afterwards."""
    servers = current_services().mcp
    if not servers.is_connecting():
        st.rerun()
    for state in servers.servers():
        st.markdown(_head(state))


def _show_file_fault(servers: "McpServers") -> None:
    fault = servers.file_fault()
    if fault is None:
        return
    sentence = text(f"mcp.fault_{fault.reason}", file=_file_name(servers), what=_said(fault.what))
    st.warning(sentence, icon=":material/warning:")


def _show_how_to_add(servers: "McpServers") -> None:
    """The file and an example: in sight where there is no server yet, else folded away."""
    configured = [state for state in servers.servers() if state.health != "off"]
    if not configured:
        st.info(text("mcp.none"), icon=":material/extension:")
    with st.expander(text("mcp.how_to_add"), expanded=not configured):
        st.markdown(text("mcp.how_to_add_text", file=_file_name(servers)))
        st.code(EXAMPLE, language="json")
        st.caption(text("mcp.how_to_add_note"))


def _show_server(state: "ServerState", *, can_change: bool) -> None:
    st.markdown(_head(state))
    if not state.tools and not state.left_out:
        return
    with st.expander(text("mcp.tools", count=len(state.tools)), key=_key("mcp_tools", state.name)):
        for tool in state.tools:
            _show_tool(state, tool, can_change=can_change)
        for left_out in state.left_out:
            name = safe_label(shortened(left_out.remote_name, 60))
            line = text("mcp.left_out", name=name, why=safe_label(left_out.why))
            st.caption(f":material/block: {line}")


def _head(state: "ServerState") -> str:
    """Name, way and place, and how the server was found, in two lines."""
    parts = [f"{ICON_BY_HEALTH[state.health]} **{safe_label(state.name)}**"]
    if state.transport:
        parts.append(text(f"mcp.transport_{state.transport}"))
    if state.place:
        parts.append(safe_label(shortened(state.place, 60)))
    return " · ".join(parts) + "  \n" + f":small[{_health(state)}]"


def _health(state: "ServerState") -> str:
    if state.health == "connecting":
        return text("mcp.connecting")
    if state.reason:
        sentence = text(f"mcp.{state.reason}", what=_said(state.what))
        said = f":gray[{sentence}]" if state.health == "off" else f":red[{sentence}]"
    else:
        said = text("mcp.connected", seconds=f"{state.seconds:.1f}")
    if state.checked_at is None:
        return said
    return f"{said} :gray[· {date_time_text(state.checked_at)}]"


def _show_tool(state: "ServerState", tool: "ServerTool", *, can_change: bool) -> None:
    words_column, risk_column = st.columns([0.68, 0.32], vertical_alignment="center")
    with words_column:
        st.markdown(f"**{safe_label(tool.name)}**")
        words = safe_label(shortened(tool.own_words, WORDS_WIDTH))
        st.caption(text("mcp.own_words", words=words) if words else text("mcp.no_words"))
        if tool.has_changed:
            note = "mcp.changed_denied" if tool.risk == "deny" else "mcp.changed"
            st.caption(f":orange[:material/change_history: {text(note)}]")
    key = _key("mcp_risk", f"{state.name}/{tool.remote_name}")
    # The box follows what is in force, also when somebody else has changed it.
    st.session_state[key] = tool.risk
    with risk_column:
        st.selectbox(
            text("mcp.risk_of", tool=tool.name),
            RISKS,
            key=key,
            format_func=lambda risk: text(f"mcp.risk_{risk}"),
            label_visibility="collapsed",
            disabled=not can_change,
            on_change=on_risk,
            args=(state.name, tool.remote_name, key, tool.fingerprint),
        )


def on_risk(server: str, tool: str, key: str, seen: str) -> None:
    """Put the chosen risk in force."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    try:
        services.mcp.set_risk(person, server, tool, st.session_state[key], seen=seen)
    except MeetMindError as error:
        leave_change_notice(PLACE, error_text(error), "error")
        return
    leave_change_notice(PLACE, text("mcp.risk_set"))


def on_connect_again() -> None:
    """Read the file anew and ask every server."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    try:
        services.mcp.connect_again(person)
    except MeetMindError as error:
        leave_change_notice(PLACE, error_text(error), "error")


def _key(prefix: str, name: str) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{prefix}_{digest}"


def _said(words: str) -> str:
    return safe_label(shortened(words, FAULT_WIDTH)) or "–"


def _file_name(servers: "McpServers") -> str:
    return safe_label(str(servers.config_path))
