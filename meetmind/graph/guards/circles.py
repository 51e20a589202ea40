"""The same few roles hand the floor round among themselves while nothing moves."""

from collections import Counter

from meetmind.agents.roster import ARCHITECT
from meetmind.graph.guards.finding import Finding, Utterances
from meetmind.graph.guards.movement import turns_without_movement

TWO_IN_CIRCLES_TURNS = 4
"""There and back, twice: a question and its answer take two turns, an exchange with reply three."""
THREE_IN_CIRCLES_TURNS = (6, 8)
"""Twice round, or one of the three in every second turn; each has had the floor twice by then."""
STILL_TURNS_OF_TWO = 2
"""Both have just spoken and nothing moved; with new evidence every time an exchange may go on."""
STILL_TURNS_OF_THREE = 3
ONE_VOICE_WINDOW = 8
ONE_VOICE_TURNS = 4
"""Every second turn of eight; only the architect leads a discussion like that."""


def going_in_circles(utterances: Utterances, proposed: str) -> Finding | None:
    """Two or three roles keep the floor among themselves, and the proposal goes on with that."""
    still = turns_without_movement(utterances)
    speakers = [utterance.agent_name for utterance in utterances]
    is_round_of_two = _is_round(speakers, proposed, 2, TWO_IN_CIRCLES_TURNS)
    if is_round_of_two and still >= STILL_TURNS_OF_TWO:
        return Finding(guard="going_in_circles", moves_floor=True)
    is_round_of_three = any(
        _is_round(speakers, proposed, 3, turns) for turns in THREE_IN_CIRCLES_TURNS
    )
    if is_round_of_three and still >= STILL_TURNS_OF_THREE:
        return Finding(guard="three_in_circles", moves_floor=True)
    return None


def one_voice(utterances: Utterances, proposed: str) -> Finding | None:
    """The same role would speak again and again, though its last turns moved nothing."""
    if proposed == ARCHITECT:
        return None
    window = [utterance.agent_name for utterance in utterances][-(ONE_VOICE_WINDOW - 1) :]
    turns = window.count(proposed) + 1
    if turns >= ONE_VOICE_TURNS and turns_without_movement(utterances) >= STILL_TURNS_OF_TWO:
        return Finding(guard="one_voice", details={"name": proposed}, moves_floor=True)
    return None


def _is_round(speakers: list[str], proposed: str, roles: int, turns: int) -> bool:
    """Whether so many roles had all of the last turns, each at least two, and go on like that."""
    recent = Counter(speakers[-turns:])
    is_full = recent.total() == turns and len(recent) == roles
    return is_full and min(recent.values()) > 1 and proposed in recent
