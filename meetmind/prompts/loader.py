"""Loads prompt texts: one Markdown file a prompt, with `$name` placeholders."""

from functools import cache
from pathlib import Path
from string import Template

PROMPTS_FOLDER = Path(__file__).resolve().parent


def load_prompt(prompt: str, /, **values: str) -> str:
    """The text of `<prompt>.md` with every placeholder filled.

    Raises `KeyError` for a placeholder without a value and `ValueError` for a value without a
    placeholder, so that a prompt and its caller cannot drift apart.
    """
    template = _template(prompt)
    unknown = set(values) - set(template.get_identifiers())
    if unknown:
        raise ValueError(f"prompt {prompt} has no placeholder for {sorted(unknown)}")
    return template.substitute(values).strip()


@cache
def _template(name: str) -> Template:
    path = PROMPTS_FOLDER / f"{name}.md"
    return Template(path.read_text(encoding="utf-8"))


def section(name: str, text: str, **attributes: str) -> str:
    """`text` inside a marked section `<name ...>`; text cannot close the section from inside."""
    opening = name
    for key, value in attributes.items():
        quoted = value.replace('"', "'").replace("<", " ").replace(">", " ").replace("\n", " ")
        opening += f' {key}="{quoted}"'
    return f"<{opening}>{harmless(text)}</{name}>"


def harmless(text: str) -> str:
    """Text that cannot close the section it stands in."""
    return text.replace("</", "<\\/")
