"""What a run may use: in sight of the end the architect closes, at the end no turn begins."""

from dataclasses import replace

from meetmind.agents.run_context import BudgetNearlyUsed, RunNow
from meetmind.graph.budget import nearly_used, used_up

FRESH = RunNow(
    pause_asked=False,
    max_iterations=20,
    max_tokens=None,
    max_minutes=None,
    max_cost=None,
    input_tokens=0,
    output_tokens=0,
    cost=0.0,
    work_seconds=0.0,
)


def test_without_limits_only_turns_end_a_run() -> None:
    spent = replace(FRESH, input_tokens=10**9, output_tokens=10**9, cost=1e6, work_seconds=1e6)
    assert used_up(spent, 19) is None
    assert used_up(spent, 20) == "iterations_used_up"
    assert nearly_used(spent, 16) is None


def test_each_limit_ends_the_run_with_its_own_reason() -> None:
    tokens = replace(FRESH, max_tokens=1000, input_tokens=600, output_tokens=400)
    minutes = replace(FRESH, max_minutes=2.0, work_seconds=120.0)
    money = replace(FRESH, max_cost=0.5, cost=0.5)
    reasons = [used_up(now, 3) for now in (tokens, minutes, money)]
    assert reasons == ["tokens_used_up", "minutes_used_up", "money_used_up"]


def test_a_hair_below_a_limit_one_more_turn_may_begin() -> None:
    assert used_up(replace(FRESH, max_tokens=1000, output_tokens=999), 3) is None


def test_from_85_percent_on_the_fullest_limit_is_named() -> None:
    now = replace(FRESH, max_tokens=100, output_tokens=84, max_cost=1.0, cost=0.5)
    assert nearly_used(now, 3) is None
    told = nearly_used(replace(now, output_tokens=87), 3)
    assert told == BudgetNearlyUsed(kind="tokens", percent=87)
    assert nearly_used(FRESH, 17) == BudgetNearlyUsed(kind="turns", percent=85)


def test_a_limit_that_a_person_lowered_below_the_use_ends_the_run() -> None:
    assert used_up(replace(FRESH, max_iterations=2), 5) == "iterations_used_up"
