"""Tools speak English to roles; people read how a call ended in their own language."""

import re
from pathlib import Path
from typing import Any

import pytest

from meetmind.config.settings import PROJECT_ROOT
from meetmind.i18n.call_results import (
    SHAPE_BY_TOOL,
    failure_text,
    place_text,
    refused_text,
    result_text,
)
from meetmind.tools.glob_tool import glob_tool
from meetmind.tools.grep_tool import grep_tool
from meetmind.tools.list_dir_tool import list_dir_tool
from meetmind.tools.list_processes_tool import list_processes_tool
from meetmind.tools.read_tool import read_tool
from meetmind.tools.skill_tool import skill_tool
from meetmind.tools.write_tool import write_tool
from tests.support.file_bench import run_tool

CALLS: list[tuple[Any, dict[str, Any], str]] = [
    (read_tool, {"path": "a.md"}, "第 1 至 2 行，共 2 行"),
    (read_tool, {"path": "a.md", "limit": 1}, "第 1 至 1 行，共 2 行"),
    (write_tool, {"path": "b.md", "content": "x"}, "1 字节"),
    (list_dir_tool, {}, "1 项"),
    (glob_tool, {"pattern": "*.md"}, "1 个文件"),
    (grep_tool, {"pattern": "o"}, "1 个文件中有 2 处匹配"),
    (list_processes_tool, {"limit": 1}, r"显示 1 个进程，共 \d+ 个"),
    (skill_tool, {}, r"\d+ 项技能"),
]


@pytest.mark.parametrize(("tool", "arguments", "line"), CALLS)
def test_what_a_tool_says_of_a_good_result_is_told_in_chinese(
    tool: Any, arguments: dict[str, Any], line: str, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("one\ntwo\n", encoding="utf-8")
    envelope = run_tool(tool, arguments, tmp_path)
    told = result_text(envelope["tool"], envelope["diagnostics"]["summary"], "zh")
    assert re.fullmatch(line, told)


def test_every_line_of_a_tool_that_is_translated_is_asked_for_here() -> None:
    assert {tool.name for tool, _, _ in CALLS} == set(SHAPE_BY_TOOL)


def test_names_and_foreign_words_stay_as_they_are() -> None:
    assert result_text("Edit", "notes/a.md", "zh") == "notes/a.md"
    assert result_text("notes__add", "3 skills", "zh") == "3 skills"
    assert result_text("skill", "incident-review", "zh") == "incident-review"


def test_one_of_a_kind_is_said_as_one() -> None:
    assert result_text("Write", "a.md (1 bytes)", "en") == "1 byte"
    assert result_text("Read", "a.md, line 1 of 1", "en") == "1 line"


def test_every_way_in_which_a_tool_fails_has_a_sentence_of_its_own() -> None:
    reasons: set[str] = set()
    for source in (PROJECT_ROOT / "meetmind" / "tools").rglob("*.py"):
        reasons |= set(re.findall(r'reason="([a-z_]+)"', source.read_text(encoding="utf-8")))
    assert len(reasons) > 30
    general = failure_text("never_heard_of", "en")
    assert sorted(reason for reason in reasons if failure_text(reason, "en") == general) == []
    assert failure_text("status_404", "zh") == "服务器返回了错误 404。"


@pytest.mark.parametrize(
    ("details", "sentence"),
    [
        ({"problem": "It stands 0 times.", "reason": "not_found"}, "文件里没有要替换的内容。"),
        (
            {"problem": "path: Field required; limit.0: Input should be a valid integer"},
            "这些参数与工具不符：path、limit。",
        ),
        ({"problem": "'to' is a required property"}, "这些参数无法执行，尚未做出任何决定。"),
        ({"problem": "high"}, "这些参数无法执行，尚未做出任何决定。"),
        ({}, "这些参数无法执行，尚未做出任何决定。"),
    ],
)
def test_why_changed_arguments_cannot_run_is_told_in_chinese(
    details: dict[str, str | int | float], sentence: str
) -> None:
    assert refused_text(details, "zh") == sentence


@pytest.mark.parametrize(
    ("locator", "english", "chinese"),
    [
        ("line 5", "line 5", "第 5 行"),
        ("lines 1-40", "lines 1-40", "第 1-40 行"),
        ("lines 3, 17", "lines 3, 17", "第 3、17 行"),
        ("characters 1-4000", "characters 1-4000", "第 1-4000 个字符"),
        ("§ 2", "§ 2", "§ 2"),
    ],
)
def test_where_a_tool_has_read_is_told_in_the_readers_language(
    locator: str, english: str, chinese: str
) -> None:
    assert place_text(locator, "en") == english
    assert place_text(locator, "zh") == chinese
