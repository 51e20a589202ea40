"""How far a foreign JSON schema unfolds when its references are followed.

Before a schema goes to a model, every `$ref` in it is replaced by what it refers to. A short text
can unfold to billions of parts that way, so it is measured first and refused beyond a bound.
"""

from typing import Any

MOST_PARTS = 5_000
MOST_REFERENCES_IN_A_ROW = 30


def unfolding_fault(schema: dict[str, Any]) -> str:
    """Why the references of a schema cannot be followed, in English; empty when they can."""
    waiting: list[tuple[Any, frozenset[str]]] = [(schema, frozenset())]
    for _ in range(MOST_PARTS):
        if not waiting:
            return ""
        part, followed = waiting.pop()
        if isinstance(part, list):
            waiting.extend((entry, followed) for entry in part)
            continue
        if not isinstance(part, dict):
            continue
        waiting.extend((entry, followed) for entry in part.values())
        reference = part.get("$ref")
        if not isinstance(reference, str) or reference in followed:
            continue
        if not reference.startswith("#"):
            return "it refers to a text outside itself"
        if len(followed) == MOST_REFERENCES_IN_A_ROW:
            return "its references go too deep"
        target = _target_of(schema, reference)
        if target is None:
            return "it refers to a part that is not there"
        waiting.append((target, followed | {reference}))
    return f"it unfolds to more than {MOST_PARTS} parts"


def _target_of(schema: dict[str, Any], reference: str) -> Any:
    """The part that a JSON pointer (RFC 6901) names; None when there is none."""
    target: Any = schema
    for step in reference.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(target, dict) or name not in target:
            return None
        target = target[name]
    if "/" not in reference and reference != "#":
        return None
    return target
