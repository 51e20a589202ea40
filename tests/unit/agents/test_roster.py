"""Who has which tools."""

from meetmind.agents.roster import ASSISTANT, ROLES
from meetmind.config.roster_names import AGENT_NAMES
from meetmind.tools.tool_register import all_tools, risk_of

READING = {"rag_search", "Read", "list_dir", "glob", "grep", "skill", "web_fetch"}
WRITERS = ["architect", "product_manager", "assistant"]


def test_everybody_can_search_read_load_a_skill_and_ask_for_a_page() -> None:
    assert list(ROLES) == AGENT_NAMES
    for role in (*ROLES.values(), ASSISTANT):
        assert set(role.tools) >= READING, role.name
        assert len(set(role.tools)) == len(role.tools), role.name


def test_every_tool_of_the_roster_is_registered() -> None:
    risk_by_name = {tool.name: risk_of(tool) for tool in all_tools}
    for role in (*ROLES.values(), ASSISTANT):
        assert set(role.tools) <= set(risk_by_name), role.name


def test_only_those_who_answer_for_documents_may_ask_to_change_files() -> None:
    for role in (*ROLES.values(), ASSISTANT):
        may_change = {"Edit", "Write"} & set(role.tools)
        assert may_change == ({"Edit", "Write"} if role.name in WRITERS else set()), role.name
