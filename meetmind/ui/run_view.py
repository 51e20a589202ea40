"""One run as the page shows it: turns with steps, quiet lines, points and state."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from meetmind.events import (
    BriefRewritten,
    DecidedHow,
    Decision,
    HandedOver,
    IntentRecognised,
    ModelRetried,
    PassageEvidence,
    Point,
    Risk,
    Route,
    RouteChosen,
    RunEnded,
    RunResumed,
    RunStarted,
    Stance,
    UtteranceEnded,
)

StepStatus = Literal["running", "asked", "approved", "ok", "error", "refused", "rejected", "unsure"]
Note = (
    BriefRewritten
    | IntentRecognised
    | RouteChosen
    | RunResumed
    | ModelRetried
    | HandedOver
    | RunEnded
)


@dataclass(frozen=True, kw_only=True)
class Step:
    """One tool call of a turn, from the wish to the result."""

    call_id: str
    agent_name: str
    tool: str
    risk: Risk
    arguments: Mapping[str, Any]
    status: StepStatus
    reason: str = ""
    preview: str = ""
    summary: str = ""
    evidence: tuple[PassageEvidence, ...] = ()
    mode: str = ""
    search_ids: tuple[str, ...] = ()
    """For searches: under which ids their numbers are kept."""
    degraded: tuple[str, ...] = ()
    seconds: float = 0.0
    decision: Decision | None = None
    decided_by: str = ""
    decided_how: DecidedHow = "person"
    decision_reason: str = ""
    allows_from_now: bool = False
    """Whether the decision lets calls like this one pass from now on."""
    proposed_arguments: Mapping[str, Any] | None = None
    """What the role had asked for, when a person changed it."""
    code: str = ""
    """Why the policy refused the call: a key of the text catalogue."""
    error_code: str = ""
    """Why the call did not go well: a key of the text catalogue."""
    allowed_by: str = ""
    """Who had allowed such calls for this discussion, when nobody was asked."""
    undone_by: str = ""
    """Who took the change of the file back."""
    asked_again: str = ""
    """Why it waits once more: file_changed, permission_ended or unsure."""
    asked_at: datetime | None = None
    """When it was asked for (again)."""


@dataclass(frozen=True, kw_only=True)
class Utterance:
    """One turn of a role: what it looked up, its words, and where it stands."""

    id: str
    agent_name: str
    iteration: int
    began_at: datetime
    steps: tuple[Step, ...] = ()
    words: str = ""
    """The words so far; the whole text once the turn is over."""
    ended: UtteranceEnded | None = None
    handed_over: HandedOver | None = None
    tools_unavailable: bool = False


@dataclass(frozen=True, kw_only=True)
class QuietLine:
    """Something between the turns that is told in one quiet line."""

    seq: int
    at: datetime
    event: Note


TalkItem = Utterance | QuietLine


@dataclass(frozen=True, kw_only=True)
class PointView:
    """A point to settle with the newest stance of every role on it."""

    point: Point
    stance_by_role: Mapping[str, Stance] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class RunView:
    """One run as the page shows it."""

    run_id: str
    last_seq: int = 0
    started: RunStarted | None = None
    started_at: datetime | None = None
    items: tuple[TalkItem, ...] = ()
    points: tuple[PointView, ...] = ()
    waiting_for: tuple[str, ...] = ()
    """The calls that the run rests for; empty when it does not wait."""
    ended: RunEnded | None = None
    ended_at: datetime | None = None

    @property
    def utterances(self) -> tuple[Utterance, ...]:
        """The turns, oldest first."""
        return tuple(item for item in self.items if isinstance(item, Utterance))

    @property
    def floor_holder(self) -> Utterance | None:
        """The turn that goes on; None between turns."""
        if not self.utterances or self.utterances[-1].ended is not None:
            return None
        return self.utterances[-1]

    @property
    def route(self) -> Route | None:
        """Who took the brief; None while that is not decided."""
        for item in self.items:
            if isinstance(item, QuietLine) and isinstance(item.event, RouteChosen):
                return item.event.route
        return None

    @property
    def turns(self) -> int:
        """How many turns are over."""
        return sum(1 for utterance in self.utterances if utterance.ended is not None)

    @property
    def tokens(self) -> int:
        """Tokens that the model says it has read and written."""
        total = 0
        for utterance in self.utterances:
            if utterance.ended is not None:
                total += utterance.ended.input_tokens + utterance.ended.output_tokens
        return total
