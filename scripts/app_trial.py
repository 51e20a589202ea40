"""The app as a new user meets it: started on a fresh home, used through a real Chromium."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from playwright.sync_api import Browser, Page, sync_playwright

PROJECT_ROOT = Path(__file__).resolve().parents[1]
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PASSWORD = "correct-horse-battery"
FORM = "input[type=password]"
SUBMIT = "[data-testid=stFormSubmitButton] button"
COMPOSER = "[data-testid=stChatInput] textarea"
APPROVAL = "[class*=st-key-approval_]"
PATIENCE_MS = 120_000
STOP_SECONDS = 60
POLL_SECONDS = 0.02


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A headless Chromium of the system."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise SystemExit("Chromium is not installed; .ci/run shows how to install it.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=OPTIONS)
        yield browser
        browser.close()


@contextmanager
def fresh_home() -> Iterator[Path]:
    """A MEETMIND_HOME that nothing has touched."""
    home = Path(tempfile.mkdtemp(prefix="meetmind-trial-"))
    home.chmod(0o755)
    yield home
    shutil.rmtree(home, ignore_errors=True)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


@dataclass(frozen=True, kw_only=True)
class StartedApp:
    """A running server and the moment at which its process began."""

    process: subprocess.Popen[bytes]
    home: Path
    url: str
    began: float

    @property
    def age(self) -> float:
        """Seconds since the process began."""
        return time.monotonic() - self.began

    def open_page(self, page: Page) -> None:
        """Go to the first page as soon as somebody listens; trying pages would cost the app CPU."""
        address = ("127.0.0.1", int(self.url.rpartition(":")[2]))
        while self.process.poll() is None and self.age < PATIENCE_MS / 1000:
            with socket.socket() as knock:
                if knock.connect_ex(address) == 0:
                    break
            time.sleep(POLL_SECONDS)
        page.goto(self.url)

    def memory_mb(self) -> float:
        """Proportional set size of the whole process tree, the embedded database included."""
        total = 0
        for process in self._processes():
            try:
                total += process.memory_full_info().pss
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
        return total / 1e6

    def _processes(self) -> list[psutil.Process]:
        own = psutil.Process(self.process.pid)
        found = [own, *own.children(recursive=True)]
        for process in psutil.process_iter(["cmdline"]):
            if str(self.home) in " ".join(process.info["cmdline"] or []):
                found += [process, *process.children(recursive=True)]
        return list({process.pid: process for process in found}.values())


@contextmanager
def started_app(home: Path, port: int) -> Iterator[StartedApp]:
    """server.py on this home; ended as Ctrl-C would."""
    environment = {**os.environ, "MEETMIND_HOME": str(home), "PORT": str(port), "API_KEY": ""}
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, str(PROJECT_ROOT / "server.py")],
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    app = StartedApp(process=process, home=home, url=f"http://127.0.0.1:{port}", began=began)
    try:
        yield app
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(STOP_SECONDS)


def sign_in_first_time(page: Page) -> None:
    """admin/admin, then a password of one's own."""
    page.locator("input").first.fill("admin")
    page.locator(FORM).first.fill("admin")
    page.locator(SUBMIT).first.click(delay=60)
    fields = page.locator(FORM)
    fields.nth(2).wait_for(timeout=PATIENCE_MS)
    for number, word in enumerate(("admin", PASSWORD, PASSWORD)):
        fields.nth(number).fill(word)
    page.locator(SUBMIT).first.click(delay=60)
    page.locator(COMPOSER).wait_for(timeout=PATIENCE_MS)


def begin_discussion(page: Page, brief: str, team_label: str) -> None:
    """Choose the team and send a brief."""
    page.get_by_text(team_label, exact=True).first.click(delay=60)
    composer = page.locator(COMPOSER)
    composer.fill(brief)
    composer.press("Enter")


def wait_for_approval(page: Page) -> None:
    """Until the card of the first risky call is there."""
    page.locator(APPROVAL).first.wait_for(timeout=PATIENCE_MS)
