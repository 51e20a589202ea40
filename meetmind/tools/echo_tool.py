"""`echo`: give back the text that it was given, to see whether tools work at all."""

from typing import Annotated

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from pydantic import BaseModel, ConfigDict, Field

from meetmind.tools.envelope import Envelope
from meetmind.tools.workbench import current_workbench

MAX_CHARACTERS = 4_000
SUMMARY_CHARACTERS = 120


class EchoArguments(BaseModel):
    """Arguments of `echo`."""

    model_config = ConfigDict(extra="ignore")

    text: Annotated[str, Field(min_length=1, max_length=MAX_CHARACTERS)] = Field(
        description="The text to give back, at most 4,000 characters."
    )


@tool("echo", args_schema=EchoArguments)
async def echo_tool(text: str, config: RunnableConfig) -> str:
    """Give back a text unchanged. Use it only to find out whether tool calls work."""
    current_workbench(config)
    first_line = text.strip().partition("\n")[0]
    envelope = Envelope(
        tool="echo",
        status="ok",
        request={"text": text},
        data={"text": text},
        diagnostics={"summary": first_line[:SUMMARY_CHARACTERS]},
    )
    return envelope.to_json()


echo_tool.metadata = {"risk": "low"}
