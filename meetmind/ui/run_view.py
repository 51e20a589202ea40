"""One run as the page shows it: turns with steps, quiet lines, points and state."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from meetmind.events import (
    BriefRewritten,
    BudgetChanged,
    DecidedHow,
    Decision,
    GuardActed,
    HandedOver,
    IntentRecognised,
    ModelFellBack,
    ModelHeld,
    ModelRetried,
    PassageEvidence,
    PauseAsked,
    Point,
    Risk,
    Route,
    RouteChosen,
    RunEnded,
    RunPaused,
    RunResumed,
    RunStarted,
    Stance,
    TalkCompacted,
    UtteranceEnded,
)

StepStatus = Literal["running", "asked", "approved", "ok", "error", "refused", "rejected", "unsure"]
Activity = Literal[
    "preparing", "choosing_next", "getting_ready", "looking_up", "acting", "speaking"
]
Note = (
    BriefRewritten
    | IntentRecognised
    | RouteChosen
    | RunResumed
    | ModelRetried
    | ModelHeld
    | ModelFellBack
    | GuardActed
    | PauseAsked
    | RunPaused
    | BudgetChanged
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
class Question:
    """What a role asks the person in its turn, and the answer once there is one."""

    call_id: str
    agent_name: str
    question: str
    asked_at: datetime
    choices: tuple[str, ...] = ()
    why: str = ""
    answer: str | None = None
    """None while it waits, empty when it was left open."""
    answered_by: str = ""


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
    first_opinion: bool = False
    """Whether the role has not seen what colleagues said to the points."""
    questions: tuple[Question, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a person said into the running discussion."""

    message_id: str
    at: datetime
    text: str
    said_by: str
    to_agent: str = ""
    """The role that was asked; empty for whoever speaks next."""
    taken_up_by: str = ""
    """The role whose turn answers it; empty until somebody has the floor for it."""
    taken_up_in: str = ""
    """The id of that turn."""
    is_answered: bool = False


@dataclass(frozen=True, kw_only=True)
class Compaction:
    """Everything up to a message is told to the models by a summary."""

    at: datetime
    event: TalkCompacted


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What the run may use; None is no limit."""

    max_iterations: int
    max_tokens: int | None = None
    max_minutes: float | None = None
    max_cost: float | None = None


@dataclass(frozen=True, kw_only=True)
class QuietLine:
    """Something between the turns that is told in one quiet line."""

    seq: int
    at: datetime
    event: Note


TalkItem = Utterance | QuietLine | Said


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
    last_at: datetime | None = None
    """When the last event came."""
    started: RunStarted | None = None
    started_at: datetime | None = None
    items: tuple[TalkItem, ...] = ()
    points: tuple[PointView, ...] = ()
    waiting_for: tuple[str, ...] = ()
    """The calls and questions that the run rests for; empty when it does not wait."""
    limits: Limits | None = None
    """None until the run has begun."""
    pause_asked: bool = False
    """Whether the team pauses after the turn that goes on."""
    is_paused: bool = False
    compactions: tuple[Compaction, ...] = ()
    ended: RunEnded | None = None
    ended_at: datetime | None = None

    @property
    def utterances(self) -> tuple[Utterance, ...]:
        """The turns, oldest first."""
        return tuple(item for item in self.items if isinstance(item, Utterance))

    @property
    def rests(self) -> bool:
        """Whether the run goes on only after a person has done something."""
        return bool(self.waiting_for) or self.is_paused

    @property
    def open_points(self) -> tuple[Point, ...]:
        """The points that are not settled."""
        points = (known.point for known in self.points)
        return tuple(point for point in points if point.state != "settled")

    @property
    def floor_holder(self) -> Utterance | None:
        """The turn that goes on; None between turns."""
        if not self.utterances or self.utterances[-1].ended is not None:
            return None
        return self.utterances[-1]

    @property
    def activity(self) -> Activity:
        """What goes on, or went on when the run was last heard of."""
        last = self.floor_holder
        if last is None:
            return "choosing_next" if self.utterances else "preparing"
        if last.words:
            return "speaking"
        if last.steps and last.steps[-1].status == "approved":
            return "acting"
        return "looking_up" if last.steps else "getting_ready"

    @property
    def route(self) -> Route | None:
        """Who took the brief; None while that is not decided."""
        for item in self.items:
            if isinstance(item, QuietLine) and isinstance(item.event, RouteChosen):
                return item.event.route
        return None

    @property
    def fallback_model(self) -> str:
        """The model that has taken over since the run was last taken up; empty when none has."""
        name = ""
        for item in self.items:
            if isinstance(item, QuietLine) and isinstance(item.event, RunResumed):
                name = ""
            if isinstance(item, QuietLine) and isinstance(item.event, ModelFellBack):
                name = item.event.to_model
        return name

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
