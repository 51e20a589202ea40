"""The person's word about who speaks next goes before everybody else's."""

from collections.abc import Sequence

from meetmind.agents.roster import ARCHITECT
from meetmind.agents.run_context import PersonWords
from meetmind.graph.routing import Handover


def words_for(words: Sequence[PersonWords], agent_name: str) -> tuple[PersonWords, ...]:
    """What this speaker has to answer: words for it and words for anybody."""
    return tuple(said for said in words if said.to_agent in ("", agent_name))


def asked_role(words: Sequence[PersonWords]) -> str:
    """The role that a person asked first and that has not answered yet; empty without one."""
    for said in words:
        if said.to_agent:
            return said.to_agent
    return ""


def role_to_go_to(words: Sequence[PersonWords], agent_name: str) -> str:
    """Who speaks in the place of the role whose turn it is; empty where it is itself."""
    if any(said.to_agent == agent_name for said in words):
        return ""
    return asked_role(words)


def heard(
    handover: Handover,
    *,
    speaker: str,
    turns: int,
    words: Sequence[PersonWords],
    asked_agent: str,
    is_nearly_used: bool,
) -> Handover:
    """The hand-over after a turn as the person's words and the budget leave it.

    `turns` counts the turns of this run, this one included; `words` are those that nobody has
    answered. `asked_agent` is the role that the brief is addressed to.
    """
    asked = asked_role(words)
    if not asked and turns == 1 and asked_agent != speaker:
        asked = asked_agent
    if asked:
        return Handover(next_agent=asked, done=False, by="person")
    if handover.done or handover.ended_by:
        # What was said in this very moment is answered before the end.
        return Handover(next_agent=ARCHITECT, done=False, by="person") if words else handover
    if is_nearly_used and ARCHITECT not in (speaker, handover.next_agent):
        return Handover(next_agent=ARCHITECT, done=False, by="guard", guard="budget_nearly_used")
    return handover
