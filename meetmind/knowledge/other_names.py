"""Aliases: a question with one name of a thing is searched with its other names too."""

import re
from collections.abc import Iterable

from meetmind.database.aliases import Alias
from meetmind.knowledge.words import normalise


def other_names(text: str, aliases: Iterable[Alias]) -> list[str]:
    """The names that are not in the text and mean something that is, in the order of `aliases`."""
    plain = normalise(text)
    names: list[str] = []
    for alias in aliases:
        has_name = _stands_in(plain, alias.name)
        has_alias = _stands_in(plain, alias.alias)
        if has_name and not has_alias:
            names.append(alias.alias)
        elif has_alias and not has_name:
            names.append(alias.name)
    return list(dict.fromkeys(names))


def _stands_in(plain_text: str, name: str) -> bool:
    """Whether the name stands there, as whole words where it begins or ends with a Latin letter."""
    plain_name = normalise(name).strip()
    if not plain_name:
        return False
    before = r"(?<![a-z0-9])" if plain_name[0].isascii() else ""
    after = r"(?![a-z0-9])" if plain_name[-1].isascii() else ""
    return re.search(before + re.escape(plain_name) + after, plain_text) is not None
