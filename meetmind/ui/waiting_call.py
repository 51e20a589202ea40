"""A call that waits for a person, as its card shows it in the talk and on the Approvals page."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from meetmind.ui.run_view import Step

if TYPE_CHECKING:
    from meetmind.server.approvals import PendingCall


@dataclass(frozen=True, kw_only=True)
class WaitingCall:
    """Everything that a person has to know before they decide."""

    run_id: str
    call_id: str
    agent_name: str
    tool: str
    risk: str
    arguments: Mapping[str, Any]
    reason: str
    preview: str
    asked_again: str
    asked_at: datetime | None
    expires_at: datetime | None
    session_id: str = ""
    """The discussion, where the card stands outside of it."""
    session_title: str = ""

    @property
    def key(self) -> str:
        """Tells the widgets of this card from those of all others."""
        return f"{self.run_id}_{self.call_id}"

    @property
    def is_outside(self) -> bool:
        """Whether the card stands outside of its discussion."""
        return self.session_id != ""


def waiting_in_talk(run_id: str, step: Step, expires_minutes: float | None) -> WaitingCall:
    """The card of a step in the talk; `expires_minutes` after it was asked for, time runs out."""
    expires_at = None
    if expires_minutes is not None and step.asked_at is not None:
        expires_at = step.asked_at + timedelta(minutes=expires_minutes)
    return WaitingCall(
        run_id=run_id,
        call_id=step.call_id,
        agent_name=step.agent_name,
        tool=step.tool,
        risk=step.risk,
        arguments=step.arguments,
        reason=step.reason,
        preview=step.preview,
        asked_again=step.asked_again,
        asked_at=step.asked_at,
        expires_at=expires_at,
    )


def waiting_on_page(pending: "PendingCall") -> WaitingCall:
    """The card of a call of any discussion."""
    return WaitingCall(
        run_id=pending.run_id,
        call_id=pending.call_id,
        agent_name=pending.agent_name,
        tool=pending.tool,
        risk=pending.risk,
        arguments=pending.arguments,
        reason=pending.reason,
        preview=pending.preview,
        asked_again=pending.asked_again,
        asked_at=pending.requested_at,
        expires_at=pending.expires_at,
        session_id=pending.session_id,
        session_title=pending.session_title,
    )
