"""A role that has looked nothing up in this run and states facts all the same."""

import re

from meetmind.events import UtteranceEnded
from meetmind.graph.guards.finding import Finding, Utterances
from meetmind.graph.guards.likeness import CITATION, numbers_in

NEVER_LOOKED_UP = "never_looked_up"
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+")
_MEASURED = re.compile(
    r"(?P<number>\d+(?:[.,]\d+)*)\s?(?:(?:working|business|calendar|full)\s)?(?:%|ms\b|milliseconds?\b|s\b|secs?\b|seconds?\b|min\b"
    r"|minutes?\b|h\b|hours?\b|days?\b|weeks?\b|months?\b|years?\b|kb\b|mb\b|gb\b|tb\b|px\b"
    r"|characters?\b|requests?\b|rps\b|qps\b|users?\b|orders?\b|euros?\b|eur\b|dollars?\b|usd\b"
    r"|crowns?\b|percent\b|毫秒|秒|分钟|小时|天|日|周|个?月|年|次|元|万|字节|像素|个|条|笔|位|人|份|倍)"
    r"|[$€£¥￥]\s?(?P<money>\d+(?:[.,]\d+)*)",
    re.IGNORECASE,
)
_DEMANDS = re.compile(
    r"\b(?:must|shall|is required|are required|is forbidden|are forbidden|not allowed|never|always"
    r"|mandatory)\b|必须|不得|禁止|不允许|一律|应当|严禁|规定",
    re.IGNORECASE,
)
_PLANS = re.compile(
    r"\b(?:we|i|let us|let's|you|who|team|somebody|someone)\b|我们?|咱们|请|大家|团队|是否|谁|建议",
    re.IGNORECASE,
)


def never_looked_up(utterances: Utterances, known_text: str) -> Finding | None:
    """Facts without a source, from a role that has not searched in this run.

    Numbers of `known_text` (the brief, the person's words) and of what was said before are nobody's
    claim, nor are questions and what the team itself plans to do.
    """
    latest = utterances[-1]
    own = [utterance for utterance in utterances if utterance.agent_name == latest.agent_name]
    if any(utterance.used_rag or utterance.evidence for utterance in own):
        return None
    known_numbers = set(numbers_in(known_text))
    for utterance in utterances[:-1]:
        known_numbers |= numbers_in(utterance.content)
    claim = _first_claim(latest, known_numbers)
    if claim is None:
        return None
    return Finding(guard=NEVER_LOOKED_UP, details={"claim": claim[:160]})


def _first_claim(utterance: UtteranceEnded, known_numbers: set[str]) -> str | None:
    for sentence in _SENTENCE_END.split(utterance.content):
        stripped = sentence.strip()
        is_question = stripped.endswith(("?", "？"))
        if not stripped or is_question or CITATION.search(stripped):
            continue
        if _states_a_number(stripped, known_numbers) or _demands(stripped):
            return stripped
    return None


def _states_a_number(sentence: str, known_numbers: set[str]) -> bool:
    for found in _MEASURED.finditer(sentence):
        if (found["number"] or found["money"]) not in known_numbers:
            return True
    return False


def _demands(sentence: str) -> bool:
    return _DEMANDS.search(sentence) is not None and _PLANS.search(sentence) is None
