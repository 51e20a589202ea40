"""How a tool call ended, in the reader's language: tools speak English, for they speak to roles."""

import re
from collections.abc import Mapping

from meetmind.i18n.translate import has_text, translate

SHAPE_BY_TOOL = {
    "Read": re.compile(r".*, lines? (?P<first>\d+)(?:-(?P<last>\d+))? of (?P<count>\d+)", re.S),
    "Write": re.compile(r".* \((?P<count>\d+) bytes\)", re.S),
    "list_dir": re.compile(r".* \((?P<count>\d+)\)", re.S),
    "glob": re.compile(r".* \((?P<count>\d+) files\)", re.S),
    "grep": re.compile(r".* \((?P<count>\d+) in (?P<files>\d+) files\)", re.S),
    "list_processes": re.compile(r"(?P<shown>\d+) of (?P<count>\d+) processes"),
    "skill": re.compile(r"(?P<count>\d+) skills"),
}
"""The lines in which tools tell of a good result; what the call is about is told beside them."""
STATUS_CODE = re.compile(r"status_(?P<status>\d{3})")
MISFIT = re.compile(r"(?:^|; )([A-Za-z_]\w*)[\w.]*: ")
"""Names the argument in each part of `path: Field required; limit.0: Input should be ...`."""
PLACE = re.compile(r"(?P<unit>lines?|characters) (?P<places>\d+(?:-\d+)?(?:, \d+)*)")
"""Where in a file or a page a tool has read, such as `lines 3, 17` or `characters 1-4000`."""
TOLD_BY_DECISION = ("rejected", "expired")
"""Codes of calls that never ran, since a person or the clock said no."""


def result_text(tool: str, summary: str, language: str) -> str:
    """One line on a good result in `language`; names, paths and foreign words stay as they are."""
    shape = SHAPE_BY_TOOL.get(tool)
    told = None if shape is None else shape.fullmatch(summary)
    if told is None:
        return summary
    values = {name: value or told["first"] for name, value in told.groupdict().items()}
    is_one = values["count"] == "1" and has_text(f"result.{tool}_one")
    return translate(f"result.{tool}_one" if is_one else f"result.{tool}", language, **values)


def place_text(locator: str, language: str) -> str:
    """Where a tool has read, in `language`; a place of another shape stays as it is."""
    place = PLACE.fullmatch(locator)
    if place is None:
        return locator
    separator = translate("unit.list_separator", language)
    places = place["places"].replace(", ", separator)
    return translate(f"result.place_{place['unit']}", language, places=places)


def failure_text(error_code: str, language: str) -> str:
    """Why a call did not go well, in one sentence; a general one where the code is not known."""
    answered = STATUS_CODE.fullmatch(error_code)
    if answered is not None:
        return translate("refusal.bad_status", language, status=answered["status"])
    key = f"refusal.{error_code}"
    return translate(key if has_text(key) else "refusal.failed", language)


def refused_text(details: Mapping[str, str | int | float], language: str) -> str:
    """Why changed arguments cannot run, by the details of an `ArgumentsRefused`."""
    reason = details.get("reason")
    if reason is None or reason == "bad_arguments":
        misfits = MISFIT.findall(str(details.get("problem", "")))
        if misfits:
            separator = translate("unit.list_separator", language)
            names = separator.join(dict.fromkeys(misfits))
            return translate("refusal.wrong_fields", language, names=names)
    key = f"refusal.{reason}"
    return translate(key if has_text(key) else "error.arguments_refused", language)
