"""Who stands where on the points: the latest word of every role on each of them."""

from collections.abc import Sequence

from meetmind.events import Point, Stance, UtteranceEnded

StanceByRole = dict[tuple[str, str], Stance]
"""Stance by role and point id."""


def latest_stances(utterances: Sequence[UtteranceEnded]) -> StanceByRole:
    """The latest stance of every role on every point, in the order of their first word on it."""
    stance_by_role: StanceByRole = {}
    for utterance in utterances:
        for stance in utterance.stances:
            stance_by_role[utterance.agent_name, stance.point_id] = stance
    return stance_by_role


def objectors(utterances: Sequence[UtteranceEnded], point_id: str) -> tuple[str, ...]:
    """The roles whose objection to a point stands."""
    names = []
    for (agent_name, stood_on), stance in latest_stances(utterances).items():
        if stood_on == point_id and stance.counts_as == "object":
            names.append(agent_name)
    return tuple(names)


def on_known_points(stances: Sequence[Stance], points: Sequence[Point]) -> tuple[Stance, ...]:
    """The stances on points of this discussion, one a point.

    Where a turn gives several for a point the last one counts, but an objection is not lost.
    """
    known_ids = {point.id for point in points}
    stance_by_point: dict[str, Stance] = {}
    for stance in stances:
        earlier = stance_by_point.get(stance.point_id)
        is_objected = earlier is not None and earlier.counts_as == "object"
        if stance.point_id in known_ids and not is_objected:
            stance_by_point[stance.point_id] = stance
    return tuple(stance_by_point.values())


def stance_lines(utterances: Sequence[UtteranceEnded]) -> str:
    """One line a role and point, as a prompt shows who stands where."""
    lines = []
    for (agent_name, point_id), stance in latest_stances(utterances).items():
        line = f"{point_id} | {agent_name} | {stance.counts_as} | {_one_line(stance.why)}"
        if stance.counts_as == "object":
            line += f" | resolved if: {_one_line(stance.resolves_if)}"
        lines.append(line)
    return "\n".join(lines)


def _one_line(text: str) -> str:
    return " ".join(text.replace("|", "/").split())
