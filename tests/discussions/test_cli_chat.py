"""`python -m meetmind.cli chat` as a person at a terminal runs it, over the offline model."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.config.settings import PROJECT_ROOT


@pytest.fixture
def environment(database_url: str, tmp_path: Path) -> dict[str, str]:
    """An installation of its own with some documents of every role and no model."""
    for agent_name in AGENT_NAMES:
        folder = tmp_path / "seed" / agent_name
        folder.mkdir(parents=True)
        for document in (PROJECT_ROOT / "data" / "seed" / agent_name).glob("*.md"):
            shutil.copy(document, folder)
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    return {
        **kept,
        "PG_URL": database_url,
        "MEETMIND_HOME": str(tmp_path / "home"),
        "SEED_DATA_PATH": str(tmp_path / "seed"),
        "API_KEY": "",
        "EMBEDDING_MODEL_NAME": "no-such-model",
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "200",
    }


def run_cli(environment: dict[str, str], typed: bytes, *arguments: str) -> str:
    process = subprocess.run(
        [sys.executable, "-m", "meetmind.cli", *arguments],
        input=typed,
        capture_output=True,
        env=environment,
        cwd=PROJECT_ROOT,
        timeout=170,
        check=False,
    )
    output = process.stdout.decode("utf-8")
    assert process.returncode == 0, output + process.stderr.decode("utf-8", "replace")
    return output


def test_a_brief_is_discussed_approved_and_reviewed_at_the_terminal(
    environment: dict[str, str],
) -> None:
    run_cli(environment, b"", "ingest")
    typed = b"Payment callbacks arrive twice \xff. Nobody may be charged twice.\ny\nexit\n"

    output = run_cli(environment, typed, "chat", "--mode", "team")

    assert "offline model" in output
    assert "Architect · turn 1" in output
    assert "Backend engineer · turn" in output
    assert re.search(r"^  \[1\] .+ · .+\.md", output, re.MULTILINE)
    assert "High risk" in output
    assert "Approve? [y/n]" in output
    assert "The discussion at a glance" in output
    assert "The architect closed the discussion" in output


def test_a_name_without_an_account_is_refused(environment: dict[str, str]) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "meetmind.cli", "chat", "--user", "nobody-here"],
        input=b"",
        capture_output=True,
        env=environment,
        cwd=PROJECT_ROOT,
        timeout=120,
        check=False,
    )

    assert process.returncode == 1
    assert b"There is no account named nobody-here." in process.stdout
    assert b"Traceback" not in process.stderr
