"""The layers of docs/architecture.md hold."""

import subprocess
import sys
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[2]


def test_imports_point_down_only() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    result = subprocess.run(
        command, cwd=PROJECT_ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert result.returncode == 0, result.stdout[-4000:]


def test_an_init_file_holds_a_docstring_and_nothing_else() -> None:
    for path in (PROJECT_ROOT / "meetmind").rglob("__init__.py"):
        lines = path.read_text(encoding="utf-8").strip().splitlines()
        assert len(lines) == 1, path
        assert lines[0].startswith('"""'), path


def test_no_page_module_is_long() -> None:
    for path in (PROJECT_ROOT / "pages").glob("*.py"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 90, f"{path.name} has {len(lines)} lines; draw in meetmind/ui"


def test_opening_the_services_imports_nothing_that_takes_seconds() -> None:
    heavy = ("langchain_core", "langgraph", "torch", "mcp", "trafilatura", "sklearn")
    code = f"import sys, meetmind.server.services; print([m for m in {heavy} if m in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert result.stdout.strip() == "[]"
