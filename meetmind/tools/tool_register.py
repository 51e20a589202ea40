"""The one place where tools are registered; a tool's risk is read from the tool object alone."""

import logging
import threading
from collections.abc import Iterable
from typing import cast

from langchain_core.tools import BaseTool

from meetmind.events import Risk
from meetmind.tools.ask_person_tool import ask_person_tool
from meetmind.tools.echo_tool import echo_tool
from meetmind.tools.edit_tool import edit_tool
from meetmind.tools.glob_tool import glob_tool
from meetmind.tools.grep_tool import grep_tool
from meetmind.tools.list_dir_tool import list_dir_tool
from meetmind.tools.list_processes_tool import list_processes_tool
from meetmind.tools.rag_search_tool import rag_search_tool
from meetmind.tools.read_tool import read_tool
from meetmind.tools.skill_tool import skill_tool
from meetmind.tools.web_fetch_tool import web_fetch_tool
from meetmind.tools.write_tool import write_tool

logger = logging.getLogger(__name__)

RISKS: tuple[Risk, ...] = ("low", "medium", "high")
MCP_SERVER = "mcp_server"
"""In a tool's metadata: the name of the server that offers it."""


class ToolRegister:
    """All tools by name; a name is given once."""

    def __init__(self, tools: Iterable[BaseTool]) -> None:
        self._tool_by_name: dict[str, BaseTool] = {}
        for each in tools:
            self.register(each)

    def register(self, new_tool: BaseTool) -> None:
        """Add a tool; raises `ValueError` for a name that is taken."""
        if new_tool.name in self._tool_by_name:
            raise ValueError(f"there is a tool named {new_tool.name} already")
        self._tool_by_name[new_tool.name] = new_tool

    def find(self, name: str) -> BaseTool | None:
        """The tool of this name; None where there is none (any more)."""
        return self._tool_by_name.get(name)

    def named(self, names: Iterable[str]) -> list[BaseTool]:
        """The tools of these names, in this order."""
        return [self._tool_by_name[name] for name in names]

    def given_to(self, names: Iterable[str]) -> list[BaseTool]:
        """The built-in tools of these names and every tool of a server that is not denied."""
        foreign = [tool for tool in self._tool_by_name.values() if is_of_mcp_server(tool)]
        return self.named(names) + foreign


def risk_of(registered: BaseTool) -> Risk:
    """The tool's own risk; a tool that does not say counts as high."""
    risk = (registered.metadata or {}).get("risk")
    if risk in RISKS:
        return cast("Risk", risk)
    return "high"


def is_of_mcp_server(registered: BaseTool) -> bool:
    """Whether a foreign server offers the tool."""
    return MCP_SERVER in (registered.metadata or {})


def replace_mcp_tools(tools: Iterable[BaseTool]) -> None:
    """Put these in the place of all tools of servers, from the next run on.

    A name that a built-in tool or an earlier one has is left out. Denied tools are not handed in.
    """
    with _replacing:
        kept = [tool for tool in all_tools if not is_of_mcp_server(tool)]
        taken = {tool.name for tool in kept}
        for each in tools:
            if each.name in taken:
                logger.warning("The tool %s is left out: its name is taken.", each.name)
                continue
            taken.add(each.name)
            kept.append(each)
        # One step: a run that begins now takes its snapshot before or after, never in between.
        all_tools[:] = kept


_replacing = threading.Lock()

all_tools: list[BaseTool] = [
    rag_search_tool,
    read_tool,
    list_dir_tool,
    glob_tool,
    grep_tool,
    echo_tool,
    list_processes_tool,
    skill_tool,
    ask_person_tool,
    edit_tool,
    web_fetch_tool,
    write_tool,
]
