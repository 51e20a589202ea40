"""What a call of a chat model brings home."""

from dataclasses import dataclass
from typing import Any

from meetmind.llm.cleaning import visible_text
from meetmind.llm.faults import FINISHED_TOO_EARLY
from meetmind.llm.streaming import StreamedReply, Usage
from meetmind.llm.structured import completed_field, read_object


@dataclass(frozen=True, kw_only=True)
class TextAnswer:
    """A plain answer, cleaned."""

    text: str
    usage: Usage


@dataclass(frozen=True, kw_only=True)
class StructuredAnswer:
    """An answer by schema; without a usable object `value` is None, `raw_text` the words to keep.

    The listener was given exactly the streamed field of `value`, or `raw_text`.
    """

    value: dict[str, Any] | None
    raw_text: str
    rung: str
    usage: Usage
    """Of every answer that it took."""


def value_of(reply: StreamedReply, essential: str, streamed_field: str) -> dict[str, Any] | None:
    """The object in a reply; of one that grew too long, the words alone.

    None where there is no object, or only a thought in it.
    """
    text = reply.visible(complete=True)
    value = read_object(text, essential)
    if value is None and streamed_field and reply.finish_reason in FINISHED_TOO_EARLY:
        value = {streamed_field: completed_field(text, streamed_field)}
    if value is None:
        return None
    spoken = visible_text(str(value[essential]), complete=True)
    return {**value, essential: spoken} if spoken else None
