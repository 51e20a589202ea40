"""The services of this process: opened once, in the background, by the first front door."""

import atexit
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from meetmind.errors import MeetMindError

if TYPE_CHECKING:
    from meetmind.config.settings import Settings
    from meetmind.server.services import Services

log = logging.getLogger(__name__)

OpeningState = Literal["closed", "opening", "open", "failed"]
CLOSING_SECONDS = 60.0


class ProcessServices:
    """Opens the services in a thread of its own, so that the first page never waits for them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._services: Services | None = None
        self.state: OpeningState = "closed"
        self.failure = ""

    @property
    def current(self) -> "Services | None":
        """The services, or None while they are not open."""
        return self._services if self.state == "open" else None

    def begin(
        self,
        load_settings: "Callable[[], Settings]",
        on_failure: Callable[[str], None] | None = None,
    ) -> None:
        """Begin to open the services unless somebody has begun already."""
        with self._lock:
            if self.state != "closed":
                return
            self.state = "opening"
            self._thread = threading.Thread(
                target=self._open, args=(load_settings, on_failure), name="opening", daemon=True
            )
            self._thread.start()
        atexit.register(self.close)

    @contextmanager
    def using(self, services: "Services") -> Iterator[None]:
        """Work with services that somebody else has opened, and closes."""
        self._services = services
        self.state = "open"
        try:
            yield
        finally:
            self._services = None
            self.state = "closed"

    def close(self) -> None:
        """Close what was opened here; safe to call twice and while the opening still goes on."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is None:
            return
        thread.join(CLOSING_SECONDS)
        services, self._services = self._services, None
        self.state = "closed"
        if services is not None:
            from meetmind.server.services import close_services

            close_services(services)

    def _open(
        self, load_settings: "Callable[[], Settings]", on_failure: Callable[[str], None] | None
    ) -> None:
        try:
            from meetmind.server.services import open_services

            self._services = open_services(load_settings())
            self.state = "open"
        except MeetMindError as error:
            self._fail(str(error), on_failure)
        except Exception as error:
            log.exception("The services could not be opened")
            self._fail(f"{type(error).__name__}: {error}", on_failure)

    def _fail(self, sentence: str, on_failure: Callable[[str], None] | None) -> None:
        self.failure = sentence
        self.state = "failed"
        if on_failure is not None:
            on_failure(sentence)


process_services = ProcessServices()


class CookieDoor:
    """Whether this process serves the routes that set and clear the sign-in cookie."""

    def __init__(self) -> None:
        self.is_open = False


cookie_door = CookieDoor()
