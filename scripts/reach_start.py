"""`make reach AREA=start`: how the app starts, and whether its first discussion is worth seeing."""

import re
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT_ROOT), str(PROJECT_ROOT / "scripts")]

from app_trial import (  # noqa: E402 - the paths above come first
    COMPOSER,
    FORM,
    PATIENCE_MS,
    begin_discussion,
    free_port,
    fresh_home,
    open_browser,
    sign_in_first_time,
    started_app,
    wait_for_approval,
)
from reach_lines import ReachLines  # noqa: E402

ROUNDS = 5
BRIEF = (
    "Allow several coupons on one order in the European shop. What has to change, what can fail?"
)
ENDPOINT_TESTS = "tests/discussions/test_model_faults.py"


@dataclass(kw_only=True)
class Seconds:
    """What the rounds measured, in seconds; memory in MB."""

    first_page: list[float] = field(default_factory=list)
    sign_in: list[float] = field(default_factory=list)
    first_discussion: list[float] = field(default_factory=list)
    second_start: list[float] = field(default_factory=list)
    memory_mb: list[float] = field(default_factory=list)


def main() -> None:
    """Measure everything and print the lines."""
    lines = ReachLines("start")
    seconds = Seconds()
    with open_browser() as browser:
        for _ in range(ROUNDS):
            one_round(browser, seconds)
    lines.at_most("first_page_s", statistics.median(seconds.first_page), 3)
    lines.at_most("sign_in_s", statistics.median(seconds.sign_in), 10)
    lines.at_most("second_start_s", statistics.median(seconds.second_start), 5)
    lines.at_most("first_discussion_s", statistics.median(seconds.first_discussion), 60)
    lines.at_most("rss_mb", statistics.median(seconds.memory_mb), 2500)
    measure_intent(lines)
    measure_endpoint_cases(lines)
    measure_briefs(lines)
    measure_tests(lines)


def one_round(browser: Browser, seconds: Seconds) -> None:
    """A first start up to the first Write card, then a second start of the same installation."""
    port = free_port()
    context = browser.new_context(locale="en-US")
    page = context.new_page()
    with fresh_home() as home:
        with started_app(home, port) as app:
            app.open_page(page)
            page.locator("#root h1, #root h3, #root p").first.wait_for(timeout=PATIENCE_MS)
            seconds.first_page.append(app.age)
            page.locator(FORM).first.wait_for(timeout=PATIENCE_MS)
            seconds.sign_in.append(app.age)
            sign_in_first_time(page)
            begin_discussion(page, BRIEF, "Team")
            wait_for_approval(page)
            seconds.first_discussion.append(app.age)
            seconds.memory_mb.append(app.memory_mb())
        with started_app(home, port) as app:
            app.open_page(page)
            page.locator(COMPOSER).wait_for(timeout=PATIENCE_MS)
            seconds.second_start.append(app.age)
    context.close()


def measure_intent(lines: ReachLines) -> None:
    """The worse of the two languages on messages that are not examples."""
    from meetmind.evaluation.intent_accuracy import intent_accuracy

    accuracy_by_language = intent_accuracy()
    lines.note(f"intent accuracy by language: {accuracy_by_language}")
    lines.at_least("intent_accuracy", min(accuracy_by_language.values()), 0.90)


def measure_endpoint_cases(lines: ReachLines) -> None:
    """How many of the loopback endpoint's cases end in the right event."""
    report = run_pytest(ENDPOINT_TESTS)
    passed, failed = counted(report, "passed"), counted(report, "failed")
    lines.all_of("llm_failures_clear", passed, passed + failed)


def measure_briefs(lines: ReachLines) -> None:
    """The twelve briefs through the whole graph with the offline model."""
    from offline_briefs import judge_all, read_options

    passed, total = judge_all(read_options([]))
    lines.all_of("offline_briefs", passed, total)


def measure_tests(lines: ReachLines) -> None:
    """The whole suite, as `make test` runs it."""
    began = time.monotonic()
    report = run_pytest("-m", "not llm")
    lines.note(report.strip().splitlines()[-1])
    lines.at_most("test_minutes", (time.monotonic() - began) / 60, 15)


def run_pytest(*arguments: str) -> str:
    """pytest's report; its exit code is read from the counts."""
    command = [sys.executable, "-m", "pytest", "-q", *arguments]
    finished = subprocess.run(
        command, cwd=PROJECT_ROOT, capture_output=True, text=True, check=False
    )
    return finished.stdout


def counted(report: str, word: str) -> int:
    """The number before a word in pytest's last line."""
    found = re.search(rf"(\d+) {word}", report.strip().splitlines()[-1])
    return int(found[1]) if found else 0


if __name__ == "__main__":
    main()
