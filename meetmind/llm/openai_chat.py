"""`ChatOpenAI` for every server that speaks the protocol, well or badly.

Differs from its parent in the asynchronous calls only: replies are straightened and cleaned before
langchain reads them, optional fields that a server rejects are left out from then on, and what is
no model's answer is an error with a sentence instead of an IndexError.
"""

import json
from collections.abc import AsyncIterator
from typing import Any

import openai
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI

from meetmind.clean_text import clean_value
from meetmind.llm.bounded_body import MOST_STREAMED_BYTES, limit_body, read_body
from meetmind.llm.cleaning import clean_message
from meetmind.llm.fault_causes import error_in_body
from meetmind.llm.faults import BROKEN_FINISHES, FINISHED_TOO_EARLY, model_error
from meetmind.llm.openai_faults import translated_faults
from meetmind.llm.optional_fields import mentions_field, suspected_field, without_fields
from meetmind.llm.reply_repair import DeltaRepair, repaired_completion
from meetmind.llm.server_habits import Endpoint, habits_of

CONNECT_SECONDS = 15.0


def byte_timeout(seconds: float) -> openai.Timeout:
    """The seconds count for each wait on the server's bytes; connecting must be faster."""
    return openai.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))


class ServerChatModel(ChatOpenAI):
    """One chat model behind one OpenAI-compatible address."""

    @property
    def endpoint(self) -> Endpoint:
        """The key under which the server's habits are remembered."""
        return Endpoint(name=self.model_name, base_url=self.openai_api_base or "")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        # Only the tool loop asks like this. Its words are thrown away, so that words which ran into
        # a limit are no fault; a tool call that did so is one.
        payload = self._clean_payload(messages, stop, kwargs)
        with translated_faults(self.endpoint):
            body = await self._ask({**payload, "stream": False})
            completion = repaired_completion(self._read_json(body))
            if not completion["choices"]:
                raise model_error("empty", self.endpoint)
            result = self._create_chat_result(completion)
        message = result.generations[0].message
        assert isinstance(message, AIMessage)
        reason = str(completion["choices"][0].get("finish_reason"))
        asks_for_tools = bool(message.tool_calls or message.invalid_tool_calls)
        if reason in FINISHED_TOO_EARLY and asks_for_tools:
            raise model_error(FINISHED_TOO_EARLY[reason], self.endpoint)
        if reason in BROKEN_FINISHES:
            raise model_error("cut", self.endpoint)
        generation = ChatGeneration(
            message=clean_message(message), generation_info=result.generations[0].generation_info
        )
        return ChatResult(generations=[generation], llm_output=result.llm_output)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        payload = self._clean_payload(messages, stop, kwargs)
        payload["stream_options"] = {"include_usage": True}
        repair = DeltaRepair()
        with translated_faults(self.endpoint):
            async with await self._ask({**payload, "stream": True}) as stream:
                async for raw_chunk in self._raw_chunks(stream):
                    chunk = repair.repaired(raw_chunk)
                    generation = self._convert_chunk_to_generation_chunk(chunk, AIMessageChunk, {})
                    if generation is None:
                        continue
                    if run_manager is not None:
                        await run_manager.on_llm_new_token(generation.text, chunk=generation)
                    yield generation
        if repair.has_only_refused:
            raise model_error("filtered", self.endpoint)

    def _clean_payload(
        self, messages: list[BaseMessage], stop: list[str] | None, kwargs: dict[str, Any]
    ) -> dict[str, Any]:
        """A lone surrogate anywhere in a request would make it fail for good."""
        payload = self._get_request_payload(messages, stop=stop, **kwargs)
        payload["messages"] = clean_value(payload["messages"])
        return payload

    async def _ask(self, payload: dict[str, Any]) -> Any:
        """The answer; a field that the server rejects is left out and, if it helps, remembered."""
        habits = habits_of(self.endpoint)
        asked = without_fields(payload, habits.refused_fields)
        try:
            return await self._send(asked)
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            suspect = suspected_field(error, asked)
            if suspect is None:
                raise
            named = mentions_field(error, suspect, asked)
        try:
            answer = await self._ask(without_fields(asked, {suspect}))
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            if named and not mentions_field(error, suspect, asked):
                habits.refused_fields.add(suspect)
            raise
        habits.refused_fields.add(suspect)
        return answer

    async def _send(self, payload: dict[str, Any]) -> Any:
        """The body of a whole reply, or the event stream."""
        if payload["stream"]:
            return await self.async_client.create(**payload)
        async with self.async_client.with_streaming_response.create(**payload) as raw:
            return await read_body(raw.http_response, self.endpoint)

    async def _raw_chunks(self, stream: Any) -> AsyncIterator[dict[str, Any]]:
        """The chunks of a stream as plain values; a whole reply counts as one chunk.

        Some servers ignore `stream` and answer at once, others answer with a page of HTML.
        """
        content_type = stream.response.headers.get("content-type", "")
        if "json" in content_type:
            yield self._read_json(await read_body(stream.response, self.endpoint))
            return
        if "html" in content_type:
            raise model_error("unreadable", self.endpoint)
        limit_body(stream.response, self.endpoint, MOST_STREAMED_BYTES)
        has_begun = False
        try:
            async for chunk in stream:
                if isinstance(chunk, openai.BaseModel):
                    has_begun = True
                    yield chunk.to_dict(warnings=False)
        except openai.APITimeoutError:
            raise
        except openai.APIConnectionError:
            raise model_error("cut" if has_begun else "connection", self.endpoint) from None
        except ValueError:
            raise model_error("unreadable", self.endpoint) from None
        if not has_begun:
            fault = "empty" if "event-stream" in content_type else "unreadable"
            raise model_error(fault, self.endpoint)

    def _read_json(self, body: bytes) -> dict[str, Any]:
        try:
            parsed = json.loads(body.decode("utf-8", "replace"))
        except json.JSONDecodeError:
            raise model_error("unreadable", self.endpoint) from None
        if not isinstance(parsed, dict):
            raise model_error("unreadable", self.endpoint)
        if parsed.get("error"):
            raise error_in_body(parsed["error"], self.endpoint)
        return parsed
