import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from meetmind.config.settings import Settings
from meetmind.errors import DatabaseUnreachable
from meetmind.server import services as composition
from meetmind.ui.process import ProcessServices

WAIT_SECONDS = 10.0


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """What was closed, in order."""
    closed: list[Any] = []
    monkeypatch.setattr(composition, "close_services", closed.append)
    return closed


def test_services_are_opened_in_the_background_and_once(
    monkeypatch: pytest.MonkeyPatch, closed: list[Any]
) -> None:
    opened = []
    go_on = threading.Event()

    def slow_open(settings: Settings) -> Any:
        go_on.wait(WAIT_SECONDS)
        services = SimpleNamespace(settings=settings)
        opened.append(services)
        return services

    monkeypatch.setattr(composition, "open_services", slow_open)
    process = ProcessServices()
    process.begin(Settings)
    process.begin(Settings)
    assert process.state == "opening"
    assert process.current is None
    go_on.set()
    process.close()
    assert len(opened) == 1
    assert closed == opened
    assert process.current is None


def test_a_failure_is_kept_as_a_sentence_and_told(
    monkeypatch: pytest.MonkeyPatch, closed: list[Any]
) -> None:
    def refuse(settings: Settings) -> Any:
        raise DatabaseUnreachable("Nobody answers at PG_URL.")

    told: list[str] = []
    has_told = threading.Event()

    def on_failure(sentence: str) -> None:
        told.append(sentence)
        has_told.set()

    monkeypatch.setattr(composition, "open_services", refuse)
    process = ProcessServices()
    process.begin(Settings, on_failure)
    assert has_told.wait(WAIT_SECONDS)
    assert process.state == "failed"
    assert told == [process.failure] == ["Nobody answers at PG_URL."]
    process.close()
    assert closed == []


def test_closing_twice_closes_once(monkeypatch: pytest.MonkeyPatch, closed: list[Any]) -> None:
    monkeypatch.setattr(composition, "open_services", lambda settings: SimpleNamespace())
    process = ProcessServices()
    process.begin(Settings)
    process.close()
    process.close()
    assert len(closed) == 1
