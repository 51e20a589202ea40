"""A `ModelClient` of one loopback server, with a listener that remembers what it heard."""

import asyncio
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from pydantic import SecretStr

from meetmind.config.settings import Settings
from meetmind.llm.chat_models import build_chat_model
from meetmind.llm.client import ModelClient, StructuredAnswer, TextAnswer
from meetmind.llm.limits import limiter_for
from meetmind.llm.retry import RetryPolicy
from meetmind.llm.server_habits import Endpoint
from meetmind.llm.streaming import Patience
from tests.support.recording_listener import RecordingListener

KEY = "sk-secret-0123456789"
MODEL = "test-model"
MESSAGES = [SystemMessage(content="Be brief."), HumanMessage(content="<task>speak</task> Hello?")]
SCHEMA = {
    "title": "ModelOutput",
    "type": "object",
    "properties": {
        "content": {"type": "string"},
        "next_agent": {"type": "string"},
        "done": {"type": "boolean"},
    },
    "required": ["content", "next_agent", "done"],
}
GOOD_JSON = '{"content": "We keep it 72 hours. 保留三天。", "next_agent": "tester", "done": false}'
GOOD_WORDS = "We keep it 72 hours. 保留三天。"
LOOK_UP = {
    "type": "function",
    "function": {"name": "rag_search", "parameters": {"type": "object", "properties": {}}},
}


class Sleeps:
    """Stands in for waiting between tries and remembers how long it would have been."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


class Bench:
    """A client of one server, and what its listener heard."""

    def __init__(
        self,
        base_url: str,
        *,
        silence_seconds: float = 5.0,
        places: int = 2,
        fallback: "Bench | None" = None,
        **changes: Any,
    ) -> None:
        settings = Settings(
            base_url=base_url,
            model_name=changes.pop("model_name", MODEL),
            api_key=SecretStr(KEY),
            model_timeout_seconds=changes.pop("model_timeout_seconds", 5.0),
            **changes,
        )
        endpoint = Endpoint(name=settings.model_name, base_url=base_url)
        self.sleeps = Sleeps()
        self.listener = RecordingListener()
        self.client = ModelClient(
            build_chat_model(settings, SecretStr(KEY)),
            name=settings.model_name,
            base_url=base_url,
            offline=False,
            limiter=limiter_for(endpoint, places),
            retry_policy=RetryPolicy(sleep=self.sleeps, random=lambda: 0.5),
            patience=Patience(silence_seconds=silence_seconds),
            fallback=None if fallback is None else fallback.client,
        )

    def text(self) -> TextAnswer:
        return asyncio.run(self.ask_text())

    async def ask_text(self) -> TextAnswer:
        return await self.client.stream_text(MESSAGES, listener=self.listener)

    def structured(self) -> StructuredAnswer:
        return asyncio.run(self.client.stream_structured(MESSAGES, SCHEMA, listener=self.listener))

    def look_up(self) -> AIMessage:
        """Phase 1 as the tool loop does it: a bound model, not streamed."""

        async def ask(model: BaseChatModel) -> AIMessage:
            return await model.bind_tools([LOOK_UP]).ainvoke(MESSAGES)

        return asyncio.run(self.client.call(ask, self.listener))
