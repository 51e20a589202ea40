"""Approvals through a real browser: edits, permissions, two tabs, a refresh, a double click."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.support.asking_model import CHANGE, WRITE
from tests.support.stale_page import hears_only_of

SERVER_ENVIRONMENT = {"MAX_ITERATIONS": "2"}
CLICK_MILLISECONDS = 60
PATIENCE_MILLISECONDS = 30_000
CARD = "[class*=st-key-approval_]"
APPROVE = "[class*=st-key-approved_] button"
REJECT = "[class*=st-key-rejected_] button"
ALLOW = "[class*=st-key-allowed_] button"
DECIDED = "Approved by admin"
NAVIGATION = "[data-testid=stSidebarNav]"


def click(page: Page, selector: str) -> None:
    page.locator(selector).first.click(delay=CLICK_MILLISECONDS)


def begin(page: Page, brief: str) -> None:
    """Put a brief before the team and wait for its first card."""
    choice = page.locator(".st-key-composer_mode").get_by_text("Team")
    choice.click(delay=CLICK_MILLISECONDS)
    field = page.get_by_test_id("stChatInputTextArea")
    field.fill(brief)
    field.press("Enter")
    expect(page.locator(CARD)).to_be_visible(timeout=PATIENCE_MILLISECONDS)


def test_edited_arguments_are_what_runs_and_a_refresh_changes_nothing(
    open_tab: Callable[..., Page],
) -> None:
    page = open_tab()
    begin(page, WRITE)
    expect(page.locator(NAVIGATION).get_by_text("Approvals (1)")).to_be_visible(
        timeout=PATIENCE_MILLISECONDS
    )
    expect(page.get_by_test_id("stChatInputTextArea")).to_be_enabled()
    page.reload()
    expect(page.locator(CARD)).to_be_visible(timeout=PATIENCE_MILLISECONDS)
    click(page, "[class*=st-key-edit_] button")
    path = page.get_by_role("textbox", name="File", exact=True)
    path.fill("better.md")
    click(page, "[class*=st-key-rate_] button")
    expect(page.get_by_text("With these arguments:")).to_be_visible(timeout=PATIENCE_MILLISECONDS)
    expect(path).to_have_value("better.md")
    click(page, "[class*=st-key-approve_typed_] button")
    expect(page.get_by_text("with changed arguments")).to_be_visible(timeout=PATIENCE_MILLISECONDS)
    expect(page.locator(".st-key-side_files").get_by_text("better.md")).to_be_visible(
        timeout=PATIENCE_MILLISECONDS
    )
    expect(page.locator(NAVIGATION).get_by_text("Approvals", exact=True)).to_be_visible(
        timeout=PATIENCE_MILLISECONDS
    )


def test_what_is_allowed_for_the_discussion_passes_the_second_time(
    open_tab: Callable[..., Page],
) -> None:
    page = open_tab()
    begin(page, CHANGE)
    page.locator(APPROVE).first.dblclick(delay=CLICK_MILLISECONDS)
    click(page, ALLOW)
    expect(page.get_by_text("Allowed for this discussion by admin")).to_be_visible(
        timeout=PATIENCE_MILLISECONDS
    )
    expect(page.locator(".st-key-side_grants").get_by_text("used once")).to_be_visible(
        timeout=PATIENCE_MILLISECONDS
    )
    expect(page.get_by_text(DECIDED, exact=False).first).to_be_visible(
        timeout=PATIENCE_MILLISECONDS
    )
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_of_two_tabs_one_decides_and_the_other_is_told(open_tab: Callable[..., Page]) -> None:
    first = open_tab()
    begin(first, WRITE)
    second = open_tab("/memory")
    hears_only_of(second, b"rejected_")
    second.goto(first.url)
    expect(second.locator(CARD)).to_be_visible(timeout=PATIENCE_MILLISECONDS)
    click(first, APPROVE)
    expect(first.get_by_text(DECIDED)).to_be_visible(timeout=PATIENCE_MILLISECONDS)
    click(second, REJECT)
    expect(second.get_by_text("already approved by admin")).to_be_visible(
        timeout=PATIENCE_MILLISECONDS
    )
