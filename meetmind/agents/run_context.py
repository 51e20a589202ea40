"""What the speakers of one run share: texts, model, tools, and the two ways of writing down."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from langchain_core.messages import ToolMessage

from meetmind.agents.prompt_room import PromptRoom
from meetmind.database.call_outcomes import CallOutcomeRow, SessionResults
from meetmind.database.messages import MessageRow
from meetmind.database.tool_executions import CallFacts, ToolExecutionRow
from meetmind.database.tool_grants import GrantRow
from meetmind.events import (
    AskedAgain,
    DiscussionEvent,
    HandedOver,
    Mode,
    PassageEvidence,
    Point,
    QuestionAsked,
    ToolFinished,
    ToolRequested,
    UtteranceEnded,
)
from meetmind.llm.client import ModelClient
from meetmind.llm.streaming import Usage
from meetmind.tools.effects import Effect
from meetmind.tools.envelope import Envelope
from meetmind.tools.net_auth import NetAuthority
from meetmind.tools.tool_register import ToolRegister
from meetmind.tools.workbench import KnowledgeSearch
from meetmind.tracing.recorder import SpanRecorder


class EventLog(Protocol):
    """The log of one run; a method returns when its row is committed."""

    async def append(self, event: DiscussionEvent) -> None:
        """Append one event."""

    async def words(self, utterance_id: str, text: str) -> None:
        """Some more words of an utterance; several are joined into one row."""

    async def withdraw_words(self, utterance_id: str) -> None:
        """The words so far came from a try that failed."""

    async def begin_again(self, utterance_id: str) -> None:
        """A turn that was broken off speaks anew: its words so far hold until new ones come."""

    async def store_utterance(self, event: UtteranceEnded) -> None:
        """Commit a finished utterance."""

    async def stored_utterance(self, utterance_id: str) -> UtteranceEnded | None:
        """The utterance of this id if it was committed before a crash."""

    async def utterances(self) -> list[UtteranceEnded]:
        """The committed utterances of this run, in order."""

    async def has_floor(self, utterance_id: str) -> bool:
        """Whether the turn of this utterance has begun, perhaps before a crash."""

    async def stored_handover(self, utterance_id: str) -> HandedOver | None:
        """Whom the floor was handed to after this utterance, if that was told before a crash."""

    async def messages(self) -> list[MessageRow]:
        """Everything said in the discussion so far, this brief included."""


class Ledger(Protocol):
    """The tool calls of one run; a method returns when its row is committed."""

    async def request(self, request: ToolRequested, facts: CallFacts) -> None:
        """Write down a call with the policy's verdict."""

    async def outcomes(self) -> list[CallOutcomeRow]:
        """Every call of this run so far, in order, without its result."""

    async def session_results(self, word: str) -> SessionResults:
        """What the calls of the whole discussion brought home that holds this word."""

    async def grant_for(self, tool: str, scope: str) -> GrantRow | None:
        """The permission that lets such a call pass in this discussion."""

    async def ask_again(
        self, call_id: str, effect: Effect, why: AskedAgain = "file_changed"
    ) -> bool:
        """Put an approved call before the person again; False when it is not ours to ask about."""

    async def keep_version(self, call_id: str, path: str, content: bytes | None) -> None:
        """Keep what a file holds before the call changes it; None is no file."""

    async def get(self, call_id: str) -> ToolExecutionRow | None:
        """The call as it stands now."""

    async def claim(self, call_id: str, arguments_sha256: str) -> bool:
        """Move an approved call to started, with these arguments; False when it may not start."""

    async def finish(self, envelope: Envelope, event: ToolFinished) -> None:
        """Write down how a call ended."""


@dataclass(frozen=True, kw_only=True)
class RunNow:
    """What a person may change while the run goes on, and what it has used so far."""

    pause_asked: bool
    max_iterations: int
    max_tokens: int | None
    max_minutes: float | None
    max_cost: float | None
    input_tokens: int
    output_tokens: int
    cost: float
    work_seconds: float
    """Waiting for a person is left out."""


@dataclass(frozen=True, kw_only=True)
class PersonWords:
    """What a person said into the discussion and nobody has answered yet."""

    message_id: str
    text: str
    to_agent: str


class Steering(Protocol):
    """The person's hand on the run; everything is read fresh from the database."""

    async def now(self) -> RunNow:
        """Limits and use at this moment."""

    async def unanswered(self, utterance_id: str = "") -> tuple[PersonWords, ...]:
        """What was said and no floor was taken for since, oldest first.

        Words for a role are answered by its next turn, others by anybody's. For an utterance whose
        floor is taken already: what it has to answer, which is what had been said before that.
        """

    async def count_work(self) -> None:
        """Add the time since the last time to the run's work."""

    async def count_usage(self, usage: Usage) -> None:
        """Add the tokens of one model call, and what they cost, to the run."""

    async def ask(self, question: QuestionAsked) -> None:
        """Put a question before the person, once."""

    async def answer_to(self, call_id: str) -> str | None:
        """The person's answer; empty when it was left open, None while it waits."""


@dataclass(frozen=True, kw_only=True)
class RecalledMessage:
    """An earlier passage of the talk that fits the question; no part of what stands in full."""

    message_id: str
    author: str
    content: str
    score: float
    """Cosine with the question, 0 to 1."""


@dataclass(frozen=True, kw_only=True)
class ShownTalk:
    """What a model is shown of the talk."""

    messages: tuple[MessageRow, ...]
    """What follows the boundary, in full."""
    summary: str = ""
    """What stands for everything before the boundary."""
    recalled: tuple[RecalledMessage, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """Every text that a model is shown, for the check of what it quotes."""
        earlier = [self.summary] if self.summary else []
        earlier += [message.content for message in self.recalled]
        return (*earlier, *(message.content for message in self.messages))


class TalkMemory(Protocol):
    """Summary, recall and the words themselves."""

    @property
    def room(self) -> PromptRoom:
        """How much of a prompt each part beside the talk may fill."""

    async def shown(self, question: str, *, beside: str = "", round_from: str = "") -> ShownTalk:
        """The talk as a model may see it now; near the model's limit it is compacted first.

        `beside` is what the prompt holds whatever was said. From the message `round_from` on
        nothing is folded: a round of first opinions is under way, and a summary tells everybody.
        """


class Intent(Protocol):
    """What kind of message a text is."""

    @property
    def label(self) -> str:
        """One of the four labels."""

    @property
    def score(self) -> float:
        """The probability of the label."""

    @property
    def margin(self) -> float:
        """The label's probability minus that of the next one."""

    @property
    def rung(self) -> str:
        """Which rung of the ladder answered."""


@dataclass(frozen=True, kw_only=True)
class RunContext:
    """One run's surroundings; built by the executor and never stored."""

    run_id: str
    session_id: str
    owner_id: str
    brief: str
    language: str
    mode: Mode
    memory: str
    intent_route_margin: float
    max_iterations: int
    max_tool_iterations: int
    client: ModelClient
    register: ToolRegister
    search: KnowledgeSearch
    search_slots: asyncio.Semaphore
    classify: Callable[[str], Intent]
    workspace: Path
    files: tuple[str, ...]
    """Names of the files in the workspace that were attached to the brief."""
    read_folders: Mapping[str, Path]
    net: NetAuthority
    log: EventLog
    ledger: Ledger
    steering: Steering
    talk: TalkMemory
    spans: SpanRecorder
    effects: set[asyncio.Future[ToolMessage | None]] = field(default_factory=set)
    """Calls with an effect that are running now; whoever stops the run waits for them."""
    files_in_hand: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Calls of one message run at the same time; those that change files take turns."""
    asked_agent: str = ""
    """The role that the brief is addressed to."""
    carried_points: tuple[Point, ...] = ()
    """What the run before left open, where this one continues it."""


BudgetKind = Literal["turns", "tokens", "minutes", "money"]


@dataclass(frozen=True, kw_only=True)
class BudgetNearlyUsed:
    """What is about to run out."""

    kind: BudgetKind
    percent: int
    """How much of it is used, 0 to 100."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One role's turn within a run."""

    utterance_id: str
    agent_name: str
    iteration: int
    question: str
    expansion_terms: tuple[str, ...]
    limit: int = 0
    """Turns that the run may have, as a person last said; 0 = as when the run began."""
    budget: BudgetNearlyUsed | None = None
    """Set where the run is about to end by its budget."""


@dataclass(frozen=True, kw_only=True)
class TurnFindings:
    """What the tool loop of a turn brought home."""

    envelopes: tuple[tuple[str, Envelope], ...]
    """Call id and result of every call, in order."""
    usage: Usage = field(default_factory=Usage)
    """Tokens of the whole loop, what came before an interruption included."""

    @property
    def passages(self) -> tuple[PassageEvidence, ...]:
        """Everything that a tool of this turn returned to cite, each once, best coverage first."""
        best_by_id: dict[str, PassageEvidence] = {}
        for _, envelope in self.envelopes:
            for passage in envelope.evidence:
                known = best_by_id.get(passage.passage_id)
                if known is None or passage.coverage > known.coverage:
                    best_by_id[passage.passage_id] = passage
        return tuple(sorted(best_by_id.values(), key=lambda passage: -passage.coverage))

    @property
    def searches(self) -> int:
        """How many searches of the turn came back."""
        count = 0
        for _, envelope in self.envelopes:
            if envelope.tool == "rag_search" and envelope.status == "ok":
                count += 1
        return count
