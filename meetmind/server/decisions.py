"""Decides calls that wait: the first word wins, changed arguments are rated again from zero."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from psycopg_pool import ConnectionPool

from meetmind.clean_text import clean_bad_chars, clean_value
from meetmind.database import approvals, tool_executions, tool_grants
from meetmind.database.approvals import ChangedCall, Verdict
from meetmind.database.tool_executions import ToolExecutionRow
from meetmind.errors import ArgumentsRefused, NotFound, RunIsOver, ToolError
from meetmind.events import Decision, Risk, ToolAskedAgain
from meetmind.server.approvals import DecisionOutcome, card_fingerprint
from meetmind.tools.argument_check import wrong_arguments
from meetmind.tools.effects import FILE_TOOLS, NO_FILE, Effect, expected_effect
from meetmind.tools.net_auth import address_to_ask_about
from meetmind.tools.past_calls import target_of
from meetmind.tools.policy import WEB_FETCH, arguments_sha256, grant_scope
from meetmind.tools.tool_register import ToolRegister, risk_of
from meetmind.tracing.recorder import SpanRecorder
from meetmind.tracing.spans import Span

REASON_CHARACTERS = 2000
STALE = DecisionOutcome(won=False, decision="", decided_by="", is_stale=True)


@dataclass(frozen=True, kw_only=True)
class RatedArguments:
    """What changed arguments would do, before anybody decides."""

    risk: Risk
    preview: str
    effect: str
    """A hash of the effect: approving holds for this one only."""


class Decisions:
    """Writes decisions into the ledger."""

    def __init__(
        self,
        pool: ConnectionPool,
        *,
        register: Callable[[], ToolRegister],
        workspace_of: Callable[[str], Path],
        spans: SpanRecorder,
    ) -> None:
        self._pool = pool
        self._register = register
        self._workspace_of = workspace_of
        self._spans = spans

    def rate(
        self, owner_id: str, run_id: str, call_id: str, arguments: Mapping[str, Any]
    ) -> RatedArguments:
        """Rate arguments that a person changed; raises `ArgumentsRefused` and `NotFound`."""
        changed = self._changed(self._call_of(owner_id, run_id, call_id), arguments)
        return RatedArguments(
            risk=cast(Risk, changed.risk), preview=changed.preview, effect=_effect_hash(changed)
        )

    def decide(
        self,
        owner_id: str,
        run_id: str,
        call_id: str,
        decision: Decision,
        reason: str = "",
        *,
        arguments: Mapping[str, Any] | None = None,
        allow_from_now: bool = False,
        shown: str | None = None,
        shown_effect: str | None = None,
    ) -> DecisionOutcome:
        """Decide one call; raises `NotFound`, `RunIsOver` and `ArgumentsRefused`.

        An approval holds for the call (`shown`, the card's fingerprint) and the effect that were
        shown: when either has changed since, nothing is decided and the card is made anew.
        """
        call = self._call_of(owner_id, run_id, call_id)
        if call.status != "pending":
            return _outcome(call, won=False)
        changed = None
        if decision == "approved":
            if shown is not None and shown != card_fingerprint(call):
                return STALE
            if arguments is not None and dict(arguments) != call.arguments:
                changed = self._changed(call, arguments)
                if shown_effect is not None and shown_effect != _effect_hash(changed):
                    return STALE
            elif self._has_another_effect(call):
                return STALE
        verdict = Verdict(
            decider_id=owner_id,
            decision=decision,
            reason=clean_bad_chars(reason).strip()[:REASON_CHARACTERS],
            changed=changed,
            grants_scope=self._granted_scope(call, changed) if allow_from_now else None,
            seen_since=call.pending_since if decision == "approved" else None,
            seen_sha256=call.arguments_sha256 if decision == "approved" else None,
        )
        won = approvals.decide_call(self._pool, run_id=run_id, call_id=call_id, verdict=verdict)
        decided = self._call_of(owner_id, run_id, call_id)
        if decided.status == "pending":
            return STALE
        if won:
            self._trace(decided)
            self._let_others_pass(decided, verdict)
        return _outcome(decided, won=won)

    def _call_of(self, owner_id: str, run_id: str, call_id: str) -> ToolExecutionRow:
        call = tool_executions.get_call(self._pool, run_id=run_id, call_id=call_id)
        if call is None or call.owner_id != owner_id:
            raise NotFound("There is no such tool call.")
        return call

    def _changed(self, call: ToolExecutionRow, arguments: Mapping[str, Any]) -> ChangedCall:
        """The call with other arguments, checked and rated as if a role had asked for it."""
        cleaned: dict[str, Any] = clean_value(dict(arguments))
        tool = self._register().find(call.tool)
        if tool is None:
            raise ArgumentsRefused(
                f"The tool {call.tool} is not there any more.", reason="tool_gone"
            )
        wrong = wrong_arguments(tool, cleaned)
        if wrong:
            raise ArgumentsRefused(f"The arguments do not fit the tool: {wrong}.", problem=wrong)
        effect = self._effect(call, cleaned)
        return ChangedCall(
            arguments=cleaned,
            arguments_sha256=arguments_sha256(call.tool, cleaned),
            risk=risk_of(tool),
            target=target_of(cleaned),
            preview=effect.diff,
            sha256_before=effect.sha256_before,
            sha256_after=effect.sha256_after,
        )

    def _effect(self, call: ToolExecutionRow, arguments: Mapping[str, Any]) -> Effect:
        try:
            if call.tool == WEB_FETCH:
                address_to_ask_about(str(arguments["url"]))
                return NO_FILE
            workspace = self._workspace_of(call.session_id)
            return expected_effect(call.tool, arguments, workspace)
        except ToolError as error:
            problem = str(error)
            raise ArgumentsRefused(problem, problem=problem, reason=error.reason) from None

    def _has_another_effect(self, call: ToolExecutionRow) -> bool:
        """Whether the file has changed since the card was drawn; the card is made anew then."""
        if call.tool not in FILE_TOOLS:
            return False
        effect = self._effect(call, call.arguments)
        if effect.sha256_before == call.target_sha256_before:
            return False
        tool_executions.ask_again(
            self._pool,
            run_id=call.run_id,
            call_id=call.call_id,
            epoch=None,
            event=ToolAskedAgain(call_id=call.call_id, preview=effect.diff),
            sha256_before=effect.sha256_before,
            sha256_after=effect.sha256_after,
        )
        return True

    def _granted_scope(self, call: ToolExecutionRow, changed: ChangedCall | None) -> str:
        risk = call.risk if changed is None else changed.risk
        if risk != "medium":
            raise ArgumentsRefused(
                "Only calls of medium risk can be allowed for a whole discussion.",
                reason="only_medium",
            )
        arguments = call.arguments if changed is None else changed.arguments
        return grant_scope(call.tool, arguments)

    def _let_others_pass(self, call: ToolExecutionRow, verdict: Verdict) -> None:
        """Calls of the same discussion that wait for the very permission that was given now."""
        if verdict.grants_scope is None:
            return
        for grant in tool_grants.list_grants(
            self._pool, owner_id=call.owner_id, session_id=call.session_id
        ):
            if (grant.tool, grant.scope) == (call.tool, verdict.grants_scope):
                self._approve_by_grant(call, grant.id, verdict.grants_scope)

    def _approve_by_grant(self, granted: ToolExecutionRow, grant_id: str, scope: str) -> None:
        waiting = approvals.list_pending(
            self._pool, owner_id=granted.owner_id, session_id=granted.session_id
        )
        for call in waiting:
            # What waits once more has a reason to be looked at by itself.
            is_alike = call.tool == granted.tool and call.risk == "medium" and not call.asked_again
            if not is_alike or grant_scope(call.tool, call.arguments) != scope:
                continue
            verdict = Verdict(
                decider_id=granted.owner_id,
                decision="approved",
                how="grant",
                grant_id=grant_id,
                seen_since=call.pending_since,
                seen_sha256=call.arguments_sha256,
            )
            try:
                approvals.decide_call(
                    self._pool, run_id=call.run_id, call_id=call.call_id, verdict=verdict
                )
            except RunIsOver:
                continue

    def _trace(self, call: ToolExecutionRow) -> None:
        self._spans.record(
            Span(
                run_id=call.run_id,
                kind="approval",
                name=call.tool,
                utterance_id=call.utterance_id,
                call_id=call.call_id,
                status=call.status,
                began_at=call.pending_since,
                ended_at=datetime.now(UTC),
                details={"how": call.decided_how, "reason": call.decision_reason},
            )
        )


def _effect_hash(changed: ChangedCall) -> str:
    effect = [changed.sha256_before, changed.sha256_after, changed.preview, changed.risk]
    return hashlib.sha256(json.dumps(effect).encode()).hexdigest()


def _outcome(call: ToolExecutionRow, *, won: bool) -> DecisionOutcome:
    decision = "rejected" if call.status == "rejected" else "approved"
    return DecisionOutcome(won=won, decision=decision, decided_by=call.decided_by_name or "")
