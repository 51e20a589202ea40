"""What a summary must not lose and how a sentence shows it: figures, dates, names, failures."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

_FILE = Path(__file__).with_name("fact_marks.toml")

CITATION = re.compile(r"\s?\[[a-z_]+_[0-9a-f]{12}\]")
_LIST_MARK = re.compile(r"^\s*(?:[-*•·#>|]+|\d{1,2}[.)、](?=\s|\D)|[（(]\d{1,2}[)）])\s*")
_FIGURE = re.compile(
    r"(?<![A-Za-z0-9_])[€$¥￥£]?\d+(?:[.,:/-]\d+)*"
    r"(?:\s?(?:%|％|‰|[a-z]{1,12}\b|[\u4e00-\u9fff]{1,2}))?"
)
_MONEY = re.compile(r"[€$¥￥£]|euro|yuan|dollar|pound|usd|eur|cny|元|块|万|欧|镑", re.IGNORECASE)
_TERM_AMONG_HAN = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z][A-Za-z0-9+#.-]{2,}(?![A-Za-z0-9_])")
_HAN_FIGURE = re.compile(
    r"(?:[二两三四五六七八九十半]|[一二两三四五六七八九][十百千万亿][十百千万亿零一二三四五六七八九]*"
    r"|十[一二三四五六七八九])"
    r"(?=个|天|日|周|月|年|小时|分钟|秒|次|元|块|人|台|倍|成|件|张|条|项|页|名|级|档|种|步|轮|版"
    r"|百|千|万|亿|角|厘|毛钱|分之|折|米|公里|斤|吨|度|批|组|套|家|单|笔|行|层|楼|座|辆|份|位)"
)
_QUOTED = re.compile(
    r"`([^`\n]{2,400})`|“([^”\n]{3,400})”|\"([^\"\n]{3,400})\"|「([^」\n]{2,400})」"
)
_MACHINE_WORDS = re.compile(
    r"\b(?:errno|code|status|exit)\W{0,2}\d|\b[45]\d\d\s+[A-Z\d]|\b[a-z]+_[a-z_]+:"
    r"|\b(?:not (?:accepted|allowed|found|permitted|supported)|invalid|unexpected|unauthori[sz]ed"
    r"|unauthenticated|insufficient|declined|denied|unable to|cannot|too (?:large|long|many))\b"
    r"|拒绝|失败|错误|不足|无效|超时|不允许",
    re.IGNORECASE,
)
"""What a quotation shows that is a message of a program and no name or label."""
_PATH = re.compile(r"(?<![\w./:])(?:[\w@~.-]+/)+[\w.-]*[\w-]\.[A-Za-z][A-Za-z0-9]{0,5}(?![\w/])")
"""Folders and a name with an ending, whatever kind of file it is; an address has `//`."""
_REFUSAL_AMONG_HAN = re.compile("不(?:再|能|许|准)?[\u4e00-\u9fff]了?(?=[，。；！]|$)")
"""A clause that ends in one verb with 不 before it says what is not done."""
_REFUSAL_AT_THE_BEGINNING = re.compile(
    r"^no\s+(?!one\b|doubt\b|idea\b|problem\b)[a-z]", re.IGNORECASE
)
_CONSTANT = re.compile(
    r"(?<![A-Za-z0-9_])(?:[A-Z][A-Z0-9]*_[A-Z0-9_]+|[A-Z]{2,6}-\d+|[a-z][a-z0-9]*_[a-z0-9_]+)"
    r"(?![A-Za-z0-9_])"
)
_VERSION = re.compile(r"(?<![\w.])v?\d+\.\d+\.\d+(?![\w.])")
_ENGLISH_NAME = re.compile(
    r"(?:(?<=[a-z,;:)] )|(?<=^)(?=[A-Z]\w+ [A-Z][a-z]))[A-Z][a-zà-ÿ]{2,}(?: [A-Z][a-zà-ÿ]+)*"
)
_HAN = "\u4e00-\u9fff"
_HAN_LETTER = re.compile(f"[{_HAN}]")
_ERROR_CODE = re.compile(r"\b[A-Z][A-Za-z]+(?:Error|Exception|Violation|Timeout)\b|\bE[A-Z]{4,}\b")
SHORTEST_MESSAGE = 12
"""Characters; what is shorter is the label of a button."""
_CACHED_SENTENCES = 16_384


# What a kind of value is worth, measured on talk that is full of figures of handbooks: what people
# settle among themselves shows in names, days, files and exact messages before it shows in figures.
WORTH_OF_FILE = 2.5
WORTH_OF_MESSAGE = 2.5
WORTH_OF_NAME = 2.0
WORTH_OF_DAY = 2.0
WORTH_OF_IDENTIFIER = 1.8
WORTH_OF_MONEY = 1.8
WORTH_OF_FIGURE = 1.0
WORTH_OF_TERM = 0.8
"""A Latin word in a Chinese sentence."""
WORTH_OF_SMALL_FIGURE = 0.5
"""One digit, or a number in words."""


@dataclass(frozen=True, kw_only=True)
class FactMarks:
    """What a sentence holds that must not be lost."""

    worth_by_value: Mapping[str, float]
    """Figures, dates, names, files and quoted words, as they are written."""
    is_decision: bool
    """What people settled among themselves."""
    is_rule: bool
    """What has to be or may not be."""
    is_first_hand: bool
    """Somebody speaks of themselves or of the team."""
    is_failure: bool
    names_a_file: bool
    quotes_message: bool
    """The exact words of a program that something did not work."""

    @property
    def values(self) -> frozenset[str]:
        """The values without their worth."""
        return frozenset(self.worth_by_value)


@dataclass(frozen=True, kw_only=True)
class _Signs:
    decision: re.Pattern[str]
    rule: re.Pattern[str]
    first_hand: re.Pattern[str]
    failure: re.Pattern[str]
    tried: re.Pattern[str]
    date: re.Pattern[str]
    number: re.Pattern[str]
    file: re.Pattern[str]
    han_name: re.Pattern[str]


@lru_cache(maxsize=_CACHED_SENTENCES)
def marks_of(sentence: str) -> FactMarks:
    """The marks of one sentence; citations and list marks are none."""
    signs = _signs()
    text = CITATION.sub("", _LIST_MARK.sub("", sentence))
    lowered = text.lower()
    quotes_message = _quotes_message(text)
    is_failure = (
        quotes_message
        or signs.failure.search(lowered) is not None
        or _ERROR_CODE.search(text) is not None
    )
    worth: dict[str, float] = {}
    rest = text
    for pattern in (_PATH, signs.file):
        for file in pattern.finditer(rest):
            worth[file.group()] = WORTH_OF_FILE
        rest = pattern.sub(" ", rest)
    names_a_file = bool(worth)
    for words in _quotations(rest):
        is_message = is_failure and len(words) >= SHORTEST_MESSAGE
        worth[words] = WORTH_OF_MESSAGE if is_message else WORTH_OF_FIGURE
    for pattern, value in (
        (signs.date, WORTH_OF_DAY),
        (_CONSTANT, WORTH_OF_IDENTIFIER),
        (_VERSION, WORTH_OF_IDENTIFIER),
        (_ERROR_CODE, WORTH_OF_MESSAGE),
        (_ENGLISH_NAME, WORTH_OF_NAME),
    ):
        for found in pattern.finditer(rest):
            worth.setdefault(found.group(), value)
        rest = pattern.sub(" ", rest)
    for found in signs.han_name.finditer(rest):
        worth[next(group for group in found.groups() if group)] = WORTH_OF_NAME
    for found in _FIGURE.finditer(rest):
        figure = found.group().strip()
        worth.setdefault(figure, _worth_of_figure(figure))
    if _HAN_LETTER.search(text):
        for found in _TERM_AMONG_HAN.finditer(rest):
            worth.setdefault(found.group(), WORTH_OF_TERM)
    for found in (*_HAN_FIGURE.finditer(rest), *signs.number.finditer(lowered)):
        worth.setdefault(found.group(), WORTH_OF_SMALL_FIGURE)
    return FactMarks(
        worth_by_value=worth,
        is_decision=signs.decision.search(lowered) is not None,
        is_rule=any(
            pattern.search(lowered) is not None
            for pattern in (signs.rule, _REFUSAL_AMONG_HAN, _REFUSAL_AT_THE_BEGINNING)
        ),
        is_first_hand=signs.first_hand.search(lowered) is not None,
        is_failure=is_failure,
        names_a_file=names_a_file,
        quotes_message=quotes_message,
    )


def _quotations(text: str) -> list[str]:
    return [next(group for group in found.groups() if group) for found in _QUOTED.finditer(text)]


def _quotes_message(text: str) -> bool:
    """Whether a quotation reads like what a program says, whatever the sentence calls it."""
    for words in _quotations(text):
        if len(words) >= SHORTEST_MESSAGE and _MACHINE_WORDS.search(words):
            return True
    return False


def _worth_of_figure(figure: str) -> float:
    if _MONEY.search(figure):
        return WORTH_OF_MONEY
    is_small = len(figure) == 1
    return WORTH_OF_SMALL_FIGURE if is_small else WORTH_OF_FIGURE


def says_what_was_tried(sentence: str) -> bool:
    """Whether a sentence behind a failure may tell what was done about it."""
    return _signs().tried.search(sentence.lower()) is not None


@cache
def _signs() -> _Signs:
    words = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    months = "|".join(words["months"])
    endings = "|".join(sorted(words["file_endings"], key=len, reverse=True))
    after_names = "|".join(words["after_names"])
    before_names = "|".join(words["before_names"])
    date = (
        rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?(?:{months})\b(?:\s\d{{4}})?"
        rf"|\b(?:{months})\s\d{{1,2}}\b(?:,?\s\d{{4}})?"
        r"|\d{4}\s?年(?:\s?\d{1,2}\s?月)?(?:\s?\d{1,2}\s?[日号])?|\d{1,2}\s?月\s?\d{1,2}\s?[日号]"
        rf"|\bQ[1-4]\b|{'|'.join(words['weekdays'])}"
    )
    name = f"[{words['surnames']}][{_HAN}]{{1,2}}?"
    return _Signs(
        decision=_any_word(words["decisions"]),
        rule=_any_word(words["rules"]),
        first_hand=_any_word(words["first_hand"], whole=True),
        failure=_any_word(words["failures"]),
        tried=_any_word(words["tries"]),
        date=re.compile(date),
        number=_any_word(words["number_words"], whole=True),
        file=re.compile(rf"(?<![\w./])[\w@~./\\-]*[\w-]\.(?:{endings})(?![\w])"),
        han_name=re.compile(
            rf"({name})(?={after_names})"
            rf"|(?:{before_names})({name})(?![{_HAN}])"
        ),
    )


def _any_word(words: Iterable[str], *, whole: bool = False) -> re.Pattern[str]:
    """Latin words from their beginning on, or whole; Han words anywhere."""
    parts = []
    for word in words:
        escaped = re.escape(word)
        if word.isascii():
            escaped = rf"\b{escaped}\b" if whole else rf"\b{escaped}"
        parts.append(escaped)
    return re.compile("|".join(parts))
