"""The one shape in which every tool returns: the request, the result and its evidence."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from meetmind.clean_text import clean_bad_chars, clean_value
from meetmind.events import PassageEvidence

EnvelopeStatus = Literal["ok", "error", "refused", "rejected", "unsure"]


class Envelope(BaseModel):
    """A tool's result; `evidence` holds every passage or page that the tool returned."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str
    status: EnvelopeStatus
    request: dict[str, Any] = Field(default_factory=dict)
    data: Any = None
    evidence: tuple[PassageEvidence, ...] = ()
    diagnostics: dict[str, Any] = Field(default_factory=dict)
    error_code: str | None = None
    error: str | None = None

    @field_validator("request", "data", "diagnostics", "error_code", "error", mode="before")
    @classmethod
    def _with_clean_texts(cls, value: Any) -> Any:
        """Whatever a file, a page or a server said: no log and no prompt takes bad characters."""
        return clean_value(value)

    @field_validator("evidence", mode="after")
    @classmethod
    def _with_clean_evidence(
        cls, evidence: tuple[PassageEvidence, ...]
    ) -> tuple[PassageEvidence, ...]:
        cleaned: list[PassageEvidence] = []
        for passage in evidence:
            cleaned.append(
                replace(
                    passage,
                    title=clean_bad_chars(passage.title),
                    source=clean_bad_chars(passage.source),
                    locator=clean_bad_chars(passage.locator),
                    content=clean_bad_chars(passage.content),
                )
            )
        return tuple(cleaned)

    def to_json(self) -> str:
        """The text of the tool message."""
        return self.model_dump_json(exclude_none=True)

    def to_record(self) -> dict[str, Any]:
        """Plain JSON values for the ledger."""
        record: dict[str, Any] = self.model_dump(mode="json")
        return record

    @property
    def summary(self) -> str:
        """One line for people: what the tool said of its result, else the error."""
        return str(self.diagnostics.get("summary", self.error or ""))


def read_envelope_json(text: str) -> Envelope | None:
    """The envelope in a tool message; None when the text is none."""
    try:
        return Envelope.model_validate_json(text)
    except ValueError:
        return None


def refusal(tool: str, arguments: Mapping[str, Any], code: str, sentence: str) -> Envelope:
    """What a role is told when its call does not run; the sentence says what to do instead."""
    return Envelope(
        tool=tool, status="refused", request=dict(arguments), error_code=code, error=sentence
    )


def failure(tool: str, arguments: Mapping[str, Any], code: str, sentence: str) -> Envelope:
    """What a role is told when its call ran and could not do what was asked."""
    return Envelope(
        tool=tool, status="error", request=dict(arguments), error_code=code, error=sentence
    )
