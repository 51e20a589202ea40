"""An edit of a passage in a real browser, where a form keeps what is typed to itself."""

import json
from collections.abc import Callable

from playwright.sync_api import Page, expect

TYPED = "Frozen goods may come back after a call."
ENTRIES = [{"title": "Cold chain", "content": "Frozen goods are never taken back."}]


def test_an_unsaved_edit_stays_when_another_tab_is_clicked(
    open_signed_in: Callable[..., Page],
) -> None:
    page = open_signed_in("/knowledge")
    page.get_by_role("tab", name="Upload and upkeep").click()
    content = json.dumps(ENTRIES).encode()
    file = {"name": "frozen.json", "mimeType": "application/json", "buffer": content}
    page.locator("input[type=file]").set_input_files([file])
    page.get_by_role("button", name="Upload and read").click()
    expect(page.get_by_text("passages: 1", exact=False).first).to_be_visible()
    page.get_by_role("tab", name="Passages").click()
    search = page.get_by_label("Words in the title or the text")
    search.fill("never taken back")
    search.press("Enter")
    expect(page.get_by_text("1 passage", exact=True)).to_be_visible()
    page.locator("[class*=st-key-open_][class*=architect_] button").first.click()
    page.locator("[class*=st-key-edit_architect_] button").click()
    page.get_by_role("textbox", name="Text").fill(TYPED)
    page.get_by_role("tab", name="Search").click()
    expect(page.get_by_role("tab", name="Search")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("textbox", name="Text")).to_have_value(TYPED)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text(TYPED)).to_be_visible()
