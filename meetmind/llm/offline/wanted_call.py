"""A tool call that the offline model asks for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_QUERY_EDGES = " ,.;:?!，。；：？！、…"


@dataclass(frozen=True, kw_only=True)
class WantedCall:
    """A tool by its name, and what to call it with."""

    tool: str
    arguments: dict[str, Any]


def plain_form(tool: str, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A call for comparing: two queries that differ in their spaces or end signs are one."""
    form = dict(arguments)
    if "query" in form:
        query = " ".join(str(form["query"]).split()).casefold()
        form["query"] = query.strip(_QUERY_EDGES)
    return tool, form
