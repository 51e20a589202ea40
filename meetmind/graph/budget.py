"""What a run may use: from the soft share on the architect closes, at the end no turn begins."""

from dataclasses import dataclass

from meetmind.agents.run_context import BudgetKind, BudgetNearlyUsed, RunNow
from meetmind.events import EndReason

SOFT_SHARE = 0.85
SECONDS_A_MINUTE = 60.0
REASON_BY_KIND: dict[BudgetKind, EndReason] = {
    "turns": "iterations_used_up",
    "tokens": "tokens_used_up",
    "minutes": "minutes_used_up",
    "money": "money_used_up",
}
BUDGET_REASONS = frozenset(REASON_BY_KIND.values())


@dataclass(frozen=True, kw_only=True)
class Share:
    """How much of one limit is used; 1 is all of it."""

    kind: BudgetKind
    used: float


def used_up(now: RunNow, turns: int) -> EndReason | None:
    """Why no further turn may begin after so many turns; None where one may."""
    for share in _shares(now, turns):
        if share.used >= 1:
            return REASON_BY_KIND[share.kind]
    return None


def nearly_used(now: RunNow, turns: int) -> BudgetNearlyUsed | None:
    """The limit that is nearest to its end, once it is in sight."""
    fullest = max(_shares(now, turns), key=lambda share: share.used)
    if fullest.used < SOFT_SHARE:
        return None
    percent = min(100, int(fullest.used * 100))
    return BudgetNearlyUsed(kind=fullest.kind, percent=percent)


def _shares(now: RunNow, turns: int) -> list[Share]:
    """Turns first, then every limit that somebody set."""
    shares = [Share(kind="turns", used=turns / now.max_iterations)]
    if now.max_tokens is not None:
        tokens = now.input_tokens + now.output_tokens
        shares.append(Share(kind="tokens", used=tokens / now.max_tokens))
    if now.max_minutes is not None:
        minutes = now.work_seconds / SECONDS_A_MINUTE
        shares.append(Share(kind="minutes", used=minutes / now.max_minutes))
    if now.max_cost is not None:
        shares.append(Share(kind="money", used=now.cost / now.max_cost))
    return shares
