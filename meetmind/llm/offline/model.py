"""The chat model that serves without a key: deterministic, extractive, no network.

It reads the marked sections of a prompt and answers with quotes of the passages that stand there,
inside template sentences. It reasons about nothing and says so.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCall, ToolCallChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from meetmind.llm.offline.assistant_answer import assistant_answer
from meetmind.llm.offline.changed_minds import with_causes
from meetmind.llm.offline.closing_words import close_discussion
from meetmind.llm.offline.contribution import contribute
from meetmind.llm.offline.folding import summary_of
from meetmind.llm.offline.lookups import wanted_calls
from meetmind.llm.offline.opening import open_discussion
from meetmind.llm.offline.persons_words import answers_to_person
from meetmind.llm.offline.reply import reply
from meetmind.llm.offline.rewrite import expansion_terms, rewritten_query
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.utterance import Utterance, paragraphs
from meetmind.llm.prompt_sections import PromptSections, read_sections

MODEL_NAME = "offline"
MOST_CHUNKS = 50
SMALLEST_CHUNK = 6
READY_TO_SPEAK = "."
"""The text that ends a round of look-ups; nobody reads it."""


class OfflineChatModel(BaseChatModel):
    """Answers only with what the passages in the prompt say."""

    chunk_delay_seconds: float = 0.025
    """The pause before each of at most 50 pieces of a streamed answer, so that words arrive."""

    @property
    def _llm_type(self) -> str:
        return MODEL_NAME

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """This model with tools that it may ask for; a forced choice makes no difference to it."""
        described = [convert_to_openai_tool(tool) for tool in tools]
        return self.bind(tools=described, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        message = answer(messages, _tool_names(kwargs))
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in _chunks(answer(messages, _tool_names(kwargs))):
            time.sleep(self.chunk_delay_seconds)
            if run_manager is not None:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        message = await asyncio.to_thread(answer, messages, _tool_names(kwargs))
        for chunk in _chunks(message):
            await asyncio.sleep(self.chunk_delay_seconds)
            if run_manager is not None:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


def answer(messages: Sequence[BaseMessage], tool_names: Sequence[str] = ()) -> AIMessage:
    """The whole answer to a prompt; the same prompt always gets the same one."""
    sections = read_sections(messages)
    if sections.task == "rewrite":
        return _said(_rewritten(sections))
    if sections.task == "compact":
        return _said(summary_of(sections))
    if sections.task == "look_up":
        return _looking_up(sections, tool_names)
    if sections.task == "speak":
        return _said(turn_of(Room(sections)).to_json())
    room = Room(sections)
    return _said(answers_to_person(room) or assistant_answer(room))


def turn_of(room: Room) -> Utterance:
    """What the role says in its turn; a person's words are answered before everything else."""
    utterance = _turn_on_points(room)
    return replace(
        utterance,
        content=paragraphs([answers_to_person(room), utterance.content]),
        stances=with_causes(room, utterance.stances),
    )


def _turn_on_points(room: Room) -> Utterance:
    if room.is_opening:
        return open_discussion(room)
    if room.is_closing:
        return close_discussion(room)
    if room.is_reply:
        return reply(room)
    return contribute(room)


def _rewritten(sections: PromptSections) -> str:
    answer_fields = {
        "rewritten_query": rewritten_query(sections),
        "expansion_terms": expansion_terms(sections),
    }
    return json.dumps(answer_fields, ensure_ascii=False)


def _looking_up(sections: PromptSections, tool_names: Sequence[str]) -> AIMessage:
    calls = []
    first_number = len(sections.asked_calls)
    for number, wanted in enumerate(wanted_calls(sections, tool_names), start=first_number):
        call_id = f"call_{number}"
        call = ToolCall(name=wanted.tool, args=wanted.arguments, id=call_id, type="tool_call")
        calls.append(call)
    if not calls:
        return _said(READY_TO_SPEAK)
    return AIMessage(
        content="",
        tool_calls=calls,
        response_metadata={"finish_reason": "tool_calls", "model_name": MODEL_NAME},
    )


def _said(text: str) -> AIMessage:
    metadata = {"finish_reason": "stop", "model_name": MODEL_NAME}
    return AIMessage(content=text, response_metadata=metadata)


def _tool_names(kwargs: dict[str, Any]) -> list[str]:
    names = []
    for tool in kwargs.get("tools") or []:
        names.append(str(tool.get("function", tool).get("name", "")))
    return names


def _chunks(message: AIMessage) -> Iterator[ChatGenerationChunk]:
    """The message in pieces; the last one carries why it ended."""
    text = message.text
    size = max(SMALLEST_CHUNK, -(-len(text) // MOST_CHUNKS))
    for start in range(0, len(text), size):
        piece = AIMessageChunk(content=text[start : start + size])
        yield ChatGenerationChunk(message=piece)
    call_chunks = []
    for index, call in enumerate(message.tool_calls):
        arguments = json.dumps(call["args"], ensure_ascii=False)
        call_chunks.append(
            ToolCallChunk(
                name=call["name"],
                args=arguments,
                id=call["id"],
                index=index,
                type="tool_call_chunk",
            )
        )
    last = AIMessageChunk(
        content="",
        tool_call_chunks=call_chunks,
        response_metadata=message.response_metadata,
        chunk_position="last",
    )
    yield ChatGenerationChunk(message=last)
