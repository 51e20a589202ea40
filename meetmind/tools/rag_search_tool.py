"""`rag_search`: search the calling role's own knowledge, or every table."""

import asyncio
from typing import Annotated, Literal

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from pydantic import BaseModel, ConfigDict, Field

from meetmind.config.roster_names import ASSISTANT_NAME
from meetmind.tools.envelope import Envelope
from meetmind.tools.workbench import current_workbench


class RagSearchArguments(BaseModel):
    """Arguments of `rag_search`."""

    model_config = ConfigDict(extra="ignore")

    query: Annotated[str, Field(min_length=1, max_length=2000)] = Field(
        description="What to look for, as a short question or a few words, in any language."
    )
    scope: Literal["own", "all"] = Field(
        default="own", description="own: your own knowledge; all: the knowledge of all five roles."
    )


@tool("rag_search", args_schema=RagSearchArguments)
async def rag_search_tool(
    query: str, config: RunnableConfig, scope: Literal["own", "all"] = "own"
) -> str:
    """Search documents for passages about a question. Returns the best passages with their ids."""
    workbench = current_workbench(config)
    agent_name: str | None = workbench.agent_name
    if scope == "all" or agent_name == ASSISTANT_NAME:
        agent_name = None
    async with workbench.search_slots:
        found = await asyncio.to_thread(
            workbench.search, agent_name, query, workbench.expansion_terms
        )
    envelope = Envelope(
        tool="rag_search",
        status="ok",
        request={"query": query, "scope": scope},
        evidence=found.passages,
        diagnostics={
            "summary": query,
            "mode": found.mode,
            "degraded": list(found.degraded),
            "found": len(found.passages),
            "search_ids": list(found.search_ids),
        },
    )
    return envelope.to_json()


rag_search_tool.metadata = {"risk": "low"}
