"""A call that waits for a person, as its card shows it in the talk and on the Approvals page."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

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
    fingerprint: str
    """Of what the card shows: an approval holds for nothing else."""
    asked_again: str
    asked_at: datetime
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


def waiting_in_talk(pending: "PendingCall") -> WaitingCall:
    """The card of a call inside its own discussion."""
    return WaitingCall(
        run_id=pending.run_id,
        call_id=pending.call_id,
        agent_name=pending.agent_name,
        tool=pending.tool,
        risk=pending.risk,
        arguments=pending.arguments,
        reason=pending.reason,
        preview=pending.preview,
        fingerprint=pending.fingerprint,
        asked_again=pending.asked_again,
        asked_at=pending.requested_at,
        expires_at=pending.expires_at,
    )


def waiting_on_page(pending: "PendingCall") -> WaitingCall:
    """The card of a call of any discussion, with the name of it."""
    return replace(
        waiting_in_talk(pending),
        session_id=pending.session_id,
        session_title=pending.session_title,
    )
