"""The rewrite step: the brief as it is, or a follow-up joined with the last one; search words."""

import re

from meetmind.llm.offline.glossary import COMMON_WEIGHT, Concept, load_glossary
from meetmind.llm.offline.points import parts_of
from meetmind.llm.offline.room import PERSON
from meetmind.llm.offline.translation import concepts_in
from meetmind.llm.offline.words import is_chinese, words_of
from meetmind.llm.prompt_sections import PromptSections

MOST_TERMS = 8
_LONGEST_FOLLOW_UP = 3.0
"""A brief with more weight of words than this is taken to stand alone."""
_REFERS_BACK = re.compile(
    r"^(?:and|but|what about|how about|also|or|why|then|so|same|only|even)\b"
    r"|\b(?:it|they|them|that|this|those|these|there)\b"
    r"|^(?:那|那么|还有|另外|如果|换成|为什么|所以|但是|只)|它|他们|这个|那个|这些|那些|这样|呢[？?]?$",
    re.IGNORECASE,
)


def rewritten_query(sections: PromptSections) -> str:
    """The brief; a short one that refers back is put behind the subject of the brief before it."""
    brief = sections.brief.strip()
    earlier = [
        item.text.strip() for item in sections.talk if item.by == PERSON and item.text.strip()
    ]
    if not earlier or not _is_follow_up(brief):
        return brief
    subject = parts_of(_last_standing_alone(earlier))[0].rstrip("?？!！.。")
    if is_chinese(subject):
        return f"{subject}：{brief}"
    return f"{subject}: {brief}"


def expansion_terms(sections: PromptSections) -> list[str]:
    """Terms of the glossary for what the brief speaks of, in the other language first."""
    question = rewritten_query(sections)
    lowered = question.lower()
    concepts = [one for one in concepts_in(question) if one.weight > COMMON_WEIGHT]
    chinese = is_chinese(question)
    terms: list[str] = []
    for concept in concepts:
        terms.append(concept.english[0] if chinese else concept.chinese[0])
    for concept in concepts:
        terms.extend(_related_terms(concept, chinese=chinese))
    for concept in concepts:
        own_terms = concept.chinese if chinese else concept.english
        terms.extend(term for term in own_terms[:2] if term not in lowered)
    return list(dict.fromkeys(terms))[:MOST_TERMS]


def _related_terms(concept: Concept, *, chinese: bool) -> list[str]:
    """The first term, in the language of the brief, of what is closest to a concept."""
    glossary = load_glossary()
    names = glossary.related.get(concept.name, ())[:1]
    related = [glossary.by_name[name] for name in names]
    return [one.chinese[0] if chinese else one.english[0] for one in related]


def _is_follow_up(brief: str) -> bool:
    weight = sum(word.weight for word in words_of(brief).words)
    return weight <= _LONGEST_FOLLOW_UP and _REFERS_BACK.search(brief) is not None


def _last_standing_alone(earlier: list[str]) -> str:
    """The latest brief of the person that was no follow-up itself."""
    for text in reversed(earlier):
        if not _is_follow_up(text):
            return text
    return earlier[-1]
