"""The real server on a database of its own, and a real Chromium that is watched for faults."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright
from psycopg.conninfo import make_conninfo
from psycopg_pool import ConnectionPool

from meetmind.config.settings import PROJECT_ROOT
from meetmind.database.connection import get_pg_pool
from meetmind.server.accounts import Accounts
from meetmind.ui.session import COOKIE_NAME
from tests.conftest import run_on_server

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None
)
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
START_SECONDS = 90.0
PASSWORD = "correct-horse"
PROBES = ("/_stcore/health", "/_stcore/host-config")
"""On a deep link the page asks for these below its own path first, and gets a 404."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="Chromium is not installed"))


@dataclass(frozen=True)
class RunningServer:
    """Where the app is, its accounts and its database."""

    url: str
    accounts: Accounts
    pool: ConnectionPool | None = None


@pytest.fixture(scope="session")
def start_server(
    server_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], RunningServer]]:
    """Starts servers, each on a fresh database; all are stopped at the end."""
    processes: list[subprocess.Popen[bytes]] = []
    databases: list[str] = []

    def start() -> RunningServer:
        name = f"meetmind_browser_{secrets.token_hex(4)}"
        run_on_server(server_url, f"create database {name} template {template_database}")
        databases.append(name)
        database_url = make_conninfo(server_url, dbname=name)
        port = free_port()
        environment = {
            **os.environ,
            "PG_URL": database_url,
            "PORT": str(port),
            "MEETMIND_HOME": str(tmp_path_factory.mktemp("home")),
            "EMBEDDING_MODEL_NAME": "no-such-model",
            "API_KEY": "",
        }
        command = [sys.executable, str(PROJECT_ROOT / "server.py")]
        processes.append(subprocess.Popen(command, env=environment, cwd="/"))
        url = f"http://127.0.0.1:{port}"
        wait_until_healthy(url)
        pool = get_pg_pool(database_url)
        return RunningServer(url=url, accounts=Accounts(pool), pool=pool)

    yield start
    for process in processes:
        process.terminate()
    for process in processes:
        process.wait(30)
    for name in databases:
        run_on_server(server_url, f"drop database {name} with (force)")


@pytest.fixture(scope="session")
def server(start_server: Callable[[], RunningServer]) -> RunningServer:
    """A server whose administrator has a password already."""
    running = start_server()
    person = running.accounts.sign_in("admin", "admin")
    running.accounts.change_password(person.id, "admin", PASSWORD)
    return running


@pytest.fixture(scope="module")
def asking_server(
    request: pytest.FixtureRequest,
    server_url: str,
    template_database: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RunningServer]:
    """The real server with a model that asks for the calls of its brief.

    A module says in `SERVER_ENVIRONMENT` what its server is told besides.
    """
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
        "API_KEY": "",
        **request.module.SERVER_ENVIRONMENT,
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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Closed with the module: Playwright's loop would be in the way of asyncio in later tests."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield launched
        launched.close()


@dataclass
class Watched:
    """What went wrong in a browser window."""

    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def on_console(self, message: ConsoleMessage) -> None:
        place = message.location.get("url", "")
        if message.type == "error" and not place.endswith(PROBES):
            self.errors.append(f"{message.text} ({place})")

    def on_request(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws") and parts.hostname != "127.0.0.1":
            self.foreign.append(url)


@pytest.fixture
def open_window(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens windows; a fault in the console or a request to anywhere else fails the test."""
    watched = Watched()
    contexts: list[BrowserContext] = []

    def open_one(locale: str = "en-US", width: int = 1280, scheme: str = "light") -> Page:
        context = browser.new_context(
            locale=locale,
            color_scheme=scheme,
            viewport={"width": width, "height": 860},
            timezone_id="Europe/Berlin",
        )
        context.set_default_timeout(30_000)
        contexts.append(context)
        context.on("console", watched.on_console)
        context.on("weberror", lambda error: watched.errors.append(str(error.error)))
        context.on("request", lambda request: watched.on_request(request.url))
        return context.new_page()

    yield open_one
    for context in contexts:
        context.close()
    assert watched.errors == []
    assert watched.foreign == []


@pytest.fixture
def open_signed_in(server: RunningServer, open_window: Callable[..., Page]) -> Callable[..., Page]:
    """Opens windows in which the administrator is signed in already."""

    def open_one(path: str = "/", **options: object) -> Page:
        page = open_window(**options)
        person = server.accounts.sign_in("admin", PASSWORD)
        server.accounts.set_language(person.id, "zh" if options.get("locale") == "zh-CN" else "en")
        token = server.accounts.redeem_ticket(server.accounts.issue_ticket(person.id))
        assert token is not None
        page.context.add_cookies([{"name": COOKIE_NAME, "value": token, "url": server.url}])
        page.goto(server.url + path)
        return page

    return open_one


@pytest.fixture
def open_tab(asking_server: RunningServer, open_window: Callable[..., Page]) -> Callable[..., Page]:
    """Opens windows of the asking server in which the administrator is signed in already."""

    def open_one(path: str = "/") -> Page:
        page = open_window()
        person = asking_server.accounts.sign_in("admin", PASSWORD)
        token = asking_server.accounts.redeem_ticket(asking_server.accounts.issue_ticket(person.id))
        assert token is not None
        page.context.add_cookies([{"name": COOKIE_NAME, "value": token, "url": asking_server.url}])
        page.goto(asking_server.url + path)
        return page

    return open_one


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


def wait_until_healthy(url: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/healthz", timeout=2):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise AssertionError(f"Nobody answers at {url}")
