"""The one place where tools are registered; a tool's risk is read from the tool object alone."""

from collections.abc import Iterable
from typing import cast

from langchain_core.tools import BaseTool

from meetmind.events import Risk
from meetmind.tools.rag_search_tool import rag_search_tool
from meetmind.tools.read_tool import read_tool
from meetmind.tools.write_tool import write_tool

RISKS: tuple[Risk, ...] = ("low", "medium", "high")


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

    def named(self, names: Iterable[str]) -> list[BaseTool]:
        """The tools of these names, in this order."""
        return [self._tool_by_name[name] for name in names]


def risk_of(registered: BaseTool) -> Risk:
    """The tool's own risk; a tool that does not say counts as high."""
    risk = (registered.metadata or {}).get("risk")
    if risk in RISKS:
        return cast("Risk", risk)
    return "high"


all_tools: list[BaseTool] = [rag_search_tool, read_tool, write_tool]
