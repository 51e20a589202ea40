"""Approvals as a person meets them: the real server, which can be killed, and a real Chromium."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import URLError

from playwright.sync_api import Browser, BrowserContext, expect
from psycopg_pool import ConnectionPool

from meetmind.config.settings import PROJECT_ROOT
from meetmind.database.connection import get_pg_pool
from meetmind.server.accounts import Accounts
from meetmind.ui.session import COOKIE_NAME
from tests.support.approval_talk import AT_REST, COMPOSER, PATIENCE_MILLISECONDS, Talk
from tests.support.room import Room
from tests.support.stale_page import hears_only_of

PASSWORD = "only-for-the-trial"
TURNS = 4
"""As few as there are with two turns of the architect."""
START_SECONDS = 90.0
LOG = "server.log"
FAULT_SIGNS = ("A page broke", "A poll failed")
WINDOW = {"width": 1280, "height": 860}


@dataclass(kw_only=True)
class ApprovalTrial:
    """A server on a database that outlives it, and the windows of its administrator."""

    database_url: str
    home: Path
    browser: Browser
    pool: ConnectionPool = field(init=False)
    room: Room = field(init=False)
    url: str = ""
    """Another one after every start: somebody may have taken the port in the meantime."""
    _process: "subprocess.Popen[bytes] | None" = None
    _contexts: list[BrowserContext] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pool = get_pg_pool(self.database_url)
        accounts = Accounts(self.pool)
        accounts.ensure_first_account()
        owner = accounts.sign_in("admin", "admin")
        accounts.change_password(owner.id, "admin", PASSWORD)
        self.room = Room(
            pool=self.pool, database_url=self.database_url, home=self.home, owner_id=owner.id
        )

    def start(self) -> None:
        """Start the server, unless it runs, and wait until it answers."""
        if self._process is not None and self._process.poll() is None:
            return
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        environment = {
            **os.environ,
            "PG_URL": self.database_url,
            "PORT": str(port),
            "MEETMIND_HOME": str(self.home),
            "SEED_DATA_PATH": str(self.home / "seed"),
            "EMBEDDING_MODEL_NAME": "no-such-model",
            "MAX_ITERATIONS": str(TURNS),
            "API_KEY": "",
        }
        command = [sys.executable, "-m", "tests.browser.asking_server"]
        with (self.home / LOG).open("ab") as log:
            self._process = subprocess.Popen(
                command, env=environment, cwd=PROJECT_ROOT, stdout=log, stderr=log
            )
        wait_until_healthy(self.url, self._process)

    def kill(self) -> None:
        """kill -9: nothing of the server can tidy up."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._process = None

    def faults(self) -> int:
        """How often a page or a part of it broke, on every server so far."""
        log = (self.home / LOG).read_text(encoding="utf-8", errors="replace")
        return sum(log.count(sign) for sign in FAULT_SIGNS)

    def close(self) -> None:
        """End the server, whatever it holds."""
        self.close_windows()
        if self._process is not None:
            self.kill()
        self.pool.close()

    def open_discussion(self) -> Talk:
        """A window on a discussion in which nothing was said yet."""
        session_id = self.room.discussions.create_session(self.room.owner_id, "A trial")
        return self.open_window(session_id)

    def open_window(self, session_id: str, hears_only: str = "") -> Talk:
        """A window of its own on a discussion; `hears_only` makes it a stale one."""
        context = self.browser.new_context(locale="en-US", viewport=WINDOW)
        context.set_default_timeout(PATIENCE_MILLISECONDS)
        self._contexts.append(context)
        context.add_cookies([{"name": COOKIE_NAME, "value": self._token(), "url": self.url}])
        page = context.new_page()
        if hears_only:
            hears_only_of(page, hears_only.encode())
        talk = Talk(page=page, session_id=session_id, room=self.room)
        self.go_to(talk)
        return talk

    def go_to(self, talk: Talk) -> None:
        """Open the discussion in its window (again)."""
        talk.page.goto(f"{self.url}/?d={talk.session_id}")
        expect(talk.page.locator(COMPOSER)).to_be_visible(timeout=PATIENCE_MILLISECONDS)
        expect(talk.page.locator(AT_REST)).to_be_visible(timeout=PATIENCE_MILLISECONDS)

    def restart(self, talk: Talk) -> None:
        """Start the server that was killed, and open the discussion there."""
        self.start()
        self.go_to(talk)

    def close_windows(self) -> None:
        for context in self._contexts:
            context.close()
        self._contexts.clear()

    def _token(self) -> str:
        accounts = Accounts(self.pool)
        token = accounts.redeem_ticket(accounts.issue_ticket(self.room.owner_id))
        assert token is not None
        return token


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


def wait_until_healthy(url: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/healthz", timeout=2):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise AssertionError(f"Nobody answers at {url}.")
