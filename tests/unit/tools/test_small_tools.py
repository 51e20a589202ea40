"""Echo, the list of processes, and the skills."""

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from meetmind.errors import ToolError
from meetmind.tools.echo_tool import EchoArguments, echo_tool
from meetmind.tools.list_processes_tool import list_processes_tool
from meetmind.tools.skill_tool import PIECE_CHARACTERS, skill_tool
from meetmind.tools.skills import FILE_BY_LANGUAGE, SKILLS_FOLDER, list_skills, load_skill
from meetmind.tools.workbench import Workbench

SHIPPED = [
    "review-a-risk",
    "run-an-incident-review",
    "slice-a-release",
    "write-acceptance-criteria",
    "write-an-adr",
]
SECRET = "hunter2-in-an-argument"


def config_for(language: str = "en") -> dict[str, Any]:
    def no_search(agent_name: str | None, query: str, expansion_terms: object) -> Any:
        raise AssertionError("nobody searches here")

    bench = Workbench(
        agent_name="architect",
        search=no_search,
        search_slots=asyncio.Semaphore(1),
        expansion_terms=(),
        workspace=Path("nowhere"),
        language=language,
    )
    return {"configurable": {"workbench": bench}}


def run(tool: Any, arguments: dict[str, Any], language: str = "en") -> dict[str, Any]:
    answer = asyncio.run(tool.ainvoke(arguments, config_for(language)))
    envelope: dict[str, Any] = json.loads(answer)
    return envelope


def test_the_small_tools_need_no_click() -> None:
    for tool in (echo_tool, list_processes_tool, skill_tool):
        assert tool.metadata == {"risk": "low"}


def test_echo_gives_the_text_back_and_no_more_than_it_may() -> None:
    assert run(echo_tool, {"text": "你好\nsecond"})["data"] == {"text": "你好\nsecond"}
    with pytest.raises(ValidationError):
        EchoArguments(text="x" * 4_001)


def test_a_process_is_listed_by_name_and_pid_without_its_arguments_and_environment() -> None:
    environment = {**os.environ, "SECRET": SECRET}
    command = [sys.executable, "-c", "input()", SECRET]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)
    try:
        name = Path(os.path.realpath(sys.executable)).name[:6]
        envelope = run(list_processes_tool, {"name": name, "limit": 50})
    finally:
        child.communicate(b"\n", timeout=10)
    listed = envelope["data"]["processes"]
    assert child.pid in [process["pid"] for process in listed]
    assert all(set(each) == {"name", "pid", "cpu_percent", "memory_mb"} for each in listed)
    assert SECRET not in json.dumps(envelope)


def test_the_list_is_bounded_and_sorted_by_what_was_asked() -> None:
    envelope = run(list_processes_tool, {"limit": 3})
    memory = [process["memory_mb"] for process in envelope["data"]["processes"]]
    assert len(memory) <= 3 <= envelope["data"]["found"] or len(memory) == envelope["data"]["found"]
    assert memory == sorted(memory, reverse=True)
    by_cpu = run(list_processes_tool, {"limit": 5, "sort_by": "cpu"})["data"]["processes"]
    cpu = [process["cpu_percent"] for process in by_cpu]
    assert cpu == sorted(cpu, reverse=True)


def test_a_busy_process_shows_what_it_uses() -> None:
    command = [sys.executable, "-c", "while True: pass"]
    child = subprocess.Popen(command)
    try:
        deadline = time.monotonic() + 10
        used = 0.0
        while used == 0.0 and time.monotonic() < deadline:
            rows = run(list_processes_tool, {"sort_by": "cpu", "limit": 50})["data"]["processes"]
            used = max((row["cpu_percent"] for row in rows if row["pid"] == child.pid), default=0.0)
    finally:
        child.kill()
        child.wait()
    assert used > 0


def test_the_loop_goes_on_while_processes_are_measured() -> None:
    async def ticks_meanwhile() -> int:
        listing = asyncio.create_task(list_processes_tool.ainvoke({}, config_for()))
        ticks = 0
        while not listing.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return ticks

    assert asyncio.run(ticks_meanwhile()) >= 3


def test_a_name_that_nothing_has_finds_nothing() -> None:
    assert run(list_processes_tool, {"name": "no-such-process-xyz"})["data"] == {
        "processes": [],
        "found": 0,
    }


@pytest.mark.parametrize("language", ["en", "zh"])
def test_five_skills_are_listed_with_a_line_each_in_both_languages(language: str) -> None:
    listed = run(skill_tool, {}, language)["data"]["skills"]
    assert [skill["name"] for skill in listed] == SHIPPED
    for skill in listed:
        assert skill["description"]
        assert skill["description"].isascii() == (language == "en")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", SHIPPED)
def test_a_skill_is_loaded_as_evidence_of_a_file(name: str, language: str) -> None:
    envelope = run(skill_tool, {"name": name}, language)
    evidence = envelope["evidence"]
    assert [piece["rank"] for piece in evidence] == list(range(1, len(evidence) + 1))
    for piece in evidence:
        assert piece["kind"] == "file"
        assert piece["agent_name"] == ""
        assert piece["source"] == f"skills/{name}/SKILL.md"
        assert piece["language"] == language
        assert piece["passage_id"].startswith("file_")
        assert len(piece["content"]) <= PIECE_CHARACTERS
    whole_text = "\n".join(piece["content"] for piece in evidence)
    assert whole_text == load_skill(name, language).text
    assert "\n```markdown\n# " in whole_text


@pytest.mark.parametrize("name", SHIPPED)
def test_the_files_of_a_skill_have_its_name_and_both_languages_the_same_parts(name: str) -> None:
    heading_counts = []
    for file_name in FILE_BY_LANGUAGE.values():
        text = (SKILLS_FOLDER / name / file_name).read_text(encoding="utf-8")
        assert text.startswith(f"---\nname: {name}\ndescription: ")
        lines = text.splitlines()
        assert len(lines) <= 120
        assert max(len(line) for line in lines) <= 150
        headings = [line for line in lines if line.startswith("#")]
        heading_counts.append([line.count("#") for line in headings])
    assert heading_counts[0] == heading_counts[1]


@pytest.mark.parametrize(
    "name",
    ["no-such-skill", "../skills/write-an-adr", "write-an-adr/../x", "/etc", "WRITE-AN-ADR", "."],
)
def test_only_listed_names_are_loaded_and_the_role_is_told_which_there_are(name: str) -> None:
    with pytest.raises(ToolError, match="Take one of: review-a-risk, ") as refused:
        load_skill(name, "en")
    assert refused.value.reason == "no_such_skill"


def test_links_odd_names_and_folders_without_a_text_are_no_skills(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "SKILL.md").write_text("No front matter here.", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "Odd Name").mkdir()
    (tmp_path / "Odd Name" / "SKILL.md").write_text("x", encoding="utf-8")
    (tmp_path / "linked").symlink_to(tmp_path / "plain")
    assert [skill.name for skill in list_skills("en", tmp_path)] == ["plain"]
    assert load_skill("plain", "zh", tmp_path).text == "No front matter here."
    assert list_skills("en", tmp_path / "missing") == []
