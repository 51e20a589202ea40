"""What the tests of the chat models share."""

from collections.abc import Iterator

import pytest

from meetmind.llm.server_habits import forget_all_habits


@pytest.fixture(autouse=True)
def fresh_habits() -> Iterator[None]:
    """Every test begins as a fresh process does."""
    forget_all_habits()
    yield
    forget_all_habits()
