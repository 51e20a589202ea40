import pytest

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.ui.addressed import Addressed, addressed


@pytest.mark.parametrize(
    ("typed", "to_agent", "words"),
    [
        ("@tester what breaks?", "tester", "what breaks?"),
        ("  @Tester: what breaks?", "tester", "what breaks?"),
        ("@product manager is it worth it?", "product_manager", "is it worth it?"),
        ("@Product_Manager, is it?", "product_manager", "is it?"),
        ("@Backend engineer how?", "backend", "how?"),
        ("@测试 这里会出什么问题？", "tester", "这里会出什么问题？"),
        ("@测试这里会出什么问题？", "tester", "这里会出什么问题？"),
        ("＠架构师，怎么拆？", "architect", "怎么拆？"),
        ("@后端工程师 接口呢", "backend", "接口呢"),
        ("@产品经理：值得做吗", "product_manager", "值得做吗"),
        ("@tester", "tester", ""),
    ],
)
def test_a_mark_at_the_beginning_names_the_role_and_is_taken_off(
    typed: str, to_agent: str, words: str
) -> None:
    assert addressed(typed) == Addressed(words=words, to_agent=to_agent)


@pytest.mark.parametrize(
    "typed", ["no mark", "@nobody hello", "@testers unite", "mail a@tester.com", "@", ""]
)
def test_anything_else_stays_as_it_was_typed(typed: str) -> None:
    assert addressed(typed) == Addressed(words=typed)


@pytest.mark.parametrize("agent_name", AGENT_NAMES)
def test_every_role_can_be_asked_by_its_name(agent_name: str) -> None:
    assert addressed(f"@{agent_name} x") == Addressed(words="x", to_agent=agent_name)
