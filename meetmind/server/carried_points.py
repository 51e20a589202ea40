"""What earlier runs left open, for the run that continues them."""

from psycopg_pool import ConnectionPool

from meetmind.agents.situation import current_points
from meetmind.database import run_events, runs
from meetmind.events import Point

LONGEST_CHAIN = 50
"""Runs that continue one another, as far back as anybody looks."""


def carried_points(pool: ConnectionPool, *, owner_id: str, run_id: str | None) -> tuple[Point, ...]:
    """The points that this run, and those that it continued in its turn, did not settle."""
    carried: tuple[Point, ...] = ()
    for earlier_id in _chain(pool, owner_id, run_id):
        points = current_points(run_events.utterances_of(pool, earlier_id), carried)
        carried = tuple(_open_again(point) for point in points if point.state != "settled")
    return carried


def _open_again(point: Point) -> Point:
    return Point(id=point.id, question=point.question, reason=point.reason)


def _chain(pool: ConnectionPool, owner_id: str, run_id: str | None) -> list[str]:
    """The runs from the first one to this one."""
    chain: list[str] = []
    while run_id is not None and run_id not in chain and len(chain) < LONGEST_CHAIN:
        found = runs.list_runs(pool, owner_id=owner_id, run_id=run_id)
        if not found:
            break
        chain.append(run_id)
        run_id = found[0].continues_run_id
    chain.reverse()
    return chain
