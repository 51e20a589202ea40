"""The shapes that a model's answers are read into; pydantic, because models are an edge."""

from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from meetmind.events import Point, Stance

DONE_WORDS = {"true", "yes", "1", "y", "done", "完成"}
POINT_STATES = ("open", "settled", "recorded_open")
MAX_POINTS = 12
ASKED_POINTS = 4
CONTENT_CHARACTERS = 2000
# Small models fill whatever a grammar lets them fill: the schema bounds texts and lists.
_SHORT_TEXT = {"type": "string", "maxLength": 200}

Item = TypeVar("Item", bound=BaseModel)


class StanceOutput(BaseModel):
    """Where the role stands on one point."""

    model_config = ConfigDict(extra="ignore")

    point_id: str
    stance: Literal["agree", "object", "abstain", "question"]
    why: str = ""
    resolves_if: str = ""
    changed_because: str = ""

    @field_validator("point_id", mode="before")
    @classmethod
    def _read_id(cls, value: Any) -> Any:
        return value.strip() if isinstance(value, str) else value

    @field_validator("stance", mode="before")
    @classmethod
    def _read_stance(cls, value: Any) -> Any:
        return value.strip().lower() if isinstance(value, str) else value

    @field_validator("why", "resolves_if", "changed_because", mode="before")
    @classmethod
    def _read_words(cls, value: Any) -> str:
        return _text_or_nothing(value)


class PointOutput(BaseModel):
    """One question that the discussion has to settle."""

    model_config = ConfigDict(extra="ignore")

    id: str
    question: str
    state: Literal["open", "settled", "recorded_open"] = "open"
    reason: str = ""

    @field_validator("id", mode="before")
    @classmethod
    def _read_id(cls, value: Any) -> Any:
        return value.strip() if isinstance(value, str) else value

    @field_validator("state", mode="before")
    @classmethod
    def _read_state(cls, value: Any) -> Any:
        """Any other word means that nothing is settled."""
        state = value.strip().lower() if isinstance(value, str) else ""
        return state if state in POINT_STATES else "open"

    @field_validator("reason", mode="before")
    @classmethod
    def _read_reason(cls, value: Any) -> str:
        return _text_or_nothing(value)


class ModelOutput(BaseModel):
    """The structured end of a turn. A missing or broken optional field never fails the turn."""

    model_config = ConfigDict(extra="ignore")

    content: str
    next_agent: str = ""
    done: bool = False
    handover_reason: str = ""
    first_opinions: bool = False
    stances: list[StanceOutput] = Field(default_factory=list)
    points: list[PointOutput] = Field(default_factory=list)

    @field_validator("done", "first_opinions", mode="before")
    @classmethod
    def _read_yes(cls, value: Any) -> bool:
        if isinstance(value, str):
            return value.strip().lower() in DONE_WORDS
        return value is True or value == 1

    @field_validator("next_agent", "handover_reason", mode="before")
    @classmethod
    def _read_text(cls, value: Any) -> str:
        return _text_or_nothing(value)

    @field_validator("stances", mode="before")
    @classmethod
    def _keep_valid_stances(cls, value: Any) -> list[StanceOutput]:
        return _valid_items(value, StanceOutput)

    @field_validator("points", mode="before")
    @classmethod
    def _keep_valid_points(cls, value: Any) -> list[PointOutput]:
        return _valid_items(value, PointOutput)

    def stance_values(self) -> tuple[Stance, ...]:
        """The stances as event values."""
        return tuple(Stance(**stance.model_dump()) for stance in self.stances)

    def point_values(self) -> tuple[Point, ...]:
        """The points as event values."""
        return tuple(Point(**point.model_dump()) for point in self.points)


class RewriteOutput(BaseModel):
    """The structured answer of the rewrite step."""

    model_config = ConfigDict(extra="ignore")

    rewritten_query: str
    expansion_terms: list[str] = Field(default_factory=list)


def _text_or_nothing(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _valid_items(value: Any, item_type: type[Item]) -> list[Item]:
    if not isinstance(value, list):
        return []
    items = []
    for raw in value[:MAX_POINTS]:
        try:
            items.append(item_type.model_validate(raw))
        except ValidationError:
            continue
    return items


def model_output_schema(
    next_agents: list[str], *, with_points: bool, points_so_far: int = 0
) -> dict[str, Any]:
    """The JSON schema of `ModelOutput` for a speaker; `content` comes first so that it streams.

    The lists hold every point of the discussion: a closing has to name the end of each.
    """
    most_points = min(MAX_POINTS, max(ASKED_POINTS, points_so_far))
    properties: dict[str, Any] = {
        "content": {
            "type": "string",
            "maxLength": CONTENT_CHARACTERS,
            "description": "What you say to the team, with citations.",
        },
        "next_agent": {"type": "string", "enum": next_agents},
        "handover_reason": _SHORT_TEXT,
        "done": {"type": "boolean"},
        "stances": {"type": "array", "maxItems": most_points, "items": _STANCE_SCHEMA},
    }
    if with_points:
        properties["first_opinions"] = {"type": "boolean"}
        properties["points"] = {"type": "array", "maxItems": most_points, "items": _POINT_SCHEMA}
    return {
        "title": "ModelOutput",
        "type": "object",
        "properties": properties,
        "required": ["content", "next_agent", "done"],
        "additionalProperties": False,
    }


_STANCE_SCHEMA = {
    "type": "object",
    "properties": {
        "point_id": _SHORT_TEXT,
        "stance": {"type": "string", "enum": ["agree", "object", "abstain", "question"]},
        "why": _SHORT_TEXT,
        "resolves_if": _SHORT_TEXT,
        "changed_because": _SHORT_TEXT,
    },
    "required": ["point_id", "stance", "why"],
    "additionalProperties": False,
}
_POINT_SCHEMA = {
    "type": "object",
    "properties": {
        "id": _SHORT_TEXT,
        "question": _SHORT_TEXT,
        "state": {"type": "string", "enum": list(POINT_STATES)},
        "reason": _SHORT_TEXT,
    },
    "required": ["id", "question", "state"],
    "additionalProperties": False,
}
REWRITE_OUTPUT_SCHEMA: dict[str, Any] = {
    "title": "RewriteOutput",
    "type": "object",
    "properties": {
        "rewritten_query": {"type": "string", "maxLength": 600},
        "expansion_terms": {
            "type": "array",
            "maxItems": 8,
            "items": {"type": "string", "maxLength": 40},
        },
    },
    "required": ["rewritten_query", "expansion_terms"],
    "additionalProperties": False,
}
