"""Whether the arguments of a call fit the tool: by our own schemas and by those of foreign servers.

A foreign JSON schema is text from a stranger: it is never fetched from anywhere, its patterns run
against a clock, and a check that takes too many steps ends.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import regex
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import SchemaError, UnknownType
from jsonschema.protocols import Validator
from jsonschema.validators import extend, validator_for
from langchain_core.tools import BaseTool
from pydantic import BaseModel
from pydantic import ValidationError as ModelValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable

from meetmind.tools.schema_unfolding import unfolding_fault

MOST_SCHEMA_CHARACTERS = 20_000
MOST_SCHEMA_DEPTH = 24
MOST_STEPS = 20_000
MOST_SECONDS = 1.0
MOST_FAULTS = 5
FAULT_CHARACTERS = 200
PATTERN_SECONDS = 0.2
NOT_CHECKED = (
    "patternProperties",
    "uniqueItems",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$dynamicRef",
    "$recursiveRef",
    "format",
)
"""Keywords whose cost nobody can bound from outside; the server still judges what they ask."""

Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]


class _TooManySteps(Exception):
    """The check went on for too long."""


def wrong_arguments(tool: BaseTool, arguments: Mapping[str, Any]) -> str:
    """What is wrong with the arguments, in English for the role; empty when they fit."""
    schema = tool.args_schema
    if isinstance(schema, dict):
        return _wrong_by_json_schema(schema, dict(arguments))
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        return _wrong_by_model(schema, arguments)
    return ""


def unusable_schema(schema: Any) -> str:
    """Why a foreign schema cannot be worked with, in a few English words; empty when it can."""
    if not isinstance(schema, dict) or schema.get("type", "object") != "object":
        return "it does not describe an object"
    if _depth_is_above(schema, MOST_SCHEMA_DEPTH):
        return f"it is nested more than {MOST_SCHEMA_DEPTH} levels deep"
    if len(json.dumps(schema, ensure_ascii=False, default=str)) > MOST_SCHEMA_CHARACTERS:
        return f"it has more than {MOST_SCHEMA_CHARACTERS} characters"
    fault = unfolding_fault(schema)
    if fault:
        return fault
    try:
        validator_for(schema, default=Draft202012Validator).check_schema(schema)
    except (SchemaError, RecursionError, Unresolvable):
        return "it is no valid JSON schema"
    return ""


def _wrong_by_model(model: type[BaseModel], arguments: Mapping[str, Any]) -> str:
    try:
        model.model_validate(dict(arguments))
    except ModelValidationError as error:
        faults = error.errors(include_input=False, include_url=False)
        return "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults)
    return ""


def _wrong_by_json_schema(schema: dict[str, Any], arguments: dict[str, Any]) -> str:
    unusable = unusable_schema(schema)
    if unusable:
        return f"the tool's own description of its arguments cannot be used: {unusable}"
    faults: list[str] = []
    try:
        for fault in _bounded_validator(schema).iter_errors(arguments):
            faults.append(_fault_text(fault))
            if len(faults) == MOST_FAULTS:
                break
    except (_TooManySteps, RecursionError):
        return "the tool's own description of its arguments takes too long to check"
    except (Unresolvable, UnknownType, TypeError, ValueError, KeyError, AttributeError):
        return "the tool's own description of its arguments cannot be followed"
    return "; ".join(faults)


def _fault_text(fault: ValidationError) -> str:
    place = ".".join(str(part) for part in fault.absolute_path)
    message = fault.message
    if len(message) > FAULT_CHARACTERS:
        message = message[: FAULT_CHARACTERS - 1] + "…"
    return f"{place}: {message}" if place else message


def _bounded_validator(schema: dict[str, Any]) -> Validator:
    """A validator of the schema's own draft that counts its steps and never fetches."""
    draft: Any = validator_for(schema, default=Draft202012Validator)
    end = time.monotonic() + MOST_SECONDS
    steps = iter(range(MOST_STEPS))
    keywords = {}
    for name, keyword in draft.VALIDATORS.items():
        keywords[name] = _counted(_tamed(name, keyword), steps, end)
    bounded: Any = extend(draft, keywords)
    return cast("Validator", bounded(schema, registry=Registry()))


def _counted(keyword: Keyword, steps: Iterator[int], end: float) -> Keyword:
    """The keyword, which gives up when all together took too many steps or too much time."""

    def counting(
        validator: Any, value: Any, instance: Any, schema: Any
    ) -> Iterator[ValidationError]:
        if next(steps, None) is None or time.monotonic() > end:
            raise _TooManySteps
        yield from keyword(validator, value, instance, schema) or ()

    return counting


def _tamed(name: str, keyword: Keyword) -> Keyword:
    if name in NOT_CHECKED:
        return _always_fits
    if name == "pattern":
        return _pattern_within_time
    if name == "additionalProperties":
        return _additional_without_patterns(keyword)
    return keyword


def _always_fits(validator: Any, value: Any, instance: Any, schema: Any) -> None:
    return None


def _additional_without_patterns(keyword: Keyword) -> Keyword:
    """The library would match every name against the schema's patterns, without a clock."""

    def additional(
        validator: Any, value: Any, instance: Any, schema: Any
    ) -> Iterator[ValidationError]:
        if "patternProperties" not in schema:
            yield from keyword(validator, value, instance, schema) or ()

    return additional


def _pattern_within_time(
    validator: Any, pattern: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    """As the library's own keyword; a pattern that is broken asks nothing."""
    if not isinstance(instance, str):
        return
    try:
        fits = regex.search(pattern, instance, timeout=PATTERN_SECONDS) is not None
    except TimeoutError:
        raise _TooManySteps from None
    except regex.error:
        return
    if not fits:
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _depth_is_above(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        below: list[Any] = []
        for entry in level:
            if isinstance(entry, dict):
                below.extend(entry.values())
            elif isinstance(entry, list):
                below.extend(entry)
        if not below:
            return False
        level = below
    return True
