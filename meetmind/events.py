"""What can happen in a discussion: typed events, in the order in which they are appended.

The page, the history, the command line and every export are read from these events. A consumer
matches on the class and ends in `assert_never`, so that an event nobody handles fails the type
check.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Discriminator, TypeAdapter

Mode = Literal["auto", "team", "assistant"]
Route = Literal["team", "assistant"]
Risk = Literal["low", "medium", "high"]
StanceKind = Literal["agree", "object", "abstain", "question"]
PointState = Literal["open", "settled", "recorded_open"]
Verdict = Literal["allowed", "asked", "refused"]
Decision = Literal["approved", "rejected"]
DecidedHow = Literal["person", "grant", "expiry"]
"""By a click on this call, by an earlier click on all calls like it, or because nobody clicked."""
AskedAgain = Literal["file_changed", "permission_ended", "unsure"]
"""Why a call waits once more; unsure: it had begun when the program ended."""
EvidenceKind = Literal["passage", "file", "page"]
EndStatus = Literal["done", "stopped", "failed"]
EndReason = Literal[
    "closed_by_architect",
    "nothing_known",
    "answered",
    "iterations_used_up",
    "tokens_used_up",
    "minutes_used_up",
    "money_used_up",
    "going_in_circles",
    "closed_with_open_points",
    "stopped_by_person",
    "discarded",
    "model_failed",
    "internal_fault",
]


@dataclass(frozen=True, kw_only=True)
class PathScore:
    """A passage's rank and score on one recall path (`words`, or the key of a model)."""

    path: str
    rank: int
    score: float


@dataclass(frozen=True, kw_only=True)
class PassageEvidence:
    """A passage that a search returned, with every score and rank that it had on the way.

    What was read of a file or a web page is evidence too (`kind`): it has no scores, its id is
    `file_` or `page_` with twelve hexadecimal digits, and `source` is its path or address.
    """

    passage_id: str
    agent_name: str
    """Whose table it stands in; empty for files and pages."""
    title: str
    source: str
    locator: str
    language: str
    content: str
    rank: int
    coverage: float
    """Idf-weighted share of the query's words that stand in the passage, 0 to 1."""
    matched_terms: tuple[str, ...] = ()
    path_scores: tuple[PathScore, ...] = ()
    fused_score: float = 0.0
    rerank_score: float = 0.0
    kind: EvidenceKind = "passage"

    def on_path(self, path: str) -> PathScore | None:
        """The passage's rank and score on a path; None where the path did not find it."""
        for path_score in self.path_scores:
            if path_score.path == path:
                return path_score
        return None


@dataclass(frozen=True, kw_only=True)
class Stance:
    """Where a role stands on one point."""

    point_id: str
    stance: StanceKind
    why: str = ""
    resolves_if: str = ""
    """For an objection: what would resolve it."""
    changed_because: str = ""
    """What made the role leave the stance that it had taken before."""

    @property
    def counts_as(self) -> StanceKind:
        """An objection that does not say what would resolve it counts as a question."""
        if self.stance == "object" and not self.resolves_if.strip():
            return "question"
        return self.stance


@dataclass(frozen=True, kw_only=True)
class Point:
    """One question that the discussion has to settle."""

    id: str
    question: str
    state: PointState = "open"
    reason: str = ""
    """Why it stays open, or on what ground it is settled."""


@dataclass(frozen=True, kw_only=True)
class RunStarted:
    """A brief was put before the team (or the assistant)."""

    brief: str
    mode: Mode
    language: str
    model_name: str
    offline: bool
    max_iterations: int
    files: tuple[str, ...] = ()
    """Names of the files in the workspace that were attached to the brief."""
    asked_agent: str = ""
    """The role that the brief is addressed to."""
    continues_run_id: str = ""
    """The run before, whose open points are taken up."""
    max_tokens: int | None = None
    max_minutes: float | None = None
    max_cost: float | None = None
    kind: Literal["run_started"] = "run_started"


@dataclass(frozen=True, kw_only=True)
class RunResumed:
    """An executor took the run up again after an interruption."""

    reason: Literal["decision", "cut_off", "pause"]
    """decision: an approval or an answer came; pause: a person let the team go on."""
    kind: Literal["run_resumed"] = "run_resumed"


@dataclass(frozen=True, kw_only=True)
class BriefRewritten:
    """The brief as a sentence that stands alone, and extra search words."""

    rewritten_query: str
    expansion_terms: tuple[str, ...]
    fell_back: bool
    kind: Literal["brief_rewritten"] = "brief_rewritten"


@dataclass(frozen=True, kw_only=True)
class IntentRecognised:
    """What kind of message the brief is, and which rung of the ladder said so."""

    intent: str
    score: float
    margin: float
    rung: str
    kind: Literal["intent_recognised"] = "intent_recognised"


@dataclass(frozen=True, kw_only=True)
class RouteChosen:
    """Who takes the brief: the team or the assistant."""

    route: Route
    by: Literal["intent", "person"]
    kind: Literal["route_chosen"] = "route_chosen"


@dataclass(frozen=True, kw_only=True)
class FloorTaken:
    """A role begins its turn."""

    utterance_id: str
    agent_name: str
    iteration: int
    first_opinion: bool = False
    """Whether the role speaks without having seen what colleagues said to the points."""
    kind: Literal["floor_taken"] = "floor_taken"


@dataclass(frozen=True, kw_only=True)
class WordsArrived:
    """Some more words of an utterance; dropped when the utterance is stored."""

    utterance_id: str
    text: str
    kind: Literal["words_arrived"] = "words_arrived"


@dataclass(frozen=True, kw_only=True)
class WordsWithdrawn:
    """The words so far came from a try that failed; the utterance begins again."""

    utterance_id: str
    kind: Literal["words_withdrawn"] = "words_withdrawn"


@dataclass(frozen=True, kw_only=True)
class ToolRequested:
    """A role asked for a tool, and what the policy said to it."""

    utterance_id: str
    agent_name: str
    call_id: str
    tool: str
    risk: Risk
    arguments: Mapping[str, Any]
    verdict: Verdict
    reason: str = ""
    """Why the role wants the call, or why the policy refused it."""
    preview: str = ""
    """For tools that change a file: the unified diff."""
    code: str = ""
    """For a refusal: a key of the text catalogue (`refusal.<code>`)."""
    allowed_by: str = ""
    """Who had allowed such calls for this discussion, when that is why nobody is asked."""
    kind: Literal["tool_requested"] = "tool_requested"


@dataclass(frozen=True, kw_only=True)
class ToolDecided:
    """A person approved or rejected a call, or nobody did in time."""

    call_id: str
    decision: Decision
    decided_by: str
    """Empty when the time ran out."""
    reason: str = ""
    how: DecidedHow = "person"
    arguments: Mapping[str, Any] | None = None
    """What runs instead of what the role asked for, when the person changed it."""
    preview: str = ""
    """The diff of the changed arguments."""
    allows_from_now: bool = False
    """Whether calls like this one are allowed from now on in this discussion."""
    kind: Literal["tool_decided"] = "tool_decided"


@dataclass(frozen=True, kw_only=True)
class ToolAskedAgain:
    """A call waits (again), since its effect is no longer the one that was shown."""

    call_id: str
    preview: str = ""
    why: AskedAgain = "file_changed"
    kind: Literal["tool_asked_again"] = "tool_asked_again"


@dataclass(frozen=True, kw_only=True)
class ToolFinished:
    """A tool call ended, with its evidence."""

    utterance_id: str
    call_id: str
    tool: str
    status: Literal["ok", "error", "refused", "rejected", "unsure"]
    summary: str
    evidence: tuple[PassageEvidence, ...] = ()
    mode: str = ""
    """For searches: the paths and the ranker that really ran."""
    search_ids: tuple[str, ...] = ()
    """For searches: under which ids their numbers are kept."""
    degraded: tuple[str, ...] = ()
    error_code: str = ""
    """For calls that did not go well: a key of the text catalogue (`refusal.<error_code>`)."""
    seconds: float = 0.0
    kind: Literal["tool_finished"] = "tool_finished"


@dataclass(frozen=True, kw_only=True)
class ToolUndone:
    """A person took the change of a file back; may come after the end of the run."""

    call_id: str
    undone_by: str
    kind: Literal["tool_undone"] = "tool_undone"


@dataclass(frozen=True, kw_only=True)
class ToolsUnavailable:
    """The model's server refuses tools; the program searches by itself."""

    utterance_id: str
    kind: Literal["tools_unavailable"] = "tools_unavailable"


@dataclass(frozen=True, kw_only=True)
class ModelRetried:
    """A transient fault of the model; the call is tried again."""

    fault: str
    attempt: int
    wait_seconds: float
    kind: Literal["model_retried"] = "model_retried"


@dataclass(frozen=True, kw_only=True)
class ModelHeld:
    """A call waits since the model's server asked another call to wait."""

    fault: str
    """What the server told the other call."""
    wait_seconds: float
    kind: Literal["model_held"] = "model_held"


@dataclass(frozen=True, kw_only=True)
class UtteranceEnded:
    """A role's turn is over and its words are stored."""

    utterance_id: str
    agent_name: str
    iteration: int
    content: str
    """Text with citations as `[passage id]`."""
    next_agent: str
    done: bool
    used_rag: int
    knows_something: bool = True
    """False when the turn searched and no passage covers the question."""
    handover_reason: str = ""
    stances: tuple[Stance, ...] = ()
    points: tuple[Point, ...] = ()
    evidence: tuple[PassageEvidence, ...] = ()
    """The passages that the words cite, in the order of their first citation."""
    cited_ids: tuple[str, ...] = ()
    removed_citations: tuple[str, ...] = ()
    rung: str = ""
    """How the structured answer was obtained."""
    asks_first_opinions: bool = False
    """The architect wants to hear the colleagues before they hear each other."""
    answers_person: bool = False
    """A person had said something that this utterance had to answer."""
    input_tokens: int = 0
    """Of the whole turn, looking things up included."""
    output_tokens: int = 0
    kind: Literal["utterance_ended"] = "utterance_ended"


@dataclass(frozen=True, kw_only=True)
class HandedOver:
    """Who speaks next, on whose word and why."""

    from_agent: str
    to_agent: str
    by: Literal["role", "guard", "person", "round"]
    """person: somebody asked this role; round: first opinions go by the roster."""
    reason: str = ""
    guard: str = ""
    """A key of the text catalogue (`guard.<guard>`) when a guard decided."""
    utterance_id: str = ""
    """The utterance after which the floor is handed over."""
    kind: Literal["handed_over"] = "handed_over"


@dataclass(frozen=True, kw_only=True)
class GuardActed:
    """A rule against what spoils discussions found something in a turn."""

    guard: str
    """A key of the text catalogue (`guard.<guard>`)."""
    utterance_id: str
    agent_name: str
    details: Mapping[str, str] = field(default_factory=dict)
    kind: Literal["guard_acted"] = "guard_acted"


@dataclass(frozen=True, kw_only=True)
class PersonSpoke:
    """A person said something into the running discussion; the next role answers it."""

    message_id: str
    text: str
    said_by: str
    to_agent: str = ""
    """The role that was asked; empty for whoever speaks next."""
    kind: Literal["person_spoke"] = "person_spoke"


@dataclass(frozen=True, kw_only=True)
class QuestionAsked:
    """A role asks the person something; the run waits for the answer."""

    utterance_id: str
    agent_name: str
    call_id: str
    question: str
    choices: tuple[str, ...] = ()
    why: str = ""
    kind: Literal["question_asked"] = "question_asked"


@dataclass(frozen=True, kw_only=True)
class QuestionAnswered:
    """A person answered a question, or left it open (`answer` is empty)."""

    call_id: str
    answer: str
    answered_by: str
    kind: Literal["question_answered"] = "question_answered"


@dataclass(frozen=True, kw_only=True)
class PauseAsked:
    """A person asked the team to pause at the next safe point, or took that back."""

    asked_by: str
    withdrawn: bool = False
    kind: Literal["pause_asked"] = "pause_asked"


@dataclass(frozen=True, kw_only=True)
class RunPaused:
    """The run rests between two turns until a person lets it go on."""

    kind: Literal["run_paused"] = "run_paused"


@dataclass(frozen=True, kw_only=True)
class BudgetChanged:
    """A person changed what the run may use; None is no limit."""

    max_iterations: int
    max_tokens: int | None
    max_minutes: float | None
    max_cost: float | None
    changed_by: str
    kind: Literal["budget_changed"] = "budget_changed"


@dataclass(frozen=True, kw_only=True)
class ModelFellBack:
    """The model failed for good and the fallback model took over."""

    fault: str
    from_model: str
    to_model: str
    kind: Literal["model_fell_back"] = "model_fell_back"


@dataclass(frozen=True, kw_only=True)
class TalkCompacted:
    """Everything up to a message was folded into a summary; models see that instead.

    Stands in the log of the run that was the newest then; may come after its end.
    """

    summary_id: str
    through_message_id: str
    messages: int
    """How many messages the summary stands for."""
    tokens_before: int
    tokens_after: int
    by: Literal["person", "limit"]
    extractive: bool = False
    """Whether the program put it together from the talk's own sentences, without a model."""
    kind: Literal["talk_compacted"] = "talk_compacted"


@dataclass(frozen=True, kw_only=True)
class RunWaiting:
    """The run rests until a person decides on these calls and answers these questions."""

    call_ids: tuple[str, ...]
    question_ids: tuple[str, ...] = ()
    kind: Literal["run_waiting"] = "run_waiting"


@dataclass(frozen=True, kw_only=True)
class RunEnded:
    """The run is over."""

    status: EndStatus
    reason: EndReason
    fault: str = ""
    """For a failure: a key of the text catalogue (`fault.<fault>`)."""
    details: Mapping[str, str] = field(default_factory=dict)
    kind: Literal["run_ended"] = "run_ended"


DiscussionEvent = Annotated[
    RunStarted
    | RunResumed
    | BriefRewritten
    | IntentRecognised
    | RouteChosen
    | FloorTaken
    | WordsArrived
    | WordsWithdrawn
    | ToolRequested
    | ToolDecided
    | ToolAskedAgain
    | ToolFinished
    | ToolUndone
    | ToolsUnavailable
    | ModelRetried
    | ModelHeld
    | UtteranceEnded
    | HandedOver
    | GuardActed
    | PersonSpoke
    | QuestionAsked
    | QuestionAnswered
    | PauseAsked
    | RunPaused
    | BudgetChanged
    | ModelFellBack
    | TalkCompacted
    | RunWaiting
    | RunEnded,
    Discriminator("kind"),
]

_EVENTS: TypeAdapter[DiscussionEvent] = TypeAdapter(DiscussionEvent)


@dataclass(frozen=True, kw_only=True)
class LoggedEvent:
    """An event as it stands in the log of a run."""

    run_id: str
    seq: int
    at: datetime
    event: DiscussionEvent


def event_payload(event: DiscussionEvent) -> dict[str, Any]:
    """The event as plain JSON values, `kind` included."""
    payload: dict[str, Any] = _EVENTS.dump_python(event, mode="json")
    return payload


def event_from_payload(payload: Mapping[str, Any]) -> DiscussionEvent:
    """The event that `event_payload` wrote; raises `pydantic.ValidationError` for anything else."""
    return _EVENTS.validate_python(dict(payload))
