"""A brief that asks for a kind of document: the architect loads the skill and uses its outline."""

import pytest

from meetmind.llm.offline.skill_wishes import wanted_skill
from tests.support.bike_rental import BRIEF, CHINESE_BRIEF, bike_passages
from tests.support.offline_meeting import Meeting


@pytest.mark.parametrize(
    ("brief", "skill"),
    [
        ("Write an ADR on who cancels bookings.", "write-an-adr"),
        ("We need a decision record for the callback queue.", "write-an-adr"),
        ("Please draft the acceptance criteria for refunds.", "write-acceptance-criteria"),
        ("Put together a risk list for the launch.", "review-a-risk"),
        ("We want a release plan in three steps.", "slice-a-release"),
        ("Prepare the incident review of Sunday's outage.", "run-an-incident-review"),
        ("请为退款写一份架构决策记录", "write-an-adr"),
        ("把退款的验收标准写出来", "write-acceptance-criteria"),
        ("请列出上线的风险清单", "review-a-risk"),
        ("我们要制定一个分三步的发布计划", "slice-a-release"),
        ("请准备上周日的事故复盘", "run-an-incident-review"),
        ("Write acceptance criteria first and an ADR later.", "write-acceptance-criteria"),
        ("The decision record says 72 hours. How long may a refund take?", ""),
        ("验收标准里的退款时限是多久？", ""),
        (BRIEF, ""),
        (CHINESE_BRIEF, ""),
    ],
)
def test_the_kind_of_document_is_recognised_where_it_is_asked_for(brief: str, skill: str) -> None:
    assert wanted_skill(brief) == skill


def test_the_architect_loads_the_skill_once_and_the_summary_ends_with_its_outline() -> None:
    played = Meeting(passages=bike_passages(), brief=f"{BRIEF} Write an ADR on it.").play()
    assert played.read_calls == [("architect", "skill", {"name": "write-an-adr"})]
    markdown = played.utterances[-1].written[0]["content"]
    ending = markdown.partition("## Outline to fill in (from the skill write-an-adr)")[2]
    assert "```markdown\n# " in ending
    assert "\n## Options considered\n" in ending
    assert ending.rstrip().endswith("```")
    said = played.utterances[-1].content
    assert "The file ends with the outline of the skill “write-an-adr” [file_" in said


def test_in_chinese_the_chinese_skill_is_used() -> None:
    brief = f"{CHINESE_BRIEF}请写一份架构决策记录。"
    played = Meeting(passages=bike_passages(), brief=brief, language="zh").play()
    markdown = played.utterances[-1].written[0]["content"]
    assert "## 待填写的提纲（来自技能 write-an-adr）" in markdown
    assert "\n## 考虑过的方案\n" in markdown
    assert "文件末尾附了技能“write-an-adr”的提纲[file_" in played.utterances[-1].content


def test_nothing_is_said_of_an_outline_when_the_file_was_not_written() -> None:
    brief = f"{BRIEF} Write an ADR on it."
    played = Meeting(passages=bike_passages(), brief=brief, decision="rejected").play()
    assert "outline" not in played.utterances[-1].content
