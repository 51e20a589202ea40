"""Which kind of document a brief asks for, by the name of the skill that tells how to write it."""

import re

SKILL = "skill"

_ASKS_EN = (
    r"\b(?:writ\w+|draft\w*|prepar\w+|create|make|needs?|wants?|produce|give|plan|list|set up"
    r"|put together|review|run|hold|do|work out|record|define|slice|assess|collect)\b"
    r"[^.?!\n]{0,80}?"
)
_ASKS_ZH = (
    r"(?:写|起草|拟|整理|制定|准备|给出|列|出一份|做|开|形成|补|评审|评估|梳理|需要|想要)"
    r"[^。？！\n]{0,20}?"
)
_NOUNS_EN = {
    "write-an-adr": r"(?:\bADRs?\b|\bdecision records?\b)",
    "write-acceptance-criteria": r"\bacceptance criteri(?:a|on)\b",
    "review-a-risk": (
        r"\b(?:risk (?:lists?|reviews?|registers?|assessments?|logs?)|lists? of risks"
        r"|RAID (?:list|log|review))\b"
    ),
    "slice-a-release": r"\b(?:release|rollout) plans?\b",
    "run-an-incident-review": r"\b(?:incident reviews?|post-?mortems?)\b",
}
_NOUNS_ZH = {
    "write-an-adr": r"(?:ADR|决策记录)",
    "write-acceptance-criteria": r"验收(?:标准|条件|准则)",
    "review-a-risk": r"风险(?:清单|列表|评审|评估|登记)",
    "slice-a-release": r"(?:发布|上线)(?:计划|方案)",
    "run-an-incident-review": r"(?:事故|故障)(?:复盘|回顾)",
}
_WRITTEN_ZH = r"[^。？！\n]{0,8}(?:写|整理|列|拟|做)"
"""Chinese may put the document first: 把验收标准写出来."""


def _pattern(skill: str) -> re.Pattern[str]:
    chinese, english = _NOUNS_ZH[skill], _NOUNS_EN[skill]
    forms = (f"{_ASKS_EN}{english}", f"{_ASKS_ZH}{chinese}", f"{chinese}{_WRITTEN_ZH}")
    return re.compile("|".join(forms), re.IGNORECASE)


_WISH_BY_SKILL = {skill: _pattern(skill) for skill in _NOUNS_EN}


def wanted_skill(brief: str) -> str:
    """The skill for the document that the brief asks for first; empty where it asks for none."""
    first_place, first_skill = len(brief), ""
    for skill, wish in _WISH_BY_SKILL.items():
        found = wish.search(brief)
        if found is not None and found.end() <= first_place:
            first_place, first_skill = found.end(), skill
    return first_skill


def without_wish(clause: str) -> str:
    """A clause without the words that ask for such a document."""
    for wish in _WISH_BY_SKILL.values():
        clause = wish.sub(" ", clause)
    return clause
