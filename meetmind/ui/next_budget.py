"""What the next run may use, as the composer's budget says; None where nobody chose."""

import streamlit as st

from meetmind.config.budget import Budget
from meetmind.ui.session import BUDGET, current_services

FIELDS = ("turns", "tokens", "minutes", "money")


def next_budget_key(field: str) -> str:
    """The key of a field of the next run's budget."""
    return f"{BUDGET}_next_{field}"


def default_of(field: str) -> float | int | None:
    """What the settings say."""
    settings = current_services().settings
    default_by_field: dict[str, float | int | None] = {
        "turns": settings.max_iterations,
        "tokens": settings.max_run_tokens,
        "minutes": settings.max_run_minutes,
        "money": settings.max_run_cost,
    }
    return default_by_field[field]


def next_turns() -> int | None:
    """The turns that the next run may have; None leaves it to the settings."""
    turns = st.session_state.get(next_budget_key("turns"))
    return None if turns is None else int(turns)


def next_budget() -> Budget | None:
    """The rest of the budget; None, so that the settings hold, before anybody saw the fields."""
    if next_budget_key("tokens") not in st.session_state:
        return None
    tokens = st.session_state.get(next_budget_key("tokens"))
    minutes = st.session_state.get(next_budget_key("minutes"), default_of("minutes"))
    money = st.session_state.get(next_budget_key("money"), default_of("money"))
    return Budget(
        max_tokens=None if tokens is None else int(tokens),
        max_minutes=minutes,
        max_cost=money,
    )
