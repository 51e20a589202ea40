"""A budget in words."""

from meetmind.i18n.translate import translate


def limits_text(
    language: str,
    *,
    max_iterations: int,
    max_tokens: int | None = None,
    max_minutes: float | None = None,
    max_cost: float | None = None,
    currency: str = "",
) -> str:
    """Every limit that there is, in one row; None is no limit."""
    parts = [translate("budget.limit_turns", language, count=max_iterations)]
    if max_tokens is not None:
        parts.append(translate("budget.limit_tokens", language, count=f"{max_tokens:,}"))
    if max_minutes is not None:
        parts.append(translate("budget.limit_minutes", language, count=f"{max_minutes:g}"))
    if max_cost is not None:
        amount = money_text(max_cost)
        limit = translate("budget.limit_money", language, count=amount, currency=currency)
        parts.append(limit.rstrip())
    return translate("unit.list_separator", language).join(parts)


def money_text(amount: float) -> str:
    """An amount with as many places as a small one needs."""
    if 0 < amount < 1:
        return f"{amount:.4f}"
    return f"{amount:,.2f}"
