"""The rules that come before any classifier: greetings, and words that mark a requirement."""

import re
import unicodedata

from meetmind.knowledge.intent_labels import IntentLabel
from meetmind.knowledge.words import HAN_CHARACTER

CHITCHAT_GREETINGS = frozenset(
    {
        *("hi", "hey", "hello", "hiya", "howdy", "yo", "greetings", "hallo"),
        *("hi there", "hello there", "hey there", "hi all", "hello all", "hey all"),
        *("hi everyone", "hello everyone", "hey everyone", "hi team", "hello team", "hey team"),
        *("morning", "good morning", "good afternoon", "good evening", "good day", "good night"),
        *("how are you", "what's up", "nice to meet you"),
        *("thanks", "thank you", "thanks a lot", "thank you very much", "thx", "cheers"),
        *("bye", "goodbye", "bye bye", "see you", "see you later", "see you tomorrow"),
        *("你好", "您好", "你们好", "大家好", "各位好", "嗨", "哈喽", "哈啰", "嘿", "喂"),
        *("早", "早安", "早上好", "上午好", "中午好", "下午好", "晚上好", "晚安", "在吗", "在么"),
        *("你好吗", "你好呀", "你好啊", "嗨大家好", "很高兴认识你"),
        *("谢谢", "谢谢你", "谢谢您", "谢谢大家", "多谢", "感谢", "非常感谢", "辛苦了"),
        *("再见", "拜拜", "回见", "回头见", "明天见"),
    }
)
"""Messages that are chitchat when nothing else stands in them."""

TEAM_KEYWORDS = (
    *("requirement:", "requirements:", "feature request:", "change request:", "new feature:"),
    *("user story:", "we want to build", "we want to develop", "please implement"),
    *("as a user i want", "as a user, i want", "as a customer i want", "as a customer, i want"),
    *("users should be able to", "customers should be able to"),
    *("需求:", "新功能:", "新增功能:", "用户故事:", "功能建议:", "变更请求:"),
    *(
        "我们想开发",
        "我们要开发",
        "我们需要开发",
        "我们打算开发",
        "我们计划开发",
        "请实现",
        "请开发",
    ),
    *("作为用户,我想", "作为用户,我希望", "用户应该能够", "用户应该可以"),
)
"""One of these decides, so only phrases stand here that a question or a greeting hardly holds:
`feature` or 需要 alone would take questions away from the assistant."""


def label_by_rule(text: str) -> IntentLabel | None:
    """The label that a rule gives with certainty, or None when the classifier has to judge."""
    message = folded(text)
    if trimmed(message) in CHITCHAT_GREETINGS:
        return "chitchat"
    if TEAM_PATTERN.search(message):
        return "development_requirement"
    return None


def folded(text: str) -> str:
    """Case, full-width forms, curly apostrophes and runs of white space made plain."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'")
    return " ".join(plain.casefold().split())


def trimmed(message: str) -> str:
    """The message without what is no letter or digit at its ends: punctuation, emoji, space."""
    return EDGES.sub("", message)


def _keyword_pattern(keyword: str) -> str:
    """Han keywords are found anywhere, others between word boundaries."""
    if HAN_CHARACTER.search(keyword):
        return re.escape(keyword)
    return rf"(?<!\w){re.escape(keyword)}(?!\w)"


EDGES = re.compile(r"^[\W_]+|[\W_]+$")
TEAM_PATTERN = re.compile("|".join(_keyword_pattern(keyword) for keyword in TEAM_KEYWORDS))
