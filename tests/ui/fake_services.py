"""Services in memory with the surface that the pages call, playing back prepared discussions."""

import threading
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.errors import MeetMindError, NotFound, PasswordRefused, RunIsBusy, SignInRefused
from meetmind.events import (
    LoggedEvent,
    PassageEvidence,
    RunEnded,
    RunResumed,
    ToolDecided,
    ToolFinished,
    ToolRequested,
    UtteranceEnded,
    RunWaiting,
)
from tests.ui.sample_run import PASSAGES, after_decision, before_decision


def now() -> datetime:
    return datetime.now(UTC)


@dataclass
class FakePerson:
    id: str
    name: str
    is_admin: bool = True
    must_change_password: bool = True
    language: str | None = None


class FakeAccounts:
    def __init__(self) -> None:
        self.people = {"admin": FakePerson(id=str(uuid.uuid4()), name="admin")}
        self.passwords = {"admin": "admin"}
        self.tickets: dict[str, str] = {}
        self.tokens: dict[str, str] = {}

    def sign_in(self, name: str, password: str) -> FakePerson:
        if self.passwords.get(name) != password:
            raise SignInRefused("The name or the password is wrong.")
        return self.people[name]

    def issue_ticket(self, person_id: str) -> str:
        ticket = uuid.uuid4().hex
        self.tickets[ticket] = person_id
        return ticket

    def redeem_ticket(self, ticket: str) -> str | None:
        person_id = self.tickets.pop(ticket, None)
        if person_id is None:
            return None
        token = uuid.uuid4().hex
        self.tokens[token] = person_id
        return token

    def person_for_token(self, token: str) -> FakePerson | None:
        person_id = self.tokens.get(token)
        for person in self.people.values():
            if person.id == person_id:
                return person
        return None

    def sign_out(self, token: str) -> None:
        self.tokens.pop(token, None)

    def change_password(
        self, person_id: str, old: str, new: str, keep_token: str | None = None
    ) -> None:
        person = next(p for p in self.people.values() if p.id == person_id)
        if self.passwords[person.name] != old:
            raise SignInRefused("The name or the password is wrong.")
        if len(new) < 8 or new == old:
            raise PasswordRefused("The new password will not do.")
        self.passwords[person.name] = new
        person.must_change_password = False

    def set_language(self, person_id: str, language: str) -> None:
        for person in self.people.values():
            if person.id == person_id:
                person.language = language


class FakeMemory:
    def __init__(self) -> None:
        self.versions: list[Any] = []

    def get_memory(self, owner_id: str) -> Any:
        return self.versions[0] if self.versions else None

    def save_memory(self, owner_id: str, content: str) -> Any:
        if self.versions and self.versions[0].content == content:
            return self.versions[0]
        version = SimpleNamespace(id=str(uuid.uuid4()), content=content, created_at=now())
        self.versions.insert(0, version)
        return version

    def list_versions(self, owner_id: str) -> list[Any]:
        return self.versions


@dataclass
class FakeRun:
    id: str
    session_id: str
    mode: str
    state: str = "running"
    events: list[LoggedEvent] = field(default_factory=list)
    created_at: datetime = field(default_factory=now)
    stopped: bool = False

    def append(self, event: Any) -> None:
        seq = len(self.events) + 1
        self.events.append(LoggedEvent(run_id=self.id, seq=seq, at=now(), event=event))
        if isinstance(event, RunWaiting):
            self.state = "waiting"
        elif isinstance(event, RunEnded):
            self.state = event.status
        elif isinstance(event, RunResumed):
            self.state = "running"


class FakeDiscussions:
    def __init__(self) -> None:
        self.sessions: dict[str, Any] = {}
        self.runs: dict[str, FakeRun] = {}

    def create_session(self, owner_id: str, title: str) -> str:
        session_id = str(uuid.uuid4())
        self.sessions[session_id] = SimpleNamespace(
            id=session_id, title=" ".join(title.split())[:120], updated_at=now()
        )
        return session_id

    def _summary(self, session: Any) -> Any:
        states = [run.state for run in self.runs.values() if run.session_id == session.id]
        return SimpleNamespace(
            id=session.id,
            title=session.title,
            updated_at=session.updated_at,
            state=states[-1] if states else "empty",
        )

    def list_sessions(self, owner_id: str, search: str = "") -> list[Any]:
        found = [s for s in self.sessions.values() if search.lower() in s.title.lower()]
        found.sort(key=lambda session: session.updated_at, reverse=True)
        return [self._summary(session) for session in found]

    def get_session(self, owner_id: str, session_id: str) -> Any:
        if session_id not in self.sessions:
            raise NotFound("There is no such discussion.")
        return self._summary(self.sessions[session_id])

    def rename_session(self, owner_id: str, session_id: str, title: str) -> None:
        self.sessions[session_id].title = title

    def delete_session(self, owner_id: str, session_id: str) -> None:
        self.sessions.pop(session_id, None)

    def list_runs(self, owner_id: str, session_id: str) -> list[Any]:
        runs = [run for run in self.runs.values() if run.session_id == session_id]
        return [
            SimpleNamespace(
                id=run.id,
                session_id=run.session_id,
                state=run.state,
                mode=run.mode,
                model_name="offline",
                created_at=run.created_at,
                ended_at=None,
                last_seq=len(run.events),
            )
            for run in runs
        ]

    def events_after(self, owner_id: str, run_id: str, seq: int) -> list[LoggedEvent]:
        return list(self.runs[run_id].events[seq:])


class FakeExecution:
    """Plays a prepared run; `pace` is the factor on its pauses, 0 plays it at once."""

    def __init__(self, discussions: FakeDiscussions, pace: float) -> None:
        self.discussions = discussions
        self.pace = pace
        self.decisions: dict[str, Any] = {}

    def start_run(
        self, owner_id: str, session_id: str, brief: str, mode: str = "auto", language: Any = None
    ) -> str:
        for run in self.discussions.runs.values():
            if run.session_id == session_id and run.state in ("running", "waiting"):
                raise RunIsBusy("Another run is still going on.")
        run = FakeRun(id=str(uuid.uuid4()), session_id=session_id, mode=mode)
        self.discussions.runs[run.id] = run
        chinese = any("\u4e00" <= letter <= "\u9fff" for letter in brief)
        self._play(run, before_decision(run.id, brief, "zh" if chinese else "en"))
        return run.id

    def _play(self, run: FakeRun, script: Any) -> None:
        def play() -> None:
            for pause, event in script:
                if self.pace:
                    threading.Event().wait(pause * self.pace)
                if run.stopped:
                    return
                run.append(event)

        if self.pace:
            threading.Thread(target=play, daemon=True).start()
        else:
            play()

    def stop_run(self, owner_id: str, run_id: str) -> None:
        run = self.discussions.runs[run_id]
        run.stopped = True
        run.append(RunEnded(status="stopped", reason="stopped_by_person"))

    def decide(
        self, owner_id: str, run_id: str, call_id: str, decision: str, reason: str = ""
    ) -> Any:
        if call_id in self.decisions:
            known = self.decisions[call_id]
            return SimpleNamespace(won=False, decision=known, decided_by="admin")
        self.decisions[call_id] = decision
        run = self.discussions.runs[run_id]
        run.append(
            ToolDecided(call_id=call_id, decision=decision, decided_by="admin", reason=reason)
        )
        run.append(RunResumed(reason="decision"))
        self._play(run, after_decision(run.id, decision))
        return SimpleNamespace(won=True, decision=decision, decided_by="admin")

    def pending_calls(self, owner_id: str, session_id: str | None = None) -> list[Any]:
        return []

    def get_resumable(self, owner_id: str) -> list[Any]:
        return []

    def resume_execution(self, owner_id: str, run_id: str) -> None:
        self.discussions.runs[run_id].append(RunResumed(reason="cut_off"))

    def discard_resumable(self, owner_id: str, run_id: str) -> None:
        self.stop_run(owner_id, run_id)


class FakeLibrary:
    def __init__(self) -> None:
        self.filled = True
        self.state = "ready"

    def overview(self) -> list[Any]:
        count = 84 if self.filled else 0
        return [
            SimpleNamespace(
                agent_name=name,
                documents=16 if self.filled else 0,
                passages=count,
                chinese_passages=count // 2,
                english_passages=count - count // 2,
                characters=count * 390,
                embedded_passages=count,
            )
            for name in AGENT_NAMES
        ]

    def list_documents(self, agent_name: str) -> list[Any]:
        if not self.filled:
            return []
        return [
            SimpleNamespace(
                source=passage.source,
                title=passage.title,
                doc_type="guideline",
                language=passage.language,
                passages=6,
                characters=2310,
                status="ready",
                report="",
            )
            for passage in PASSAGES.values()
        ]

    def list_passages(
        self, agent_name: str, source: str | None = None, offset: int = 0, limit: int = 50
    ) -> list[Any]:
        return [
            SimpleNamespace(
                id=passage.passage_id,
                title=passage.title,
                source=passage.source,
                locator=passage.locator,
                language=passage.language,
                content=passage.content,
            )
            for passage in PASSAGES.values()
            if source is None or passage.source == source
        ]

    def search(self, agent_name: str | None, query: str) -> Any:
        found: tuple[PassageEvidence, ...] = ()
        if "nothing" not in query:
            found = tuple(PASSAGES.values())
        return SimpleNamespace(
            passages=found, mode="words+vectors, fused", ranker="fused", degraded=(), seconds=0.04
        )

    def progress(self) -> Any:
        return SimpleNamespace(
            state=self.state, done=31, total=74, current="backend/incident-reports.json", failures=()
        )

    def start_ingestion(self) -> None:
        self.state = "ready"

    def reset(self, agent_name: str) -> None:
        self.filled = True


class FakeModels:
    def __init__(self, offline: bool = True) -> None:
        self.offline = offline

    def status(self) -> Any:
        if self.offline:
            return SimpleNamespace(name="offline", base_url="", offline=True, tools_refused=False)
        return SimpleNamespace(
            name="mimo-v2-flash",
            base_url="https://api.xiaomimimo.com/v1",
            offline=False,
            tools_refused=False,
        )


class FakeServices:
    def __init__(self, pace: float = 0.0) -> None:
        self.accounts = FakeAccounts()
        self.memory = FakeMemory()
        self.discussions = FakeDiscussions()
        self.execution = FakeExecution(self.discussions, pace)
        self.library = FakeLibrary()
        self.models = FakeModels()

    def close(self) -> None:
        return
