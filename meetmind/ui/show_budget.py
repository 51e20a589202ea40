"""Draws the budget: of the run that goes on, or of the next one."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.config.budget import Budget
from meetmind.errors import MeetMindError
from meetmind.i18n.budget_words import money_text
from meetmind.ui.language import error_text, text
from meetmind.ui.next_budget import FIELDS, default_of, next_budget_key
from meetmind.ui.run_view import Limits
from meetmind.ui.runs import LIVE_STATES, ShownRun
from meetmind.ui.session import BUDGET, current_person, current_services, leave_notice

if TYPE_CHECKING:
    from meetmind.config.settings import Settings

MINUTE_SECONDS = 60
MOST_TURNS = 100
MOST_TOKENS = 1_000_000_000
TOKENS_A_STEP = 1_000


@dataclass(frozen=True, kw_only=True)
class _Field:
    """One limit in the form."""

    name: str
    key: str
    limit: float | int | None
    used: str = ""


def show_budget(run: ShownRun | None) -> None:
    """A popover with the limits of the open run, or of the next one where none is open."""
    is_live = run is not None and run.state in LIVE_STATES
    with (
        st.popover(text("budget.title"), type="tertiary", icon=":material/speed:", key=BUDGET),
        st.container(gap="small", width=340),
    ):
        title = "budget.this" if is_live else "budget.next"
        st.markdown(f"**{text(title)}**")
        st.caption(text("budget.sentence"))
        if run is not None and is_live:
            _show_form(run)
        else:
            _show_next()


def _show_next() -> None:
    """Fields that are read when the next brief is sent."""
    for name in _names(current_services().settings):
        key = next_budget_key(name)
        st.session_state.setdefault(key, default_of(name))
        _show_field(_Field(name=name, key=key, limit=None))


def _show_form(run: ShownRun) -> None:
    """The limits of the open run with what it has used; a change holds from the next turn on."""
    run_id = run.view.run_id
    limits = current_limits(run)
    # Another window's change must be seen: new limits are new fields.
    version = hash(limits) & 0xFFFF
    fields = [
        _Field(
            name=name,
            key=f"{BUDGET}_{name}_{run_id}_{version}",
            limit=_limit_of(limits, name),
            used=_used_text(run, name),
        )
        for name in _names(current_services().settings)
    ]
    with st.form(f"{BUDGET}_form_{run_id}", border=False):
        for field in fields:
            _show_field(field)
        st.form_submit_button(
            text("budget.save"),
            key=f"{BUDGET}_save_{run_id}",
            type="primary",
            on_click=on_budget,
            args=(run_id, limits, version),
        )


def _show_field(field: _Field) -> None:
    currency = current_services().settings.price_currency
    if field.key not in st.session_state:
        st.session_state[field.key] = field.limit
    label = text(f"budget.{field.name}", currency=currency)
    if field.name in ("turns", "tokens"):
        _show_whole_number(field, label)
    else:
        _show_number(field, label)
    if field.used:
        st.caption(text("budget.used", used=field.used))


def _show_whole_number(field: _Field, label: str) -> None:
    is_turns = field.name == "turns"
    st.number_input(
        label,
        min_value=1,
        max_value=MOST_TURNS if is_turns else MOST_TOKENS,
        value=None,
        step=1 if is_turns else TOKENS_A_STEP,
        key=field.key,
        help=text(f"budget.{field.name}_help"),
        # An empty field is the number that the settings say.
        placeholder=f"{default_of('turns')}" if is_turns else text("budget.no_limit"),
        persist_state="session",
    )


def _show_number(field: _Field, label: str) -> None:
    is_money = field.name == "money"
    least = 0.0001 if is_money else 0.1
    st.number_input(
        label,
        min_value=least,
        value=None,
        step=0.1 if is_money else 1.0,
        format="%g",
        key=field.key,
        help=text(f"budget.{field.name}_help"),
        placeholder=text("budget.no_limit"),
        persist_state="session",
    )


def on_budget(run_id: str, before: Limits, version: int) -> None:
    """Change what the run may use; fields that are not shown stay as they are."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return

    def typed(name: str) -> float | int | None:
        key = f"{BUDGET}_{name}_{run_id}_{version}"
        if name not in _names(services.settings):
            return _limit_of(before, name)
        value: float | int | None = st.session_state.get(key)
        return value

    tokens = typed("tokens")
    after = Limits(
        max_iterations=int(typed("turns") or before.max_iterations),
        max_tokens=None if tokens is None else int(tokens),
        max_minutes=typed("minutes"),
        max_cost=typed("money"),
    )
    if after == before:
        leave_notice(text("budget.nothing_changed"), "info")
        return
    budget = Budget(
        max_tokens=after.max_tokens, max_minutes=after.max_minutes, max_cost=after.max_cost
    )
    try:
        services.execution.change_budget(
            person.id, run_id, max_iterations=after.max_iterations, budget=budget
        )
    except MeetMindError as error:
        leave_notice(error_text(error))


def current_limits(run: ShownRun) -> Limits:
    """What the run may use now; the log's word is the newest."""
    if run.view.limits is not None:
        return run.view.limits
    summary = run.summary
    return Limits(
        max_iterations=summary.max_iterations,
        max_tokens=summary.max_tokens,
        max_minutes=summary.max_minutes,
        max_cost=summary.max_cost,
    )


def _names(settings: "Settings") -> tuple[str, ...]:
    """The limits that can be set: money only where the model has a price."""
    return FIELDS if has_prices(settings) else FIELDS[:-1]


def has_prices(settings: "Settings") -> bool:
    """Whether somebody said what the model costs."""
    return settings.price_input is not None or settings.price_output is not None


def _limit_of(limits: Limits, name: str) -> float | int | None:
    limit_by_name: dict[str, float | int | None] = {
        "turns": limits.max_iterations,
        "tokens": limits.max_tokens,
        "minutes": limits.max_minutes,
        "money": limits.max_cost,
    }
    return limit_by_name[name]


def _used_text(run: ShownRun, name: str) -> str:
    summary = run.summary
    if name == "turns":
        return f"{run.view.turns:,}"
    if name == "tokens":
        return f"{summary.input_tokens + summary.output_tokens:,}"
    if name == "minutes":
        return f"{summary.work_seconds / MINUTE_SECONDS:.1f}"
    return money_text(summary.cost)
