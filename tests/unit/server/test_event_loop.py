"""The private event loop ends, whatever still runs on it."""

import asyncio

import pytest

from meetmind.server import event_loop
from meetmind.server.event_loop import EventLoopThread


def test_work_that_does_not_end_is_left_behind_without_an_exception(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(event_loop, "STOP_SECONDS", 0.2)
    loop = EventLoopThread()
    has_begun = asyncio.Event()

    async def stubborn() -> None:
        has_begun.set()
        while not loop_may_end:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                continue

    loop_may_end: list[bool] = []
    loop.submit(stubborn())
    loop.submit(has_begun.wait()).result(timeout=5)
    loop.stop()
    assert not loop.is_running
    assert "did not end within" in caplog.text
    loop_may_end.append(True)
