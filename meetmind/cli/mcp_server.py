"""MeetMind as an MCP server over stdio: the knowledge, and the discussions of one account.

Only the protocol may stand on the standard output, so whatever else writes there is sent to the
error output.
"""

import os
import sys
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, TextIO, TypeVar

import anyio
import anyio.to_thread
from mcp.server.fastmcp import FastMCP
from mcp.server.stdio import stdio_server
from pydantic import BaseModel, Field

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.errors import NotFound
from meetmind.events import PersonSpoke, RunStarted, UtteranceEnded

if TYPE_CHECKING:
    from meetmind.server.discussions import SessionSummary
    from meetmind.server.services import Services

Result = TypeVar("Result")

TURN_CHARACTERS = 8_000
DISCUSSION_CHARACTERS = 80_000
PERSON = "person"
INSTRUCTIONS = (
    "MeetMind is a meeting room in which five roles discuss a requirement. Search what the roles "
    "know, list the discussions of the account, and read one of them."
)


class FoundPassage(BaseModel):
    """A passage of the knowledge, the best first."""

    passage_id: str
    role: str
    title: str
    source: str
    locator: str
    content: str
    coverage: float
    """How much of the question its words cover, 0 to 1."""


class SearchAnswer(BaseModel):
    """What a search found, and how it searched."""

    mode: str
    degraded: list[str]
    """What could not take part, such as a model that is still loading."""
    passages: list[FoundPassage]


class DiscussionLine(BaseModel):
    """One discussion of the account."""

    id: str
    title: str
    state: str
    updated_at: datetime


class SpokenTurn(BaseModel):
    """What a person or a role said."""

    speaker: str
    text: str


class WholeDiscussion(BaseModel):
    """A discussion with what was said in it, oldest first."""

    id: str
    title: str
    state: str
    turns: list[SpokenTurn]
    earlier_turns_left_out: int
    """The oldest turns of a long discussion, which did not fit."""
    questions_to_the_person: list[str]
    """What roles ask and wait for; the owner answers in MeetMind."""


class AccountRooms:
    """What one account may read; every method blocks, and looks whether the account still is."""

    def __init__(self, services: "Services", user: str) -> None:
        self._services = services
        self._user = user

    def owner_id(self) -> str:
        """The account's id; raises `NotFound`."""
        return self._services.accounts.person_named(self._user).id

    def search(self, query: str, role: str | None) -> SearchAnswer:
        """The best passages of a role or of all; raises `NotFound` for an unknown role."""
        self.owner_id()
        if role is not None and role not in AGENT_NAMES:
            raise NotFound(f"There is no such role. The roles are {', '.join(AGENT_NAMES)}.")
        found = self._services.library.search(role, query)
        passages: list[FoundPassage] = []
        for passage in found.passages:
            passages.append(
                FoundPassage(
                    passage_id=passage.passage_id,
                    role=passage.agent_name,
                    title=passage.title,
                    source=passage.source,
                    locator=passage.locator,
                    content=passage.content,
                    coverage=passage.coverage,
                )
            )
        return SearchAnswer(mode=found.mode, degraded=list(found.degraded), passages=passages)

    def discussions(self) -> list[DiscussionLine]:
        """The account's discussions, newest first."""
        summaries = self._services.discussions.list_sessions(self.owner_id())
        return [_line(summary) for summary in summaries]

    def discussion(self, discussion_id: str) -> WholeDiscussion:
        """One discussion; raises `NotFound` for one that is not there or somebody else's."""
        owner_id = self.owner_id()
        known_ids = {line.id for line in self.discussions()}
        if discussion_id not in known_ids:
            raise NotFound("There is no such discussion.")
        summary = self._services.discussions.get_session(owner_id, discussion_id)
        turns = self._turns(owner_id, discussion_id)
        kept = _latest_that_fit(turns)
        return WholeDiscussion(
            id=summary.id,
            title=summary.title,
            state=summary.state,
            turns=kept,
            earlier_turns_left_out=len(turns) - len(kept),
            questions_to_the_person=self._questions(owner_id, discussion_id),
        )

    def _questions(self, owner_id: str, discussion_id: str) -> list[str]:
        pending = self._services.questions.pending_questions(owner_id, discussion_id)
        return [f"{asked.agent_name}: {asked.question}" for asked in pending]

    def _turns(self, owner_id: str, discussion_id: str) -> list[SpokenTurn]:
        turns: list[SpokenTurn] = []
        for run in self._services.discussions.list_runs(owner_id, discussion_id):
            for logged in self._services.discussions.events_after(owner_id, run.id, 0):
                event = logged.event
                if isinstance(event, RunStarted):
                    turns.append(SpokenTurn(speaker=PERSON, text=event.brief))
                elif isinstance(event, PersonSpoke):
                    turns.append(SpokenTurn(speaker=PERSON, text=event.text))
                elif isinstance(event, UtteranceEnded):
                    turns.append(SpokenTurn(speaker=event.agent_name, text=event.content))
        return turns


def build_server(rooms: AccountRooms) -> FastMCP:
    """The server with its three tools."""
    server = FastMCP("meetmind", instructions=INSTRUCTIONS, log_level="ERROR")

    @server.tool()
    async def search_knowledge(
        query: Annotated[str, Field(min_length=1, max_length=2_000, description="The question.")],
        role: Annotated[
            str | None, Field(description=f"One of {', '.join(AGENT_NAMES)}; none searches all.")
        ] = None,
    ) -> SearchAnswer:
        """Search the documents of one role, or of all, for passages about a question."""
        return await _in_thread(lambda: rooms.search(query, role))

    @server.tool()
    async def list_discussions() -> list[DiscussionLine]:
        """List the discussions of the account, newest first."""
        return await _in_thread(rooms.discussions)

    @server.tool()
    async def get_discussion(
        id: Annotated[str, Field(max_length=100, description="From list_discussions.")],
    ) -> WholeDiscussion:
        """Read what was said in one discussion of the account."""
        return await _in_thread(lambda: rooms.discussion(id))

    return server


def take_standard_output() -> TextIO:
    """The standard output for the protocol alone; what else is printed goes to the error output."""
    for_protocol = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return for_protocol


def serve_over_stdio(rooms: AccountRooms, for_protocol: TextIO) -> None:
    """Answer until the client closes its end."""
    anyio.run(_serve, build_server(rooms), for_protocol)


async def _serve(server: FastMCP, for_protocol: TextIO) -> None:
    # As `FastMCP.run_stdio_async`, which would write to the output that everybody prints to.
    inner = server._mcp_server
    async with stdio_server(stdout=anyio.wrap_file(for_protocol)) as (read, write):
        await inner.run(read, write, inner.create_initialization_options())


async def _in_thread(work: Callable[[], Result]) -> Result:
    return await anyio.to_thread.run_sync(work)


def _line(summary: "SessionSummary") -> DiscussionLine:
    return DiscussionLine(
        id=summary.id, title=summary.title, state=summary.state, updated_at=summary.updated_at
    )


def _latest_that_fit(turns: list[SpokenTurn]) -> list[SpokenTurn]:
    kept: list[SpokenTurn] = []
    room = DISCUSSION_CHARACTERS
    for turn in reversed(turns):
        text = turn.text
        if len(text) > TURN_CHARACTERS:
            text = text[: TURN_CHARACTERS - 1] + "…"
        room -= len(text)
        if room < 0:
            break
        kept.append(SpokenTurn(speaker=turn.speaker, text=text))
    kept.reverse()
    return kept
