"""A brief that names no subject: the one case in which this model asks the person."""

import json
import re

from meetmind.llm.prompt_sections import PromptSections

ASK_PERSON = "ask_person"

_SAYS_NOTHING_EN = re.compile(
    r"\b(?:please|could|can|would|should|you|we|i|me|us|our|my|help|want|need|to|do|make|improve"
    r"|improvements?|optimi[sz]e|optimi[sz]ations?|enhance|fix|change|changes|update|rework|refine"
    r"|polish|it|this|that|these|those|them|things?|stuff|something|everything|all|some|any|the|a"
    r"|an|bit|little|lot|much|more|most|better|best|good|great|nice|nicer|well|work|works|working"
    r"|now|again|soon|quickly|and|or|so|just|up|be|is|get|have|let|lets|let's|how|what|about)\b"
)
_SAYS_NOTHING_ZH = re.compile(
    r"优化|改进|改善|完善|提升|改一改|改改|改|调整|处理|弄|搞|做|修|升级|加强|一下|一点|一些|点|更好|更|好"
    r"|帮忙|帮我|帮|麻烦|请|我们|我|你们|你|它|这个|那个|这些|那些|这|那|东西|所有|全部|把|给|让|要|想"
    r"|需要|希望|能|可以|可不可以|能不能|吧|呢|吗|啊|了|的|得|下|尽快|快|继续|再|些|怎么|如何"
)
_LETTER = re.compile(r"[^\W_]")


def names_no_subject(text: str) -> bool:
    """Whether nothing is left of a text without the words that fit every wish."""
    left = _SAYS_NOTHING_EN.sub(" ", text.lower())
    left = _SAYS_NOTHING_ZH.sub("", left)
    return bool(text.strip()) and _LETTER.search(left) is None


def has_asked(sections: PromptSections) -> bool:
    """Whether the person was asked in this turn."""
    return any(call.tool == ASK_PERSON for call in sections.asked_calls)


def answer_of_person(sections: PromptSections) -> str:
    """What the person answered in this turn; empty where nobody asked, or it was left open."""
    for envelope in sections.tool_messages:
        if envelope.tool == ASK_PERSON and isinstance(envelope.data, dict):
            return str(envelope.data.get("answer", "")).strip()
    for result in sections.tool_results:
        if result.tool == ASK_PERSON:
            return _answer_in(result.text)
    return ""


def _answer_in(text: str) -> str:
    try:
        told = json.loads(text)
    except json.JSONDecodeError:
        return ""
    return str(told.get("answer", "")).strip() if isinstance(told, dict) else ""
