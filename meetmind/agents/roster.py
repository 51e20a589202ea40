"""The five roles and the assistant, as data."""

from dataclasses import dataclass

from meetmind.config.roster_names import AGENT_NAMES, ASSISTANT_NAME

ARCHITECT = "architect"

READING = ("rag_search", "Read", "list_dir", "glob", "grep", "skill", "web_fetch", "ask_person")
"""What everybody has: to look up, to read what a person brought, to learn how a text is written,
to ask the person."""
CHANGING = ("Edit", "Write")
"""For those who answer for documents: decisions (architect) and rules (product manager)."""


@dataclass(frozen=True, kw_only=True)
class Role:
    """Who somebody is: everything that tells one speaker from another."""

    name: str
    title: str
    answers_for: str
    tools: tuple[str, ...]

    @property
    def prompt_file(self) -> str:
        """The name of the role's prompt."""
        return f"roles/{self.name}"


ROLES: dict[str, Role] = {
    "architect": Role(
        name="architect",
        title="Architect",
        answers_for="boundaries, data flow, capacity, security, decision records; leads and closes",
        tools=(*READING, *CHANGING),
    ),
    "backend": Role(
        name="backend",
        title="Backend engineer",
        answers_for="APIs, data models, queues, migrations, operations, incidents",
        tools=(*READING, "list_processes"),
    ),
    "frontend": Role(
        name="frontend",
        title="Frontend engineer",
        answers_for="pages, forms, error messages, accessibility, performance in the browser",
        tools=READING,
    ),
    "tester": Role(
        name="tester",
        title="Tester",
        answers_for="risks, acceptance criteria, test data, load tests, release gates",
        tools=(*READING, "list_processes", "echo"),
    ),
    "product_manager": Role(
        name="product_manager",
        title="Product manager",
        answers_for="scope, business rules, prices, metrics, customers' words, dates",
        tools=(*READING, *CHANGING),
    ),
}
ASSISTANT = Role(
    name=ASSISTANT_NAME,
    title="Assistant",
    answers_for="small talk and questions about the team's documents",
    tools=(*READING, *CHANGING),
)


def team_lines() -> str:
    """The team as prompts show it: one line a role."""
    lines = []
    for name in AGENT_NAMES:
        role = ROLES[name]
        lines.append(f"{role.name} | {role.title} | {role.answers_for}")
    return "\n".join(lines)
