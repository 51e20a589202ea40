"""A point already made: the same words again, with nothing new in them."""

from meetmind.events import UtteranceEnded
from meetmind.graph.guards.finding import Finding, Utterances
from meetmind.graph.guards.likeness import (
    numbers_in,
    share_said,
    shingles,
    without_quotations,
)
from meetmind.graph.guards.movement import moves

SAID_SHARE = 0.75
"""The share of a turn that stands in one earlier turn; two turns on one subject share about 0.3."""
SAME_SOURCES_SHARE = 0.4
"""What is enough where a role cites exactly what it cited the last time."""
FEWEST_SHINGLES = 5
"""Shorter turns ("I agree with that.") are alike by chance."""


def already_said(utterances: Utterances) -> Finding | None:
    """The latest turn repeats an earlier one, its own or a colleague's.

    What it quotes from a colleague is left out first: quoting somebody to argue against it is no
    repetition. Nor is a turn that brings a number, evidence, a stance or a state of its own.
    """
    before, latest = utterances[:-1], utterances[-1]
    if moves(utterances):
        return None
    for earlier in reversed(before):
        if _repeats(latest, earlier):
            return Finding(
                guard="already_said",
                details={"said_by": earlier.agent_name, "turn": str(earlier.iteration + 1)},
                moves_floor=True,
            )
    return None


def _repeats(latest: UtteranceEnded, earlier: UtteranceEnded) -> bool:
    own_words = latest.content
    if earlier.agent_name != latest.agent_name:
        own_words = without_quotations(latest.content, earlier.content)
    if len(shingles(own_words)) < FEWEST_SHINGLES:
        return False
    if not numbers_in(own_words) <= numbers_in(earlier.content):
        return False
    cites_the_same = latest.cited_ids and set(latest.cited_ids) == set(earlier.cited_ids)
    is_own = earlier.agent_name == latest.agent_name
    enough = SAME_SOURCES_SHARE if is_own and cites_the_same else SAID_SHARE
    return share_said(own_words, earlier.content) >= enough
