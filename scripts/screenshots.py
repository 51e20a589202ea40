"""Takes the pictures in docs/screenshots from the running app with the offline model."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError

from playwright.sync_api import Browser, Page, sync_playwright

PROJECT = Path(__file__).resolve().parents[1]
FOLDER = PROJECT / "docs" / "screenshots"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
OPTIONS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
PASSWORD = "only-for-pictures"
WIDE = (1280, 860)
PHONE = (390, 844)
PATIENCE_MILLISECONDS = 600_000
CLICK_MILLISECONDS = 60


def main() -> int:
    """Start the app in a folder of its own, take every picture, stop it."""
    if CHROMIUM is None:
        print("Chromium is not installed; the pictures need it.", file=sys.stderr)
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    with running_app() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        page = open_page(browser, "en-US", "light", WIDE)
        sign_in_first(page, address)
        take_story(page, "en-light")
        state = page.context.storage_state()
        page.goto(f"{address}/knowledge")
        search_knowledge(page, "How long are idempotency keys kept?")
        take(page, "knowledge-en-light")
        chinese = open_page(browser, "zh-CN", "dark", WIDE, state)
        chinese.goto(address)
        switch_language(chinese)
        take_story(chinese, "zh-dark")
        phone = open_page(browser, "zh-CN", "light", PHONE, state)
        phone.goto(chinese.url)
        phone.locator("[class*=st-key-turn_]").first.wait_for()
        take(phone, "phone-zh-light")
        browser.close()
    return 0


def take_story(page: Page, name: str) -> None:
    """The empty page, a discussion that waits for a click, and its end with an open passage."""
    page.locator(".st-key-examples button").first.wait_for(timeout=PATIENCE_MILLISECONDS)
    page.locator(".st-key-ingestion").wait_for(state="detached", timeout=PATIENCE_MILLISECONDS)
    take(page, f"start-{name}")
    click(page, ".st-key-examples button")
    approve = "[class*=st-key-approved_] button"
    page.locator(approve).first.wait_for(timeout=PATIENCE_MILLISECONDS)
    take(page, f"discussion-{name}")
    click(page, approve)
    page.locator("[class*=st-key-stop_]").first.wait_for(
        state="detached", timeout=PATIENCE_MILLISECONDS
    )
    click(page, "[class*=st-key-sources_] button >> nth=-1")
    page.get_by_test_id("stPopoverBody").wait_for()
    take(page, f"evidence-{name}")
    page.keyboard.press("Escape")


def sign_in_first(page: Page, address: str) -> None:
    """The first sign-in, which asks for a password."""
    page.goto(address)
    fill_form(page, ["admin", "admin"])
    fill_form(page, ["admin", PASSWORD, PASSWORD])
    page.locator(".st-key-examples button").first.wait_for(timeout=PATIENCE_MILLISECONDS)
    page.reload()


def fill_form(page: Page, values: list[str]) -> None:
    """Fill the form's fields in their order and send it."""
    fields = page.get_by_test_id("stForm").get_by_role("textbox")
    fields.nth(len(values) - 1).wait_for(timeout=PATIENCE_MILLISECONDS)
    for position, value in enumerate(values):
        fields.nth(position).fill(value)
    click(page, "[data-testid=stFormSubmitButton] button")


def switch_language(page: Page) -> None:
    """Choose Chinese and begin with an empty page."""
    switch = page.locator(".st-key-sidebar_foot").get_by_text("中文")
    switch.click(delay=CLICK_MILLISECONDS)
    page.get_by_text("新讨论").first.click(delay=CLICK_MILLISECONDS)


def search_knowledge(page: Page, query: str) -> None:
    """Search on the Knowledge page and wait for passages."""
    page.locator(".st-key-knowledge_query input").fill(query)
    page.keyboard.press("Enter")
    page.locator("[class*=st-key-found_]").first.wait_for(timeout=PATIENCE_MILLISECONDS)


def click(page: Page, selector: str) -> None:
    """Click the first match, as slowly as a hand."""
    page.locator(selector).first.click(delay=CLICK_MILLISECONDS)


def take(page: Page, name: str) -> None:
    """One picture, once the page has come to rest."""
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.wait_for_timeout(700)
    page.screenshot(path=FOLDER / f"{name}.png", animations="disabled")
    print(f"docs/screenshots/{name}.png", flush=True)


def open_page(
    browser: Browser, locale: str, scheme: str, size: tuple[int, int], state: object = None
) -> Page:
    """A window of its own, signed in where `state` says so."""
    context = browser.new_context(
        locale=locale,
        color_scheme=scheme,
        viewport={"width": size[0], "height": size[1]},
        timezone_id="Europe/Berlin",
        storage_state=state,
    )
    return context.new_page()


@contextmanager
def running_app() -> Iterator[str]:
    """The app on a free port with a home of its own; its address."""
    home = tempfile.mkdtemp(prefix="meetmind-pictures-")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    environment = {**os.environ, "MEETMIND_HOME": home, "PORT": str(port), "API_KEY": ""}
    process = subprocess.Popen([sys.executable, str(PROJECT / "server.py")], env=environment)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until_healthy(address, process)
        yield address
    finally:
        process.terminate()
        process.wait(60)
        shutil.rmtree(home, ignore_errors=True)


def wait_until_healthy(address: str, process: "subprocess.Popen[bytes]") -> None:
    """Wait until the app can be used; ends this program when it could not start."""
    while process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/healthz", timeout=2):
                return
        except (URLError, OSError):
            time.sleep(0.2)
    raise SystemExit("The app could not start.")


if __name__ == "__main__":
    sys.exit(main())
