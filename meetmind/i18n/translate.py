"""Texts for people, in English and Chinese, out of one catalogue file a language."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal, get_args

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
FALLBACK_LANGUAGE: Language = "en"


def translate(key: str, language: str, **values: str | int | float) -> str:
    """The text of `section.name` in `language`, its `{placeholders}` filled with `values`.

    An unknown language is read as English and an unknown key as itself, so that a page never
    breaks over a missing text; the tests compare the two catalogues key by key.
    """
    texts = catalogue(as_language(language))
    text = texts.get(key)
    if text is None:
        return key
    if not values:
        return text
    return text.format_map(_Values(values))


def has_text(key: str) -> bool:
    """Whether the catalogue knows `key`."""
    return key in catalogue(FALLBACK_LANGUAGE)


def as_language(tag: str | None) -> Language:
    """The language to show for a browser's or a person's tag: Chinese for `zh...`, else English."""
    if tag is not None and tag.lower().startswith("zh"):
        return "zh"
    return FALLBACK_LANGUAGE


@cache
def catalogue(language: Language) -> dict[str, str]:
    """Every text of a language by its dotted key."""
    path = Path(__file__).parent / f"{language}.toml"
    sections = tomllib.loads(path.read_text(encoding="utf-8"))
    text_by_key: dict[str, str] = {}
    for section, texts in sections.items():
        for name, text in texts.items():
            text_by_key[f"{section}.{name}"] = text
    return text_by_key


class _Values(dict[str, str | int | float]):
    """Leaves a placeholder that nobody filled as it stands."""

    def __missing__(self, name: str) -> str:
        return "{" + name + "}"
