"""A question put into search words of the other language, as far as the glossary reaches."""

from meetmind.llm.offline.glossary import COMMON_WEIGHT, Concept, load_glossary
from meetmind.llm.offline.words import is_chinese

FEWEST_TERMS = 2
MOST_TERMS = 8


def concepts_in(text: str) -> list[Concept]:
    """The concepts of a text in order, each once."""
    concepts = [place.concept for place in load_glossary().find(text.lower())]
    return list(dict.fromkeys(concepts))


def in_the_other_language(question: str) -> str:
    """The question's concepts as words of the other language; empty where too few are known."""
    concepts = concepts_in(question)
    telling = [concept for concept in concepts if concept.weight > COMMON_WEIGHT]
    if not telling or len(concepts) < FEWEST_TERMS:
        return ""
    to_english = is_chinese(question)
    terms = [concept.english[0] if to_english else concept.chinese[0] for concept in concepts]
    return " ".join(terms[:MOST_TERMS])
