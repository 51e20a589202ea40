"""Arguments against schemas of our own and of strangers."""

import time
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool

from meetmind.tools.argument_check import unusable_schema, wrong_arguments
from meetmind.tools.read_tool import read_tool

QUESTION = {
    "type": "object",
    "properties": {"q": {"type": "string", "minLength": 2}},
    "required": ["q"],
    "additionalProperties": False,
}
LEVELS = 30
DOUBLING = {
    "type": "object",
    "allOf": [{"$ref": "#/$defs/d0"}],
    "$defs": {
        f"d{level}": {"allOf": [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(LEVELS)
    }
    | {f"d{LEVELS}": {}},
}
NAMES = [f"d{number}" for number in range(12)]
EVERYBODY_TO_EVERYBODY = {
    "type": "object",
    "allOf": [{"$ref": "#/$defs/d0"}],
    "$defs": {name: {"anyOf": [{"$ref": f"#/$defs/{other}"} for other in NAMES]} for name in NAMES},
}
NAMELESS_FAMILY = {"a" * 40 + str(number): 1 for number in range(20)}


def tool_with(schema: dict[str, Any]) -> BaseTool:
    async def call(**arguments: Any) -> str:
        return ""

    return StructuredTool(name="x", description="x", args_schema=schema, coroutine=call)


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def test_arguments_that_fit_are_nothing_to_speak_of() -> None:
    assert wrong_arguments(tool_with(QUESTION), {"q": "why?"}) == ""
    assert wrong_arguments(read_tool, {"path": "notes.md"}) == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "'q' is a required property"),
        ({"q": 7}, "q: 7 is not of type 'string'"),
        ({"q": "why?", "z": 1}, "'z' was unexpected"),
    ],
)
def test_a_fault_is_named_with_its_place(arguments: dict[str, Any], said: str) -> None:
    assert said in wrong_arguments(tool_with(QUESTION), arguments)


def test_a_fault_by_a_model_of_ours_is_named_too() -> None:
    assert "path" in wrong_arguments(read_tool, {})


def test_a_tree_of_arguments_is_followed_into_its_own_schema() -> None:
    tree = {"type": "object", "properties": {"c": {"$ref": "#"}, "v": {"type": "integer"}}}
    assert wrong_arguments(tool_with(tree), {"c": {"c": {"v": 1}}}) == ""
    assert "c.c.v" in wrong_arguments(tool_with(tree), {"c": {"c": {"v": "x"}}})


def test_an_old_draft_is_read_by_its_own_rules() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"q": {"type": "array", "items": [{"type": "string"}]}},
    }
    assert "q.0" in wrong_arguments(tool_with(schema), {"q": [1]})


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        (DOUBLING, {}),
        (EVERYBODY_TO_EVERYBODY, {}),
        ({"type": "object", "properties": {"q": {"$ref": "#/$defs/none"}}}, {"q": 1}),
        ({"type": "object", "properties": {"q": {"$ref": "#anchor"}}}, {"q": 1}),
        ({"type": "object", "$ref": "#"}, {}),
        ({"type": "object", "unevaluatedProperties": False, "allOf": [{"$ref": "#"}]}, {"a": 1}),
        (nested(3_000), {}),
        ({"type": "object", "properties": {f"p{n}": {} for n in range(9_000)}}, {}),
        ({"type": "object", "properties": {"q": {"$ref": "http://127.0.0.1:9/x"}}}, {"q": 1}),
        ({"type": "object", "required": "abc"}, {}),
    ],
)
def test_a_schema_that_nobody_can_follow_is_refused_at_once(
    schema: dict[str, Any], arguments: dict[str, Any]
) -> None:
    began = time.monotonic()
    assert "description of its arguments" in wrong_arguments(tool_with(schema), arguments)
    assert time.monotonic() - began < 2


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        ({"propertyNames": {"pattern": "^(a|a)*b$"}}, NAMELESS_FAMILY),
        ({"patternProperties": {"^(a|a)*b$": {}}, "additionalProperties": False}, NAMELESS_FAMILY),
        ({"properties": {"q": {"pattern": r"^(\w+\s?)*(\w+\s?)*\1x$"}}}, {"q": "ab " * 2_000}),
        ({"properties": {"q": {"uniqueItems": True}}}, {"q": [{"a": n} for n in range(3_000)]}),
    ],
)
def test_a_slow_pattern_or_a_costly_rule_holds_nobody_up(
    schema: dict[str, Any], arguments: dict[str, Any]
) -> None:
    began = time.monotonic()
    wrong_arguments(tool_with({"type": "object", **schema}), arguments)
    assert time.monotonic() - began < 2


def test_a_schema_without_an_object_is_unusable() -> None:
    assert unusable_schema(None) != ""
    assert unusable_schema({"type": "array"}) != ""
    assert unusable_schema({}) == ""
