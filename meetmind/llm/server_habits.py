"""What this process has learned about each server and model: what it takes, what it refuses."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One chat model at one address."""

    name: str
    base_url: str

    @property
    def host(self) -> str:
        """The address without scheme, credentials and path, for sentences and logs."""
        location = urlsplit(self.base_url).netloc
        return location.rpartition("@")[2] or self.base_url or "this computer"


@dataclass(kw_only=True)
class ServerHabits:
    """Filled by the calls as they go; empty at the start of every process."""

    refused_fields: set[str] = field(default_factory=set)
    """Optional fields of a request that the server rejects, such as `extra_body`."""
    tools_refused: bool = False
    rung: str = ""
    """The way in which a structured answer was obtained last."""


_HABITS: dict[Endpoint, ServerHabits] = {}


def habits_of(endpoint: Endpoint) -> ServerHabits:
    """The one record of this endpoint, shared by every client of the process."""
    return _HABITS.setdefault(endpoint, ServerHabits())


def forget_all_habits() -> None:
    """Begin as a fresh process does."""
    _HABITS.clear()
