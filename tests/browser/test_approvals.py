"""Approvals through a real browser: edits, permissions, two tabs, a refresh, a double click."""

import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect
from psycopg.conninfo import make_conninfo

from meetmind.config.settings import PROJECT_ROOT
from meetmind.database.connection import get_pg_pool
from meetmind.server.accounts import Accounts
from meetmind.ui.session import COOKIE_NAME
from tests.browser.conftest import PASSWORD, RunningServer, free_port, wait_until_healthy
from tests.conftest import run_on_server
from tests.support.asking_model import CHANGE, WRITE
from tests.support.stale_page import hears_only_of

CLICK_MILLISECONDS = 60
PATIENCE_MILLISECONDS = 30_000
CARD = "[class*=st-key-approval_]"
APPROVE = "[class*=st-key-approved_] button"
REJECT = "[class*=st-key-rejected_] button"
ALLOW = "[class*=st-key-allowed_] button"
DECIDED = "Approved by admin"
NAVIGATION = "[data-testid=stSidebarNav]"


@pytest.fixture(scope="module")
def asking_server(
    server_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningServer]:
    """The real server with a model that asks for the calls of its brief."""
    name = f"meetmind_browser_{secrets.token_hex(4)}"
    run_on_server(server_url, f"create database {name} template {template_database}")
    database_url = make_conninfo(server_url, dbname=name)
    port = free_port()
    environment = {
        **os.environ,
        "PG_URL": database_url,
        "PORT": str(port),
        "MEETMIND_HOME": str(tmp_path_factory.mktemp("home")),
        "SEED_DATA_PATH": str(tmp_path_factory.mktemp("seed")),
        "EMBEDDING_MODEL_NAME": "no-such-model",
        "MAX_ITERATIONS": "2",
        "API_KEY": "",
    }
    command = [sys.executable, "-m", "tests.browser.asking_server"]
    process = subprocess.Popen(command, env=environment, cwd=PROJECT_ROOT)
    wait_until_healthy(f"http://127.0.0.1:{port}")
    accounts = Accounts(get_pg_pool(database_url))
    person = accounts.sign_in("admin", "admin")
    accounts.change_password(person.id, "admin", PASSWORD)
    yield RunningServer(url=f"http://127.0.0.1:{port}", accounts=accounts)
    process.terminate()
    process.wait(30)
    run_on_server(server_url, f"drop database {name} with (force)")


@pytest.fixture
def open_tab(asking_server: RunningServer, open_window: Callable[..., Page]) -> Callable[..., Page]:
    """Opens windows in which the administrator is signed in already."""

    def open_one(path: str = "/") -> Page:
        page = open_window()
        person = asking_server.accounts.sign_in("admin", PASSWORD)
        token = asking_server.accounts.redeem_ticket(asking_server.accounts.issue_ticket(person.id))
        assert token is not None
        page.context.add_cookies([{"name": COOKIE_NAME, "value": token, "url": asking_server.url}])
        page.goto(asking_server.url + path)
        return page

    return open_one


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
    expect(page.get_by_test_id("stChatInputTextArea")).to_be_disabled()
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
