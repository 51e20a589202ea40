"""What a guard found in a turn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from meetmind.events import Point, UtteranceEnded

Utterances = Sequence[UtteranceEnded]


@dataclass(frozen=True, kw_only=True)
class RunTerms:
    """What the guards know of a run beside its utterances."""

    brief: str
    max_iterations: int
    carried_points: tuple[Point, ...] = ()
    """What the run before left open."""
    asked_agent: str = ""
    """The role that the brief is addressed to: its voice is enough."""
    is_nearly_used: bool = False
    """Whether the budget is about to end the run."""
    said_besides: str = ""
    """What the person said or keeps in memory, and what was said in the runs before."""
    looked_up: frozenset[str] = frozenset()
    """Roles that used a tool to look something up, whatever came of it."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that a guard found in the latest utterance."""

    guard: str
    """A key of the text catalogue (`guard.<guard>`), and the name of its sentence for the model."""
    details: Mapping[str, str] = field(default_factory=dict)
    moves_floor: bool = False
    """Whether the role's own proposal of a next speaker does not count."""
