"""The tool calls of one run as rows: what the policy and the gate write down and read."""

from psycopg_pool import ConnectionPool

from meetmind.database import call_outcomes, file_versions, tool_executions, tool_grants
from meetmind.database.call_outcomes import CallOutcomeRow, SessionResults
from meetmind.database.tool_executions import CallFacts, ToolExecutionRow
from meetmind.database.tool_grants import GrantRow
from meetmind.events import AskedAgain, ToolAskedAgain, ToolFinished, ToolRequested
from meetmind.server.stream import RunIdentity, RunLog, in_thread
from meetmind.tools.effects import Effect
from meetmind.tools.envelope import Envelope
from meetmind.tools.past_calls import STATUS_BY_VERDICT

LEDGER_STATUS_BY_RESULT = {"rejected": "rejected", "refused": "refused", "ok": "finished"}


class RunLedger:
    """The `Ledger` of a run in PostgreSQL."""

    def __init__(self, pool: ConnectionPool, identity: RunIdentity, log: RunLog) -> None:
        self._pool = pool
        self._run = identity
        self._log = log

    async def request(self, request: ToolRequested, facts: CallFacts) -> None:
        """Write down a call with the policy's verdict, together with its event."""
        await self._log.flush()
        await in_thread(
            tool_executions.record_request,
            self._pool,
            run_id=self._run.run_id,
            epoch=self._run.epoch,
            request=request,
            status=STATUS_BY_VERDICT[request.verdict],
            facts=facts,
        )

    async def outcomes(self) -> list[CallOutcomeRow]:
        """Every call of this run so far, in order, without its result."""
        return await in_thread(call_outcomes.list_outcomes, self._pool, run_id=self._run.run_id)

    async def session_results(self, word: str) -> SessionResults:
        """What the calls of the whole discussion brought home that holds this word."""
        return await in_thread(
            call_outcomes.session_results,
            self._pool,
            owner_id=self._run.owner_id,
            session_id=self._run.session_id,
            word=word,
        )

    async def grant_for(self, tool: str, scope: str) -> GrantRow | None:
        """The permission that lets such a call pass in this discussion."""
        grants = await in_thread(
            tool_grants.list_grants,
            self._pool,
            owner_id=self._run.owner_id,
            session_id=self._run.session_id,
        )
        for grant in grants:
            if (grant.tool, grant.scope) == (tool, scope):
                return grant
        return None

    async def ask_again(
        self, call_id: str, effect: Effect, why: AskedAgain = "file_changed"
    ) -> bool:
        """Put an approved call before the person again, with the effect that it has by now.

        False when it is not approved any more or the run was lost.
        """
        return await in_thread(
            tool_executions.ask_again,
            self._pool,
            run_id=self._run.run_id,
            call_id=call_id,
            epoch=self._run.epoch,
            event=ToolAskedAgain(call_id=call_id, preview=effect.diff, why=why),
            sha256_before=effect.sha256_before,
            sha256_after=effect.sha256_after,
        )

    async def keep_version(self, call_id: str, path: str, content: bytes | None) -> None:
        """Keep what a file holds before the call changes it; None is no file."""
        await in_thread(
            file_versions.keep_version,
            self._pool,
            run_id=self._run.run_id,
            call_id=call_id,
            path=path,
            content=content,
        )

    async def get(self, call_id: str) -> ToolExecutionRow | None:
        """The call as it stands now."""
        return await in_thread(
            tool_executions.get_call, self._pool, run_id=self._run.run_id, call_id=call_id
        )

    async def claim(self, call_id: str, arguments_sha256: str) -> bool:
        """Move an approved call to started, with the arguments that the caller holds."""
        return await in_thread(
            tool_executions.claim_call,
            self._pool,
            run_id=self._run.run_id,
            epoch=self._run.epoch,
            call_id=call_id,
            arguments_sha256=arguments_sha256,
        )

    async def finish(self, envelope: Envelope, event: ToolFinished) -> None:
        """Write down how a call ended, together with its event."""
        await in_thread(
            tool_executions.finish_call,
            self._pool,
            run_id=self._run.run_id,
            epoch=self._run.epoch,
            status=LEDGER_STATUS_BY_RESULT.get(envelope.status, "failed"),
            result=envelope.to_record(),
            event=event,
        )
