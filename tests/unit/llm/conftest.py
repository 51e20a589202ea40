"""What the tests of the chat models share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from meetmind.llm import listening
from meetmind.llm.server_habits import forget_all_habits


@pytest.fixture(autouse=True)
def fresh_habits() -> Iterator[None]:
    """Every test begins as a fresh process does."""
    forget_all_habits()
    yield
    forget_all_habits()


@pytest.fixture(autouse=True)
def no_certificates(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Loading the system's certificates takes longer than a whole test on loopback."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))


@pytest.fixture(autouse=True)
def every_piece_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shown of an answer must not depend on how fast a test runs."""
    monkeypatch.setattr(listening, "LOOK_SECONDS", 0.0)
