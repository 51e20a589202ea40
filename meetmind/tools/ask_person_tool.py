"""`ask_person`: put one question to the person, who answers when they can.

The gate asks and waits; the tool itself never runs.
"""

from typing import Annotated

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from pydantic import BaseModel, ConfigDict, Field

from meetmind.tools.envelope import Envelope, failure

ASK_PERSON = "ask_person"
SUMMARY_CHARACTERS = 200
LEFT_OPEN = (
    "The person leaves this open. Choose the most sensible assumption, say in your words that it "
    "is one, and go on."
)

Choice = Annotated[str, Field(min_length=1, max_length=120)]


class AskPersonArguments(BaseModel):
    """Arguments of `ask_person`."""

    model_config = ConfigDict(extra="ignore")

    question: Annotated[str, Field(min_length=1, max_length=600)] = Field(
        description="One short question in the language of the brief."
    )
    choices: Annotated[list[Choice], Field(max_length=5)] = Field(
        default_factory=list,
        description="Up to five short answers to choose from; none for a free answer.",
    )
    why: Annotated[str, Field(max_length=400)] = Field(
        default="", description="In one sentence: what depends on the answer."
    )


@tool(ASK_PERSON, args_schema=AskPersonArguments)
async def ask_person_tool(
    question: str, config: RunnableConfig, choices: list[str] | None = None, why: str = ""
) -> str:
    """Ask the person who wrote the brief. The discussion waits for the answer, so use it only
    where the scope is missing or sources conflict and no colleague can resolve it."""
    return failure(
        ASK_PERSON,
        {"question": question},
        "nobody_asked",
        "Nobody can be asked here. Go on with an assumption and say so.",
    ).to_json()


ask_person_tool.metadata = {"risk": "low"}


def answered(arguments: AskPersonArguments, answer: str) -> Envelope:
    """What the role is told; an empty answer leaves the question open."""
    return Envelope(
        tool=ASK_PERSON,
        status="ok",
        request=arguments.model_dump(),
        data={"answer": answer} if answer else {"left_open": LEFT_OPEN},
        diagnostics={"summary": answer[:SUMMARY_CHARACTERS]},
    )
