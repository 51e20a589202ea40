"""What a crash makes a run say again stands in its log once."""

import pytest
from psycopg_pool import ConnectionPool

from meetmind.database import run_events, runs
from meetmind.events import (
    DiscussionEvent,
    FloorTaken,
    GuardActed,
    RouteChosen,
    ToolsUnavailable,
)
from meetmind.server.accounts import Accounts
from tests.support.open_run import open_run

TURN = "run.0.architect"
OTHER_TURN = "run.1.backend"


@pytest.mark.parametrize(
    ("told", "of_another_turn"),
    [
        (
            FloorTaken(utterance_id=TURN, agent_name="architect", iteration=0),
            FloorTaken(utterance_id=OTHER_TURN, agent_name="backend", iteration=1),
        ),
        (
            GuardActed(guard="lookups_used_up", utterance_id=TURN, agent_name="architect"),
            GuardActed(guard="lookups_used_up", utterance_id=OTHER_TURN, agent_name="backend"),
        ),
        (ToolsUnavailable(utterance_id=TURN), ToolsUnavailable(utterance_id=OTHER_TURN)),
        (RouteChosen(route="team", by="intent"), None),
    ],
)
def test_it_is_told_once_a_turn(
    pool: ConnectionPool, told: DiscussionEvent, of_another_turn: DiscussionEvent | None
) -> None:
    owner_id = Accounts(pool).local_person().id
    run_id = open_run(pool, owner_id)[1]
    epoch = runs.claim_run(pool, run_id)
    expected = [told] if of_another_turn is None else [told, of_another_turn]
    for event in (*expected, told):
        run_events.append_event(pool, run_id=run_id, epoch=epoch, event=event)
    logged = run_events.events_after(pool, owner_id=owner_id, run_id=run_id, seq=0)
    assert [entry.event for entry in logged] == expected
