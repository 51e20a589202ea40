"""Which sentences answer a question: those that hold most of its telling words themselves."""

import re

from meetmind.llm.offline.conditions import tells_what_happened
from meetmind.llm.offline.quantities import quantities_in
from meetmind.llm.offline.quotes import Quote
from meetmind.llm.offline.quoting import LONGEST_QUOTE
from meetmind.llm.offline.relevance import match, ranked_coverage
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.sentences import sentences_of
from meetmind.llm.offline.words import is_chinese, is_foreign, words_of
from meetmind.llm.tool_envelopes import PromptPassage

LEAST_COVERAGE = 0.34
LEAST_TELLING_WORDS = 2
TITLE_SHARE = 0.3
QUANTITY_BONUS = 0.5
PAST_MALUS = 0.2
FOREIGN_MALUS = 0.1
TIMES = frozenset({"duration", "working days"})
TIME_UNITS_EN = "hours days"
TIME_UNITS_ZH = "工作日 小时"
_ASKS_HOW_LONG = re.compile(r"\bhow (?:long|soon|fast)\b|几天|多久|多长时间|什么时候")
_ASKS_HOW_MUCH = re.compile(
    r"\b(?:how (?:long|many|much|often|soon|fast|big)|when)\b|几|多少|多久|多长|多大|多快|什么时候"
)


def narrower_queries(question: str) -> list[str]:
    """The question's telling words alone, and with units of time where it asks how long."""
    telling = [word.surface for word in words_of(question).words if not word.is_common]
    short = " ".join(telling)
    if not short:
        return []
    asks_for_time = _ASKS_HOW_LONG.search(question.lower()) is not None
    units = TIME_UNITS_ZH if is_chinese(question) else TIME_UNITS_EN
    return [short, f"{short} {units}"] if asks_for_time else [short]


def answering_quotes(room: Room) -> list[Quote]:
    """Every sentence found that answers the question in part, the best first."""
    quotes: list[Quote] = []
    for passage in room.passages:
        if room.is_relevant(passage):
            quotes.extend(_quotes_of(passage, room))
    quotes.sort(key=lambda quote: (-quote.score, quote.passage.passage_id, quote.sentence))
    return quotes


def _quotes_of(passage: PromptPassage, room: Room) -> list[Quote]:
    quotes = []
    for sentence in sentences_of(passage.content):
        if len(sentence) <= LONGEST_QUOTE and _answers_in_part(room.question, sentence):
            score = _score(room, passage, sentence)
            quotes.append(Quote(sentence=sentence, passage=passage, point_index=0, score=score))
    return quotes


def _answers_in_part(question: str, sentence: str) -> bool:
    """Whether it holds a good share of the question: two telling words, if there are so many."""
    told = words_of(sentence)
    telling = [word for word in words_of(question).words if not word.is_common]
    shared = [word for word in telling if told.has(word)]
    enough = min(LEAST_TELLING_WORDS, len(telling))
    return len(shared) >= max(enough, 1) and match(question, sentence).coverage >= LEAST_COVERAGE


def _has_the_quantity_asked_for(question: str, sentence: str) -> bool:
    """Whether a question for a time finds one, or a question for any number some number."""
    kinds = {quantity.kind for quantity in quantities_in(sentence)}
    if _ASKS_HOW_LONG.search(question):
        return bool(kinds & TIMES)
    return bool(kinds) and _ASKS_HOW_MUCH.search(question) is not None


def _score(room: Room, passage: PromptPassage, sentence: str) -> float:
    score = ranked_coverage(room.question, sentence, room.rarity)
    score += TITLE_SHARE * ranked_coverage(room.question, passage.title, room.rarity)
    if tells_what_happened(sentence):
        score -= PAST_MALUS
    elif _has_the_quantity_asked_for(room.question.lower(), sentence):
        score += QUANTITY_BONUS
    if is_foreign(sentence, room.language):
        score -= FOREIGN_MALUS
    return score
