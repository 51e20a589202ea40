"""A chat model that plays back a script, for tests of everything that talks to a model.

`ScriptedChatModel([says("hi"), fails("rate_limited"), calls(("Read", {"path": "x"}))])` plays its
steps in order; a step may be kept for one task or role. Requests that no step fits are answered by
the rules of `scripted_rules`, or refused with `ScriptUsedUp`.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCall
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr

from meetmind.llm.faults import model_error
from meetmind.llm.prompt_sections import PromptSections, Task, read_sections
from meetmind.llm.request_texts import texts_of_request
from meetmind.llm.scripted_rules import rule_answer
from meetmind.llm.server_habits import Endpoint

SCRIPTED = Endpoint(name="scripted", base_url="")
CHARACTERS_A_TOKEN = 4


class ScriptUsedUp(AssertionError):
    """A model was asked for more than its script holds."""


@dataclass(frozen=True, kw_only=True)
class ScriptedStep:
    """One answer; `task` and `role` keep it for the requests that carry them."""

    message: AIMessage | None = None
    failure: Exception | None = None
    delay_seconds: float = 0.0
    finish_reason: str = "stop"
    """An empty one makes the stream look cut."""
    task: Task | None = None
    role: str | None = None

    def fits(self, sections: PromptSections) -> bool:
        """Whether the step is meant for this request."""
        role = sections.you.name if sections.you is not None else None
        return self.task in (None, sections.task) and self.role in (None, role)


@dataclass(frozen=True, kw_only=True)
class ScriptedRequest:
    """A request that the model got: its messages, their sections and the options bound to it."""

    messages: tuple[BaseMessage, ...]
    sections: PromptSections
    options: Mapping[str, Any]


def says(text: str, **details: Any) -> ScriptedStep:
    """Words; `details` are fields of `ScriptedStep`."""
    return ScriptedStep(message=AIMessage(content=text), **details)


def answers(value: Mapping[str, Any], **details: Any) -> ScriptedStep:
    """A structured answer, as its JSON text."""
    return says(json.dumps(value, ensure_ascii=False), **details)


def calls(*asked: tuple[str, dict[str, Any]], **details: Any) -> ScriptedStep:
    """Tool calls, each as name and arguments."""
    listed = []
    for number, (name, arguments) in enumerate(asked):
        listed.append(ToolCall(name=name, args=arguments, id=f"call_{number}", type="tool_call"))
    return ScriptedStep(message=AIMessage(content="", tool_calls=listed), **details)


def fails(failure: Exception | str, **details: Any) -> ScriptedStep:
    """An exception, or the `ModelError` of a fault by its key."""
    if isinstance(failure, str):
        failure = model_error(failure, SCRIPTED)
    return ScriptedStep(failure=failure, **details)


def cut(text: str, **details: Any) -> ScriptedStep:
    """Words of a stream that breaks off."""
    return says(text, finish_reason="", **details)


class ScriptedChatModel(BaseChatModel):
    """Plays back its steps; see the module."""

    steps: Any = ()
    """A sequence of `ScriptedStep`."""
    rules: bool = True
    """Whether requests that no step fits are answered by the rules."""
    obeys_everything: bool = False
    """Whether the rules obey phrases in every text of a request, as an all too gullible model."""
    piece_characters: int = 8
    piece_seconds: float = 0.0

    _left: list[ScriptedStep] = PrivateAttr(default_factory=list)
    _requests: list[ScriptedRequest] = PrivateAttr(default_factory=list)

    def __init__(self, steps: Sequence[ScriptedStep] = (), **details: Any) -> None:
        super().__init__(steps=tuple(steps), **details)
        self._left = list(steps)

    @property
    def requests(self) -> list[ScriptedRequest]:
        """Every request so far, oldest first."""
        return self._requests

    @property
    def call_count(self) -> int:
        """How often the model was asked."""
        return len(self._requests)

    @property
    def steps_left(self) -> int:
        """How many steps nobody has asked for yet."""
        return len(self._left)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: Any = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with tools; rules look at their names."""
        formatted = [convert_to_openai_tool(tool) for tool in tools]
        return self.bind(tools=formatted, tool_choice=tool_choice, **kwargs)

    def _next_step(self, messages: Sequence[BaseMessage], options: dict[str, Any]) -> ScriptedStep:
        sections = read_sections(messages)
        request = ScriptedRequest(messages=tuple(messages), sections=sections, options=options)
        self._requests.append(request)
        for step in self._left:
            if step.fits(sections):
                self._left.remove(step)
                return step
        if not self.rules:
            raise ScriptUsedUp(f"no step for task {sections.task} of {sections.you}")
        also_obeyed = texts_of_request(messages, options) if self.obeys_everything else []
        answer = rule_answer(sections, _tool_names(options), also_obeyed)
        return ScriptedStep(message=answer)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        step = self._next_step(messages, kwargs)
        time.sleep(step.delay_seconds)
        return _result(step)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        step = self._next_step(messages, kwargs)
        await asyncio.sleep(step.delay_seconds)
        return _result(step)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        step = self._next_step(messages, kwargs)
        await asyncio.sleep(step.delay_seconds)
        for chunk in _chunks(_message_of(step), step.finish_reason, self.piece_characters):
            await asyncio.sleep(self.piece_seconds)
            yield chunk


def _tool_names(options: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(tool["function"]["name"] for tool in options.get("tools") or ())


def _message_of(step: ScriptedStep) -> AIMessage:
    if step.failure is not None:
        raise step.failure
    if step.message is None:
        raise ScriptUsedUp("the step holds neither a message nor a failure")
    return step.message


def _usage(message: AIMessage) -> UsageMetadata:
    """A made-up count that depends on the text alone."""
    output_tokens = len(message.text) // CHARACTERS_A_TOKEN
    return UsageMetadata(input_tokens=0, output_tokens=output_tokens, total_tokens=output_tokens)


def _result(step: ScriptedStep) -> ChatResult:
    """A copy: langchain writes ids into the messages it is given."""
    message = _message_of(step).model_copy(deep=True)
    message.usage_metadata = _usage(message)
    return ChatResult(generations=[ChatGeneration(message=message)])


def _chunks(
    message: AIMessage, finish_reason: str, piece_characters: int
) -> Iterator[ChatGenerationChunk]:
    text = message.text
    for start in range(0, len(text), piece_characters):
        piece = text[start : start + piece_characters]
        yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
    pieces = []
    for index, call in enumerate(message.tool_calls):
        arguments = json.dumps(call["args"], ensure_ascii=False)
        pieces.append(
            tool_call_chunk(name=call["name"], args=arguments, id=call["id"], index=index)
        )
    metadata = {"finish_reason": finish_reason} if finish_reason else {}
    last = AIMessageChunk(
        content="",
        tool_call_chunks=pieces,
        response_metadata=metadata,
        usage_metadata=_usage(message),
    )
    yield ChatGenerationChunk(message=last)
