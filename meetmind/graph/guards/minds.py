"""Stances that leave the others without a way on: no remedy named, a turn without a cause."""

from meetmind.agents.stances import latest_stances
from meetmind.events import Stance
from meetmind.graph.guards.finding import Finding, Utterances

MADE_UP_MINDS = ("agree", "object")
"""Going from a question or an abstention to one of these is forming a mind, not changing it."""


def objection_without_way_out(utterances: Utterances) -> Finding | None:
    """Objections that do not say what would resolve them; they count as questions."""
    point_ids = []
    for stance in utterances[-1].stances:
        if stance.stance == "object" and stance.counts_as != "object":
            point_ids.append(stance.point_id)
    if not point_ids:
        return None
    return Finding(guard="objection_without_way_out", details={"points": ", ".join(point_ids)})


def changed_without_cause(utterances: Utterances) -> Finding | None:
    """Stances that differ from what the role said before, without a word on because of what."""
    latest = utterances[-1]
    stance_by_role = latest_stances(utterances[:-1])
    point_ids = []
    for stance in latest.stances:
        earlier = stance_by_role.get((latest.agent_name, stance.point_id))
        if earlier is not None and _is_unexplained_change(earlier, stance):
            point_ids.append(stance.point_id)
    if not point_ids:
        return None
    return Finding(guard="changed_without_cause", details={"points": ", ".join(point_ids)})


def _is_unexplained_change(earlier: Stance, latest: Stance) -> bool:
    is_change = earlier.counts_as in MADE_UP_MINDS and latest.stance != earlier.counts_as
    return is_change and not latest.changed_because.strip()
