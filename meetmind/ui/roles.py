"""How the speakers look: a colour of the theme, a drawn sign and a title."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from meetmind.ui.language import known_text
from meetmind.ui.safe_text import safe_label

Colour = Literal["violet", "blue", "green", "orange", "red", "gray"]
PERSON = "person"
SIGNS_FOLDER = Path(__file__).parent / "signs"


@dataclass(frozen=True, kw_only=True)
class Look:
    """The colour of a speaker: its name in the theme, the tone of the drawn sign, a small icon."""

    colour: Colour
    tone: str
    icon: str = ":material/person:"


LOOKS: dict[str, Look] = {
    "architect": Look(colour="violet", tone="#6d4fc4", icon=":material/architecture:"),
    "backend": Look(colour="blue", tone="#2767b0", icon=":material/database:"),
    "frontend": Look(colour="green", tone="#22804f", icon=":material/web_asset:"),
    "tester": Look(colour="orange", tone="#b8650b", icon=":material/verified_user:"),
    "product_manager": Look(colour="red", tone="#c0355a", icon=":material/flag:"),
    "assistant": Look(colour="gray", tone="#1f5c57"),
    PERSON: Look(colour="gray", tone="#5d6763"),
}
UNKNOWN = Look(colour="gray", tone="#5d6763")


def look_of(agent_name: str) -> Look:
    """The look of a speaker; a plain one for a name that nobody knows."""
    return LOOKS.get(agent_name, UNKNOWN)


@cache
def sign_of(agent_name: str) -> str:
    """The speaker's sign as an SVG: a white drawing on a rounded square in the speaker's colour."""
    name = agent_name if agent_name in LOOKS else PERSON
    drawing = (SIGNS_FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    return drawing.replace("currentColor", look_of(agent_name).tone).strip()


def role_title(agent_name: str) -> str:
    """The speaker's title in the current language, safe inside Markdown."""
    return safe_label(known_text("role", agent_name))


def coloured_title(agent_name: str) -> str:
    """The title in bold and in the speaker's colour, as Markdown."""
    return f":{look_of(agent_name).colour}[**{role_title(agent_name)}**]"
