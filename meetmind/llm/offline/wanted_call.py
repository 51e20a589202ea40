"""A tool call that the offline model asks for."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class WantedCall:
    """A tool by its name, and what to call it with."""

    tool: str
    arguments: dict[str, Any]
