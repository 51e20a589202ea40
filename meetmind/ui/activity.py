"""What a run is doing, or was doing when it was cut off, in a few words."""

from typing import Literal

from meetmind.ui.language import text
from meetmind.ui.roles import role_title
from meetmind.ui.run_view import RunView


def activity_text(section: Literal["talk", "cut_off"], view: RunView) -> str:
    """The activity with its role, as this section of the text catalogue words it."""
    last = view.floor_holder
    if last is None:
        return text(f"{section}.{view.activity}")
    return text(f"{section}.{view.activity}", role=role_title(last.agent_name))
