"""The person's hand on a running discussion, through two real browsers of the same owner."""

from collections.abc import Callable
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from tests.support.asking_model import ASK_ME, CHOICES, QUESTION

SERVER_ENVIRONMENT = {"PIECE_SECONDS": "0.06"}
"""Slow enough that a person can step in."""
CLICK_MILLISECONDS = 60
PATIENCE_MILLISECONDS = 40_000
FIELD = "stChatInputTextArea"
TURN = "[class*=st-key-turn_]"
SAID = "[class*=st-key-said_]"
HEAD = ".st-key-discussion_head"
GO_ON = "[class*=st-key-go_on_] button"
STOP = "[class*=st-key-stop_] button"


def click(page: Page, selector: str) -> None:
    page.locator(selector).first.click(delay=CLICK_MILLISECONDS)


def say(page: Page, words: str) -> None:
    field = page.get_by_test_id(FIELD)
    field.fill(words)
    field.press("Enter")


def begin(page: Page, brief: str) -> None:
    """Put a brief before the team."""
    page.locator(".st-key-composer_mode").get_by_text("Team").click(delay=CLICK_MILLISECONDS)
    say(page, brief)
    expect(page.locator(TURN).first).to_be_visible(timeout=PATIENCE_MILLISECONDS)


def summarise(page: Page) -> None:
    """Ask for a summary by hand; a short talk may have too little to fold."""
    click(page, ".st-key-talk_menu button")
    page.get_by_role("menuitem").first.click(delay=CLICK_MILLISECONDS)
    done = page.get_by_text("What was said is summarised.")
    too_short = page.get_by_text("There is not enough to summarise yet.")
    expect(done.or_(too_short)).to_be_visible(timeout=PATIENCE_MILLISECONDS)


def test_two_windows_speak_pause_go_on_and_stop(open_tab: Callable[..., Page]) -> None:
    first = open_tab()
    begin(first, "Cancel unpaid orders")
    second = open_tab(f"/?{urlsplit(first.url).query}")
    expect(second.locator(TURN).first).to_be_visible(timeout=PATIENCE_MILLISECONDS)

    say(first, "And mind the coupons.")
    for page in (first, second):
        expect(page.locator(SAID)).to_contain_text("And mind the coupons.")
    click(first, "[class*=st-key-pause_] button")
    for page in (first, second):
        expect(page.locator(GO_ON)).to_be_visible(timeout=PATIENCE_MILLISECONDS)
        expect(page.locator(HEAD)).to_contain_text("Paused")

    say(first, "@tester What about gift cards?")
    for page in (first, second):
        said = page.locator(SAID).nth(1)
        expect(said).to_contain_text("to Tester", timeout=PATIENCE_MILLISECONDS)
        expect(said).to_contain_text("What about gift cards?")
        expect(said).not_to_contain_text("@tester")
        expect(said).to_contain_text("not answered yet")
    expect(first.get_by_test_id(FIELD)).to_have_value("")
    turns = first.locator(TURN).count()

    first.get_by_test_id(FIELD).fill("half a sent")
    click(second, GO_ON)
    for page in (first, second):
        answered = page.locator(SAID).nth(1)
        expect(answered).not_to_contain_text("not answered yet", timeout=PATIENCE_MILLISECONDS)
    expect(first.locator(TURN)).not_to_have_count(turns)

    click(second, STOP)
    for page in (first, second):
        expect(page.get_by_text("You stopped the discussion")).to_be_visible(timeout=10_000)
    expect(first.locator(f"{HEAD} [class*=st-key-continue_]").first).to_be_visible()
    expect(first.get_by_test_id(FIELD)).to_have_value("half a sent")
    summarise(first)


def test_a_question_keeps_what_is_typed_and_its_answer_counts_once(
    open_tab: Callable[..., Page],
) -> None:
    first = open_tab()
    begin(first, ASK_ME)
    card = first.locator("[class*=st-key-question_]").first
    expect(card).to_contain_text(QUESTION, timeout=PATIENCE_MILLISECONDS)
    own = card.get_by_role("textbox")
    own.fill("at least those we sell")

    second = open_tab("/approvals")
    other = second.locator("[class*=st-key-question_]").first
    expect(other).to_contain_text(QUESTION)
    say(first, "Mind the bonus points")
    expect(first.locator(SAID)).to_be_visible()
    expect(own).to_have_value("at least those we sell")

    first.get_by_test_id(FIELD).fill("half a sent")
    first.get_by_role("link", name="Memory").click(delay=CLICK_MILLISECONDS)
    expect(first.get_by_test_id(FIELD)).to_have_count(0)
    first.get_by_role("link", name="Discussion").click(delay=CLICK_MILLISECONDS)
    expect(first.get_by_test_id(FIELD)).to_have_value("half a sent")
    expect(own).to_have_value("at least those we sell")
    first.reload()
    expect(own).to_have_value("at least those we sell")
    say(first, "And mind the vouchers")
    expect(first.locator(SAID)).to_have_count(2)
    expect(first.get_by_test_id(FIELD)).to_have_value("")

    card.get_by_text(CHOICES[0]).click(delay=CLICK_MILLISECONDS)
    click(first, "[class*=st-key-answer_] button")
    answered = first.locator("[class*=st-key-answered_]")
    expect(answered).to_contain_text("admin answered", timeout=PATIENCE_MILLISECONDS)
    expect(answered).to_contain_text(CHOICES[0])
    expect(answered).to_contain_text("at least those we sell")

    click(second, "[class*=st-key-leave_open_] button")
    expect(second.get_by_text("already answered")).to_be_visible()
    click(first, STOP)
    expect(first.get_by_text("You stopped the discussion")).to_be_visible(timeout=10_000)
