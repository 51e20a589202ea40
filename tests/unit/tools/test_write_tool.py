"""Write, Read and the effect that the approval card shows."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from meetmind.errors import ToolError
from meetmind.tools.effects import expected_effect
from meetmind.tools.read_tool import read_tool
from meetmind.tools.workbench import Workbench
from meetmind.tools.write_tool import content_sha256, write_tool


def config_for(workspace: Path) -> dict[str, Any]:
    def no_search(agent_name: str | None, query: str, expansion_terms: object) -> Any:
        raise AssertionError("nobody searches here")

    bench = Workbench(
        agent_name="architect",
        search=no_search,
        search_slots=asyncio.Semaphore(1),
        expansion_terms=(),
        workspace=workspace,
    )
    return {"configurable": {"workbench": bench}}


def run(tool: Any, arguments: dict[str, Any], workspace: Path) -> dict[str, Any]:
    answer = asyncio.run(tool.ainvoke(arguments, config_for(workspace)))
    envelope: dict[str, Any] = json.loads(answer)
    return envelope


def test_what_is_written_can_be_read_again(tmp_path: Path) -> None:
    written = run(write_tool, {"path": "notes/决定.md", "content": "第一条\n"}, tmp_path)
    assert written["status"] == "ok"
    assert written["data"]["sha256"] == content_sha256("第一条\n")
    read = run(read_tool, {"path": "notes/决定.md"}, tmp_path)
    assert read["data"]["text"] == "第一条\n"


def test_the_effect_tells_the_file_before_and_after_and_the_difference(tmp_path: Path) -> None:
    arguments = {"path": "a.md", "content": "two\n"}
    new_file = expected_effect("Write", arguments, tmp_path)
    assert new_file.sha256_before == ""
    run(write_tool, {"path": "a.md", "content": "one\n"}, tmp_path)
    effect = expected_effect("Write", arguments, tmp_path)
    assert effect.sha256_before == content_sha256("one\n")
    assert effect.sha256_after == content_sha256("two\n")
    assert "-one" in effect.diff
    assert "+two" in effect.diff


def test_the_effect_of_a_forbidden_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ToolError):
        expected_effect("Write", {"path": "../a.md", "content": "x"}, tmp_path)


def test_a_missing_file_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="no file"):
        run(read_tool, {"path": "none.md"}, tmp_path)
