"""What a run has said so far, for printing: numbered sources, utterances, the end."""

import re
from dataclasses import dataclass, field

from meetmind.events import PassageEvidence, RunEnded, ToolRequested, UtteranceEnded

CITATION = re.compile(r"\[([a-z_]+_[0-9a-f]{12})\]")


@dataclass
class Transcript:
    """Folded from the events of one run as they come."""

    utterances: list[UtteranceEnded] = field(default_factory=list)
    requests: dict[str, ToolRequested] = field(default_factory=dict)
    """Tool calls by call id."""
    questions: dict[str, str] = field(default_factory=dict)
    """Points to settle by their id."""
    next_speakers: dict[str, str] = field(default_factory=dict)
    """Who really spoke after an utterance, by its id."""
    max_iterations: int = 0
    end: RunEnded | None = None
    last_seq: int = 0
    _passages: dict[str, PassageEvidence] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)

    def add(self, utterance: UtteranceEnded) -> None:
        """Take an utterance in, with what it was given and the points that it names."""
        self.keep_passages(utterance.evidence)
        self.utterances.append(utterance)
        for point in utterance.points:
            self.questions[point.id] = point.question

    def hand_over(self, to_agent: str) -> None:
        """Note who has the floor after the last utterance."""
        if self.utterances:
            self.next_speakers[self.utterances[-1].utterance_id] = to_agent

    def keep_passages(self, passages: tuple[PassageEvidence, ...]) -> None:
        """Remember what a tool returned; only that can be cited."""
        for passage in passages:
            self._passages.setdefault(passage.passage_id, passage)

    def numbered(self, content: str) -> str:
        """`content` with `[passage id]` as `[number]`; an id that no tool returned goes."""

        def number(match: re.Match[str]) -> str:
            found = self._number_of(match.group(1))
            return "" if found is None else f"[{found}]"

        return CITATION.sub(number, content)

    def sources(self, content: str) -> list[tuple[int, PassageEvidence]]:
        """The passages that `content` cites, each once, with their numbers."""
        sources = []
        for passage_id in dict.fromkeys(CITATION.findall(content)):
            found = self._number_of(passage_id)
            if found is not None:
                sources.append((found, self._passages[passage_id]))
        return sources

    def cited_count(self) -> int:
        """How many passages the run rests on."""
        return len(self._numbers)

    def _number_of(self, passage_id: str) -> int | None:
        if passage_id not in self._passages:
            return None
        return self._numbers.setdefault(passage_id, len(self._numbers) + 1)
