"""What a role can see when it is its turn: the sections of a prompt, read for this model."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.events import Point
from meetmind.llm.offline.asking import answer_of_person, names_no_subject
from meetmind.llm.offline.conditions import tells_what_happened
from meetmind.llm.offline.points import (
    AskedPoint,
    asked_points,
    key_words_of,
    parts_of,
    points_from,
)
from meetmind.llm.offline.quotes import Quote, SaidQuote, said_quotes
from meetmind.llm.offline.quoting import choose_quotes
from meetmind.llm.offline.references import without_references
from meetmind.llm.offline.relevance import Rarity, match, rarity_among
from meetmind.llm.offline.voice import Voice
from meetmind.llm.offline.words import is_foreign
from meetmind.llm.prompt_sections import PromptSections, SpokenUtterance
from meetmind.llm.tool_envelopes import PromptPassage

ARCHITECT = "architect"
PERSON = "person"
SKILLS_PREFIX = "skills/"
"""Where the text of a skill says that it comes from."""
DOUBTFUL_SHARE = 0.3
"""What coverage counts for where a passage is not relevant by itself."""
FOREIGN_TITLE_SHARE = 0.6
"""What coverage counts for in a title of the other language, when one has to be named."""
MOST_TURNS = 12
"""A discussion of this model never needs more turns, whatever the limit of the run is."""


@dataclass(frozen=True, kw_only=True)
class Reach:
    """How far a role's passages cover a point, 0 to 1, and the title of the best relevant one."""

    share: float = 0.0
    title: str = ""


@dataclass(frozen=True)
class Room:
    """One turn of one role."""

    sections: PromptSections

    @property
    def me(self) -> str:
        """The role that is asked."""
        return self.sections.you.name if self.sections.you is not None else ""

    @property
    def language(self) -> str:
        """The language of the brief, `en` or `zh`."""
        return self.sections.language

    @cached_property
    def question(self) -> str:
        """The brief as a sentence that stands alone, without mere references to pages and files.

        A brief without a subject is about what the person has answered in this turn, and later
        about the points that were made of it.
        """
        asked = self.sections.question or self.sections.brief
        if names_no_subject(asked):
            of_points = " ".join(point.question for point in self.sections.points)
            asked = answer_of_person(self.sections) or of_points or asked
        return without_references(asked)

    @cached_property
    def voice(self) -> Voice:
        """My voice; the same turn on the same brief always chooses the same sentences."""
        seed = f"{self.question}|{self.me}|{self.sections.turn_number}"
        return Voice(self.language, self.me, seed)

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """The points to settle: the architect's, or (in its first turn) those of the brief."""
        if self.sections.points:
            return self.sections.points
        subject = key_words_of(parts_of(self.question)[0])
        rules_question = self.voice.text("shared", "rules_question", subject=subject)
        events_question = self.voice.text("shared", "events_question", subject=subject)
        return points_from(self.question, rules_question, events_question)

    @cached_property
    def asked(self) -> tuple[AskedPoint, ...]:
        """What is asked on each point."""
        return asked_points(self.points, self.question)

    @property
    def queries(self) -> list[str]:
        """What to look for: the brief, then each point, nothing twice."""
        return list(dict.fromkeys([self.question, *(point.query for point in self.asked)]))

    @cached_property
    def talk(self) -> tuple[SpokenUtterance, ...]:
        """What was said in this run, oldest first."""
        spoken_by_roles = [item for item in self.sections.talk if item.by in AGENT_NAMES]
        turns_before = max(self.sections.turn_number - 1, 0)
        return tuple(spoken_by_roles[len(spoken_by_roles) - turns_before :]) if turns_before else ()

    @property
    def turn_index(self) -> int:
        """How many turns of this run came before mine."""
        return max(self.sections.turn_number - 1, 0)

    @property
    def turn_limit(self) -> int:
        """The last turn that this run may have."""
        limit = self.sections.turn_limit or MOST_TURNS
        return min(limit, MOST_TURNS)

    @property
    def turns_after_mine(self) -> int:
        """How many turns can follow mine."""
        return max(self.turn_limit - self.turn_index - 1, 0)

    @property
    def heard(self) -> tuple[str, ...]:
        """The roles that have spoken in this run."""
        return self.sections.heard

    @property
    def unheard(self) -> list[str]:
        """The roles besides me that have not spoken yet, in the order of the roster."""
        return [name for name in AGENT_NAMES if name not in self.heard and name != self.me]

    @property
    def is_opening(self) -> bool:
        """Whether this is the architect's first turn."""
        return self.me == ARCHITECT and ARCHITECT not in self.heard

    @property
    def is_closing(self) -> bool:
        """Whether this is the architect's last turn: all have been heard, or turns run out."""
        if self.me != ARCHITECT or self.is_opening:
            return self.me == ARCHITECT and self.turns_after_mine == 0
        is_time = self.turns_after_mine < 2 or self.sections.budget_percent > 0
        return not self.unheard or is_time or self.nobody_knows

    @property
    def nobody_knows(self) -> bool:
        """Whether nothing at all has been quoted in this run although somebody has spoken."""
        return bool(self.talk) and not self.said

    @property
    def is_reply(self) -> bool:
        """Whether I have spoken before and am asked to answer the one who spoke last."""
        return self.me in self.heard and not self.is_closing and bool(self.talk)

    @cached_property
    def said(self) -> list[SaidQuote]:
        """Every quote of a role's table in this run so far."""
        return [quote for quote in self._all_said if quote.agent_name in AGENT_NAMES]

    @cached_property
    def said_of_brought(self) -> list[SaidQuote]:
        """Every quote of a file or a page in this run so far."""
        return [quote for quote in self._all_said if quote.agent_name not in AGENT_NAMES]

    @cached_property
    def _all_said(self) -> list[SaidQuote]:
        return said_quotes(self.talk, self.voice.variants("nearest"))

    @cached_property
    def passages(self) -> list[PromptPassage]:
        """What this turn's searches returned from the tables of the roles."""
        return [item for item in self.sections.passages if item.is_of_a_role]

    @cached_property
    def brought_passages(self) -> list[PromptPassage]:
        """What this turn has read of files and pages; they belong to no role."""
        no_role = [item for item in self.sections.passages if not item.is_of_a_role]
        return [item for item in no_role if not item.source.startswith(SKILLS_PREFIX)]

    @cached_property
    def skill_passages(self) -> list[PromptPassage]:
        """The text of a skill that this turn has loaded."""
        no_role = [item for item in self.sections.passages if not item.is_of_a_role]
        return [item for item in no_role if item.source.startswith(SKILLS_PREFIX)]

    @cached_property
    def rarity(self) -> Rarity:
        """How rare words are among the passages of this turn."""
        return rarity_among(f"{item.title} {item.content}" for item in self.passages)

    @property
    def own_passages(self) -> list[PromptPassage]:
        """The passages of my own table that this turn's searches returned."""
        return self.passages_of(self.me)

    def passages_of(self, role: str) -> list[PromptPassage]:
        """The passages of a role's table that this turn's searches returned."""
        return [item for item in self.passages if item.agent_name == role]

    def best_quotes(self, *, already_said: Iterable[str] | None = None) -> list[Quote]:
        """What to quote from my own table; by default nothing that was said in this run."""
        said = self.sentences_said() if already_said is None else already_said
        return choose_quotes(
            self.own_passages,
            self.asked,
            language=self.language,
            already_said=said,
            rarity=self.rarity,
        )

    def point_of(self, quote: SaidQuote) -> int:
        """The place of a quote's point: where its speaker put it, else what it speaks of most."""
        if quote.labelled_point is not None and quote.labelled_point < len(self.points):
            return quote.labelled_point
        return self.point_index(quote.text)

    def point_index(self, text: str) -> int:
        """The place of the point that a text speaks of most; the first among equals."""
        shares = []
        for point in self.asked:
            share = match(point.own_words, text).coverage + match(point.query, text).coverage / 2
            unwanted = point.wanted == "events" and not tells_what_happened(text)
            shares.append(0.0 if unwanted else share)
        return shares.index(max(shares)) if shares else 0

    def is_relevant(self, passage: PromptPassage) -> bool:
        """Whether a passage says something on the question or on one of the points."""
        text = f"{passage.title} {passage.content}"
        return any(match(query, text).is_relevant for query in self.queries)

    def is_doubtful(self, passage: PromptPassage) -> bool:
        """Whether a passage comes near the question without answering it."""
        text = f"{passage.title} {passage.content}"
        return any(match(query, text).is_doubtful for query in self.queries)

    def reach(self, role: str, point_index: int) -> Reach:
        """How far a role's passages at hand cover a point.

        The title is one in the language of the room where such a passage covers nearly as much.
        """
        best_share = 0.0
        titled: list[tuple[float, str]] = []
        for passage in self.passages_of(role):
            covered = match(self.asked[point_index].query, f"{passage.title} {passage.content}")
            share = covered.coverage
            if covered.is_relevant:
                foreign = is_foreign(passage.title, self.language)
                titled.append((share * (FOREIGN_TITLE_SHARE if foreign else 1.0), passage.title))
            else:
                share *= DOUBTFUL_SHARE
            best_share = max(best_share, share)
        best_title = max(titled, key=lambda pair: pair[0])[1] if titled else ""
        return Reach(share=best_share, title=best_title)

    def sentences_said(self) -> Iterable[str]:
        """The text of every quote of this run."""
        return (quote.text for quote in self.said)
