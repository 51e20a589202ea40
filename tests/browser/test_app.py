from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PASSWORD, RunningServer

CLICK_MILLISECONDS = 60
RUN_MILLISECONDS = 90_000

TEXTS = {
    "en-US": {
        "brief": "Customers should be able to cancel an unpaid order themselves.",
        "search": "unpaid order",
        "closed": "The architect closed the discussion",
        "approved": "Approved by admin",
        "rejected": "Rejected by admin: too early",
        "reason": "too early",
        "stopped": "You stopped the discussion",
        "empty": "What should the team think through?",
    },
    "zh-CN": {
        "brief": "未支付的订单，顾客应该能自己取消。",
        "search": "未支付",
        "closed": "架构师结束了讨论",
        "approved": "由 admin 批准",
        "rejected": "由 admin 驳回：为时过早",
        "reason": "为时过早",
        "stopped": "你停止了讨论",
        "empty": "想让团队讨论什么？",
    },
}


def click(page: Page, selector: str) -> None:
    page.locator(selector).first.click(delay=CLICK_MILLISECONDS)


def choose_team(page: Page, locale: str) -> None:
    name = "Team" if locale == "en-US" else "团队"
    page.locator(".st-key-composer_mode").get_by_text(name).click(delay=CLICK_MILLISECONDS)


def put_brief(page: Page, brief: str) -> None:
    field = page.get_by_test_id("stChatInputTextArea")
    field.fill(brief)
    field.press("Enter")


def turns(page: Page) -> int:
    return page.locator("[class*=st-key-turn_]").count()


def test_a_stranger_gets_no_further_than_the_sign_in(
    start_server: Callable[[], RunningServer], open_window: Callable[..., Page]
) -> None:
    server = start_server()
    page = open_window()
    page.goto(f"{server.url}/knowledge")
    fields = page.get_by_role("textbox")
    expect(fields).to_have_count(2)
    expect(page.get_by_text("Knowledge")).to_have_count(0)
    expect(page.get_by_test_id("stSidebar")).to_have_count(0)

    fields.nth(0).fill("admin")
    fields.nth(1).fill("admin")
    click(page, "[data-testid=stFormSubmitButton] button")
    expect(page.get_by_text("Choose your password")).to_be_visible()
    expect(page.get_by_test_id("stSidebar")).to_have_count(0)

    for position, password in enumerate(("admin", PASSWORD, PASSWORD)):
        page.get_by_role("textbox").nth(position).fill(password)
    click(page, "[data-testid=stFormSubmitButton] button")
    expect(page.get_by_text("What does this role know?")).to_be_visible()
    assert page.url == f"{server.url}/knowledge"

    cookie = next(c for c in page.context.cookies() if c["name"] == "meetmind_session")
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Lax"
    page.reload()
    expect(page.get_by_text("What does this role know?")).to_be_visible()
    other_tab = page.context.new_page()
    other_tab.goto(server.url)
    expect(other_tab.get_by_text("What should the team think through?")).to_be_visible()

    click(other_tab, ".st-key-sign_out button:visible")
    expect(other_tab.get_by_role("textbox")).to_have_count(2)
    page.reload()
    expect(page.get_by_role("textbox")).to_have_count(2)


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_a_discussion_from_the_brief_to_the_decision(
    open_signed_in: Callable[..., Page], locale: str
) -> None:
    texts = TEXTS[locale]
    page = open_signed_in(locale=locale)
    expect(page.get_by_text(texts["empty"])).to_be_visible()
    choose_team(page, locale)
    put_brief(page, texts["brief"])

    first_turn = page.locator("[class*=st-key-turn_architect_]").first
    expect(first_turn).to_be_visible(timeout=RUN_MILLISECONDS)
    some_words = words_of_a_growing_turn(page)
    page.wait_for_function(
        "known => document.querySelector('.st-key-talk').innerText.length > known + 20",
        arg=some_words,
        timeout=RUN_MILLISECONDS,
    )

    address = page.url
    page.reload()
    expect(first_turn).to_be_visible()
    assert page.url == address

    card = page.locator("[class*=st-key-approved_] button").first
    expect(card).to_be_visible(timeout=RUN_MILLISECONDS)
    expect(page.get_by_test_id("stChatInputTextArea")).to_be_enabled()
    page.reload()
    expect(card).to_be_visible()
    card.click(delay=CLICK_MILLISECONDS)
    expect(page.get_by_text(texts["closed"])).to_be_visible(timeout=RUN_MILLISECONDS)
    expect(page.get_by_text(texts["approved"])).to_be_visible()
    said = turns(page)
    assert said >= 3

    click(page, ".st-key-new_discussion button")
    expect(page.get_by_text(texts["empty"])).to_be_visible()
    page.locator(".st-key-sidebar_search input").fill(texts["search"])
    click(page, ".st-key-sidebar_list button:visible")
    expect(page.get_by_text(texts["closed"])).to_be_visible()
    assert turns(page) == said


def words_of_a_growing_turn(page: Page) -> int:
    return int(page.evaluate("document.querySelector('.st-key-talk').innerText.length"))


def test_a_call_is_rejected_with_a_reason_and_the_discussion_goes_on(
    open_signed_in: Callable[..., Page],
) -> None:
    texts = TEXTS["zh-CN"]
    page = open_signed_in(locale="zh-CN")
    click(page, ".st-key-examples button")
    reject = page.locator("[class*=st-key-rejected_] button").first
    expect(reject).to_be_visible(timeout=RUN_MILLISECONDS)
    page.locator("[class*=st-key-reason_] input").fill(texts["reason"])
    reject.click(delay=CLICK_MILLISECONDS)
    expect(page.get_by_text(texts["rejected"])).to_be_visible()
    expect(page.get_by_text(texts["closed"])).to_be_visible(timeout=RUN_MILLISECONDS)


def test_stop_ends_the_run_and_keeps_what_was_said(open_signed_in: Callable[..., Page]) -> None:
    page = open_signed_in()
    click(page, ".st-key-examples button")
    expect(page.locator("[class*=st-key-turn_]").first).to_be_visible(timeout=RUN_MILLISECONDS)
    click(page, "[class*=st-key-stop_] button")
    expect(page.get_by_text(TEXTS["en-US"]["stopped"])).to_be_visible(timeout=3_000)
    expect(page.get_by_test_id("stChatInputTextArea")).to_be_enabled()


def test_what_is_open_and_typed_survives_the_polling(open_signed_in: Callable[..., Page]) -> None:
    page = open_signed_in()
    click(page, ".st-key-examples button")
    expect(page.locator("[class*=st-key-sources_]").first).to_be_visible(timeout=RUN_MILLISECONDS)
    expect(page.locator("[class*=st-key-turn_]").nth(1)).to_be_visible(timeout=RUN_MILLISECONDS)
    click(page, "[class*=st-key-sources_] button")
    popover = page.get_by_test_id("stPopoverBody")
    expect(popover).to_be_visible()
    said = turns(page)
    page.wait_for_function(
        "said => document.querySelectorAll('[class*=st-key-turn_]').length > said",
        arg=said,
        timeout=RUN_MILLISECONDS,
    )
    expect(popover).to_be_visible()
    page.keyboard.press("Escape")
    click(page, "[class*=st-key-stop_] button")


def test_hostile_words_are_shown_and_nothing_else(open_signed_in: Callable[..., Page]) -> None:
    hostile = (
        "![x](https://evil.example/a.png) [go](https://evil.example) $a^2$ and $b$ :red[red]"
        " :material/home: :tada: <img src=https://evil.example/b.png onerror=alert(1)>"
    )
    page = open_signed_in()
    put_brief(page, hostile)
    brief = page.locator("[class*=st-key-brief_]").first
    expect(brief).to_be_visible()
    expect(brief).to_contain_text("evil.example/a.png")
    expect(brief).to_contain_text(":red[red]")
    expect(brief).to_contain_text("$a^2$ and $b$")
    title = page.locator(".st-key-discussion_head")
    expect(title).to_contain_text("![x](")
    for inside in ("a[href]", ".katex", "img[src*=evil]", "p span[role=img]"):
        expect(brief.locator(inside)).to_have_count(0)
        expect(title.locator(inside)).to_have_count(0)
    expect(brief.locator(".stMarkdownColoredText", has_text="red")).to_have_count(0)


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_opens_without_a_fault_and_fits(
    open_signed_in: Callable[..., Page], locale: str, width: int
) -> None:
    headlines = {
        "/": ("think through", "想让团队讨论什么"),
        "/knowledge": ("Knowledge", "知识库"),
        "/memory": ("Memory", "记忆"),
        "/settings": ("Settings", "设置"),
    }
    for path, names in headlines.items():
        page = open_signed_in(path, locale=locale, width=width)
        name = names[0] if locale == "en-US" else names[1]
        expect(page.get_by_test_id("stMain").get_by_role("heading").first).to_contain_text(name)
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(overflow) <= 0
        page.close()


def test_a_discussion_is_renamed_and_deleted_from_the_list(
    open_signed_in: Callable[..., Page],
) -> None:
    page = open_signed_in()
    put_brief(page, "hello")
    expect(page.locator("[class*=st-key-brief_]")).to_be_visible()
    menu = "[class*=st-key-session_open_] [data-testid=stMenuButtonButton]:visible"
    click(page, menu)
    page.get_by_text("Rename", exact=True).click(delay=CLICK_MILLISECONDS)
    page.get_by_role("dialog").get_by_role("textbox").fill("Greetings")
    page.get_by_role("dialog").get_by_role("button", name="Save").click(delay=CLICK_MILLISECONDS)
    expect(page.locator(".st-key-discussion_head")).to_contain_text("Greetings")
    click(page, menu)
    page.get_by_text("Delete", exact=True).click(delay=CLICK_MILLISECONDS)
    page.get_by_role("button", name="Delete for good").click(delay=CLICK_MILLISECONDS)
    expect(page.get_by_text(TEXTS["en-US"]["empty"])).to_be_visible()
    expect(page.locator(".st-key-sidebar_list").get_by_text("Greetings")).to_have_count(0)


def test_on_a_phone_the_sidebar_makes_way_for_what_was_chosen(
    open_signed_in: Callable[..., Page],
) -> None:
    page = open_signed_in(width=390)
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar).to_have_attribute("data-collapsed", "true")
    is_drawn = page.locator("[data-testid=stApp][data-test-script-state=notRunning]")
    for choice in ("[data-testid=stSidebarNavLink]", ".st-key-new_discussion button"):
        is_drawn.wait_for()  # the end of a page change closes the sidebar once more
        page.get_by_test_id("stExpandSidebarButton").click(delay=CLICK_MILLISECONDS)
        expect(sidebar).to_have_attribute("data-collapsed", "false")
        sidebar.locator(choice).locator("visible=true").last.click(delay=CLICK_MILLISECONDS)
        expect(sidebar).to_have_attribute("data-collapsed", "true")
    page.get_by_test_id("stExpandSidebarButton").click(delay=CLICK_MILLISECONDS)
    expect(sidebar).to_have_attribute("data-collapsed", "false")
    page.reload()
    expect(sidebar).to_have_attribute("data-collapsed", "true")
