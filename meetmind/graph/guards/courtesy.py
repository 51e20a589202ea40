"""Thanks loops: turns that are polite and say nothing."""

import re

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.events import UtteranceEnded
from meetmind.graph.guards.finding import Finding, Utterances

MOST_WORDS_LEFT = 4
"""So little may be left of a turn without its courtesies: less than any statement needs."""
MOST_HAN_LEFT = 6
LOOP_TURNS = 3
"""The second courtesy within so many turns is a loop; a single one happens in honest talks."""

_ENGLISH = re.compile(
    r"\b(?:thank you|thanks|many thanks|thx|cheers|much appreciated|appreciate(?:d)?|welcome"
    r"|you(?:'|’)re welcome|my pleasure|pleasure|glad to (?:hear|help)|happy to (?:hear|help)"
    r"|great|good|excellent|wonderful|fantastic|brilliant|perfect|awesome|nice|amazing|lovely"
    r"|insightful|helpful|valuable|thoughtful|well said|well done|well put|kind|kindly|sincerely"
    r"|points?|inputs?|ideas?|insights?|contributions?|explanations?|summar(?:y|ies)|suggestions?"
    r"|works?|jobs?|comments?|words?|thoughts?|perspectives?|feedback|discussions?|sharing|shared"
    r"|teams?|teamwork|colleagues?|everyone|everybody|all|both|engineer|manager|product"
    r"|look(?:ing)? forward|indeed|absolutely|exactly|totally|fully|completely|definitely"
    r"|agree|agreed|agrees|agreement|right|correct|sure|yes|ok|okay|so|very|really|much|such|too|also|again|truly|most"
    r"|with|for|to|the|a|an|this|that|these|those|your|you|our|we|us|my|me|i|it|its|is|are|was|am"
    r"|m|re|ve|s|of|on|in|and|be|have|has|had|what|how|from|as|here|there|would|will|let|just|could"
    r"|not|no|more|better|best|together|by|at|done|point|say|said|hear|help|working|continue)\b"
)
_HAN = re.compile(
    r"非常感谢|十分感谢|衷心感谢|感谢|谢谢|多谢|辛苦了?|不客气|客气了?|太好了|很好|真好|真棒|太棒了?|很棒|棒"
    r"|说得对|说得好|讲得好|讲得对|没错|是的|对的|好的|同意|赞同|赞成|认同|支持|完全|非常|十分|特别|很"
    r"|精彩|专业|宝贵|有价值|有帮助|有启发|详细|清晰|全面|到位|出色|优秀|期待|荣幸|高兴|愉快|欣慰"
    r"|分享|意见|建议|观点|看法|发言|总结|补充|解释|说明|贡献|努力|工作|合作|配合|讨论|见解|思路|想法"
    r"|架构师|后端|前端|测试|产品经理|工程师|同事|同学|各位|大家|团队|一起|继续"
    r"|你们?|您|我们?|他们?|的|了|都|也|和|与|对|为|在|是|这|那|个|些|位|上|下|再|次|让|给|到|得|真|太"
    r"|吧|啊|呢|哦|嗯|就|会|能|会议|本次|这次|刚才|以上|所有|说"
)
_LEFT_WORD = re.compile(r"[a-z]+|\d+(?:\.\d+)?")
_HAN_CHARACTER = re.compile(r"[\u3400-\u9fff]")
_POLITE = re.compile(
    r"\b(?:thank|thanks|thx|cheers|appreciate|great|good|excellent|wonderful|fantastic|brilliant"
    r"|perfect|awesome|nice|amazing|well (?:said|done|put)|welcome|pleasure|agreed?|glad|happy)"
    r"|感谢|谢|辛苦|客气|太好|很好|真好|棒|说得|讲得|没错|同意|赞|认同|精彩|支持"
)


def is_only_courtesy(utterance: UtteranceEnded) -> bool:
    """Polite words without a citation, and next to nothing beside them."""
    if utterance.cited_ids:
        return False
    text = utterance.content.lower()
    if not _POLITE.search(text):
        return False
    left = _ENGLISH.sub(" ", _without_names(text))
    words = _LEFT_WORD.findall(left)
    characters = _HAN_CHARACTER.findall(_HAN.sub("", left))
    if any(word[0].isdigit() for word in words):
        return False
    return len(words) <= MOST_WORDS_LEFT and len(characters) <= MOST_HAN_LEFT


def thanks_loop(utterances: Utterances) -> Finding | None:
    """The latest turn is a courtesy, and so was another one just before.

    Whoever takes a stance with a polite word has voted: a team that is asked in turn is no loop.
    """
    first = max(0, len(utterances) - LOOP_TURNS)
    recent = []
    for place in range(first, len(utterances)):
        is_empty = is_only_courtesy(utterances[place]) and not _votes(utterances[: place + 1])
        recent.append(is_empty)
    if recent[-1] and recent.count(True) > 1:
        return Finding(guard="thanks_loop", moves_floor=True)
    return None


def _votes(utterances: Utterances) -> bool:
    """Whether the latest turn brings a stance that its role had not taken before."""
    latest = utterances[-1]
    known = set()
    for earlier in utterances[:-1]:
        if earlier.agent_name == latest.agent_name:
            known |= {(stance.point_id, stance.counts_as) for stance in earlier.stances}
    return any((stance.point_id, stance.counts_as) not in known for stance in latest.stances)


def _without_names(text: str) -> str:
    for name in AGENT_NAMES:
        text = text.replace(name.replace("_", " "), " ").replace(name, " ")
    return text
