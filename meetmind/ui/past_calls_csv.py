"""Writes the history of risky calls as a table for a spreadsheet."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from meetmind.server.approvals import PastCallRow

COLUMNS = (
    "asked_at",
    "decided_at",
    "ended_at",
    "discussion",
    "role",
    "tool",
    "risk",
    "reason",
    "asked_for",
    "what_ran",
    "decision",
    "decided_by",
    "decided_how",
    "decision_reason",
    "refusal",
    "state",
    "result_sha256",
    "taken_back_at",
    "taken_back_by",
    "run_id",
    "call_id",
)
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
RAN = ("started", "finished", "failed", "unsure")


def csv_bytes(rows: "Iterable[PastCallRow]") -> bytes:
    """The table in UTF-8 with a byte order mark, without which Excel garbles Chinese."""
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(COLUMNS)
    for row in rows:
        cells = [_plain(cell) for cell in _cells(row)]
        writer.writerow(cells)
    return table.getvalue().encode("utf-8-sig")


def _cells(row: "PastCallRow") -> tuple[str, ...]:
    proposed = row.arguments if row.proposed_arguments is None else row.proposed_arguments
    return (
        _moment(row.requested_at),
        _moment(row.decided_at),
        _moment(row.ended_at),
        row.session_title,
        row.agent_name,
        row.tool,
        row.risk,
        row.reason,
        _json(proposed),
        _json(row.arguments) if row.status in RAN else "",
        decision_of(row),
        row.decided_by_name or "",
        row.decided_how or "",
        row.decision_reason or "",
        row.code,
        row.status,
        row.result_sha256 or "",
        _moment(row.undone_at),
        row.undone_by_name or "",
        row.run_id,
        row.call_id,
    )


def decision_of(row: "PastCallRow") -> str:
    """approved, rejected, refused or lapsed."""
    return row.status if row.status in ("rejected", "refused", "lapsed") else "approved"


def _plain(cell: str) -> str:
    """The cell as text; a spreadsheet would run one that begins like a formula."""
    return f"'{cell}" if cell.startswith(FORMULA_SIGNS) else cell


def _moment(moment: datetime | None) -> str:
    return "" if moment is None else moment.isoformat(timespec="seconds")


def _json(arguments: Mapping[str, Any]) -> str:
    return json.dumps(dict(arguments), ensure_ascii=False, default=str)
