"""Puts an approved change of a file into ledger and workspace, the way the gate would."""

import difflib
from dataclasses import dataclass
from pathlib import Path

from psycopg_pool import ConnectionPool

from meetmind.database import file_versions, tool_executions
from meetmind.database.tool_executions import CallFacts
from meetmind.events import ToolFinished, ToolRequested
from meetmind.tools.files.file_content import content_sha256
from tests.support.open_run import open_run


@dataclass(frozen=True, kw_only=True)
class Changer:
    """A run in which calls change files."""

    pool: ConnectionPool
    run_id: str
    epoch: int
    workspace: Path

    def ask(self, call_id: str, path: str, content: str) -> None:
        """A Write that a grant lets pass but that has not begun."""
        before = self._content_now(path)
        after = content.encode()
        request = ToolRequested(
            utterance_id="u",
            agent_name="architect",
            call_id=call_id,
            tool="Write",
            risk="high",
            arguments={"path": path, "content": content},
            verdict="allowed",
            preview=diff_of(before, after),
        )
        facts = CallFacts(
            arguments_sha256="0" * 64,
            target=path,
            sha256_before=content_sha256(before),
            sha256_after=content_sha256(after),
        )
        tool_executions.record_request(
            self.pool,
            run_id=self.run_id,
            epoch=self.epoch,
            request=request,
            status="approved",
            facts=facts,
        )

    def write(self, call_id: str, path: str, content: str) -> None:
        """A Write from the wish to the end, what was there before kept."""
        before = self._content_now(path)
        self.ask(call_id, path, content)
        file_versions.keep_version(
            self.pool, run_id=self.run_id, call_id=call_id, path=path, content=before
        )
        tool_executions.claim_call(
            self.pool,
            run_id=self.run_id,
            epoch=self.epoch,
            call_id=call_id,
            arguments_sha256="0" * 64,
        )
        target = self.workspace / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode())
        event = ToolFinished(
            utterance_id="u", call_id=call_id, tool="Write", status="ok", summary="Wrote it"
        )
        tool_executions.finish_call(
            self.pool,
            run_id=self.run_id,
            epoch=self.epoch,
            status="finished",
            result={},
            event=event,
        )

    def _content_now(self, path: str) -> bytes | None:
        target = self.workspace / path
        return target.read_bytes() if target.is_file() else None


def diff_of(before: bytes | None, after: bytes) -> str:
    lines_before = [] if before is None else before.decode().splitlines()
    return "\n".join(difflib.unified_diff(lines_before, after.decode().splitlines(), lineterm=""))


def open_changer(
    pool: ConnectionPool, home: Path, owner_id: str, session_id: str | None = None
) -> tuple[str, Changer]:
    """A discussion with a run that changes files; the discussion's id and the changer."""
    session_id, run_id, epoch = open_run(pool, owner_id, session_id)
    workspace = home / "workspaces" / session_id
    return session_id, Changer(pool=pool, run_id=run_id, epoch=epoch, workspace=workspace)
