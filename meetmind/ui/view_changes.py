"""Changes one part of a run's view and leaves the rest as it is; pure functions only."""

from collections.abc import Callable
from dataclasses import replace

from meetmind.ui.run_view import RunView, Said, Step, Utterance

UtteranceChange = Callable[[Utterance], Utterance]
StepChange = Callable[[Step], Step]
SaidChange = Callable[[Said], Said]


def utterance_of(view: RunView, utterance_id: str) -> Utterance | None:
    """The turn of this id; None before it has begun."""
    for item in view.items:
        if isinstance(item, Utterance) and item.id == utterance_id:
            return item
    return None


def change_utterance(view: RunView, utterance_id: str, change: UtteranceChange) -> RunView:
    """The view with one turn changed."""
    items = list(view.items)
    for position, item in enumerate(items):
        if isinstance(item, Utterance) and item.id == utterance_id:
            items[position] = change(item)
    return replace(view, items=tuple(items))


def change_step(view: RunView, call_id: str, change: StepChange) -> RunView:
    """The view with one call changed."""
    items = list(view.items)
    for position, item in enumerate(items):
        if isinstance(item, Utterance):
            steps = tuple(change(step) if step.call_id == call_id else step for step in item.steps)
            items[position] = replace(item, steps=steps)
    return replace(view, items=tuple(items))


def change_said(view: RunView, change: SaidChange) -> RunView:
    """The view with what people said changed."""
    items = tuple(change(item) if isinstance(item, Said) else item for item in view.items)
    return replace(view, items=items)
