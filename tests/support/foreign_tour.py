"""A tour through the app that looks at every place where foreign texts are drawn."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import Error, Locator, Page, Route

from tests.support.foreign_texts import DOMAIN

HOST = re.compile(rf"[a-z0-9]+-\d\d\.{re.escape(DOMAIN)}")
LOOK_SECONDS = 5.0
POLL_MILLISECONDS = 60
CLICK_MILLISECONDS = 4_000
AT_REST = "[data-testid=stApp][data-test-script-state=notRunning]"
SHOWN_TEXTS = """
selector => [...document.querySelectorAll(selector)]
    .filter(element => element.checkVisibility() && element.getClientRects().length > 0)
    .map(element => {
        const fields = [...element.querySelectorAll("input, textarea")];
        const values = [element, ...fields].map(field => field.value ?? "");
        return [element.textContent, ...values].join(" ");
    })
    .join(" ")
"""


@dataclass
class ForeignRequests:
    """The hosts other than the app's own that a browser asked, with the place of the tour."""

    place: str = ""
    asked: dict[str, str] = field(default_factory=dict)
    """Where the tour stood when a host was asked first."""

    def on_route(self, route: Route) -> None:
        """Let the app's own requests through; count and stop all others."""
        parts = urlsplit(route.request.url)
        if parts.scheme in ("data", "blob") or parts.hostname == "127.0.0.1":
            route.continue_()
            return
        self.asked.setdefault(str(parts.hostname), self.place)
        route.abort()


@dataclass
class Tour:
    """Looks at places and keeps which hosts were really drawn at each."""

    page: Page
    requests: ForeignRequests
    patience: float = LOOK_SECONDS
    drawn: dict[str, set[str]] = field(default_factory=dict)
    """The hosts that could be read at each place."""

    def look(self, place: str, selector: str, code: str) -> None:
        """Wait until a text planted under `code` can be read within `selector`, or was fetched."""
        self.requests.place = place
        deadline = time.monotonic() + self.patience
        while time.monotonic() < deadline:
            hosts = self._hosts(selector, code)
            if hosts:
                self.drawn[place] = hosts
                return
            if any(host.startswith(f"{code}-") for host in self.requests.asked):
                return
            self.page.wait_for_timeout(POLL_MILLISECONDS)

    def _hosts(self, selector: str, code: str) -> set[str]:
        try:
            shown = self.page.evaluate(SHOWN_TEXTS, selector)
        except Error:
            return set()
        return {host for host in HOST.findall(shown) if host.startswith(f"{code}-")}

    def do(self, place: str, action: Callable[[], object]) -> None:
        """Go on to a place; where that fails, what follows is not seen and so not counted."""
        self.requests.place = place
        try:
            action()
        except Error as error:
            print(f"# {place}: {str(error).splitlines()[0]}", flush=True)

    def click(self, place: str, target: str | Locator) -> None:
        """Click the first match as slowly as a hand."""
        locator = self.page.locator(target) if isinstance(target, str) else target
        self.do(place, lambda: locator.first.click(delay=40, timeout=CLICK_MILLISECONDS))

    def hover(self, place: str, target: str | Locator) -> None:
        """Point at the first match."""
        locator = self.page.locator(target) if isinstance(target, str) else target
        self.do(place, lambda: locator.first.hover(timeout=CLICK_MILLISECONDS))

    def rest(self) -> None:
        """Wait until the page has run, and give what it drew the time to ask for something."""
        self.do(self.requests.place, lambda: self.page.locator(AT_REST).wait_for(timeout=20_000))
        self.page.wait_for_timeout(200)

    def open_all(self, place: str, within: str) -> None:
        """Open every closed expander within a part of the page."""
        closed = self.page.locator(f"{within} details:not([open]) > summary")
        for _ in range(40):
            if closed.count() == 0:
                return
            before = closed.count()
            self.click(place, closed)
            self.page.wait_for_timeout(150)
            if closed.count() >= before:
                return
