"""Texts that would make a page fetch something foreign, each with a host that names its place."""

FORMS = {
    "short image": "![](//{host})",
    "image": "![x](http://{host}/i.png)",
    "angled image": '![x](<http://{host}/i.png> "t")',
    "spelled image": "![x](http&#58;//{host}/i.png)",
    "backslash image": "![x](\\\\\\\\{host}/i.png)",
    "linked image": "[![x](http://{host}/i.png)](http://{host}/l)",
    "nested brackets": "![a [b ![x](http://{host}/i.png) c]](http://{host}/j.png)",
    "escaped bracket": "\\\\![x](http://{host}/i.png)",
    "bold image": "**so：**![x](http://{host}/i.png)**",
    "quoted heading": "> # ![x](http://{host}/i.png)",
    "list item": "1. - ![x](http://{host}/i.png)",
    "reference image": "![x][{host}]\n\n[{host}]: http://{host}/i.png",
    "footnote": "x[^{host}]\n\n[^{host}]: ![x](http://{host}/i.png)",
    "directive": ":red[![x](http://{host}/i.png)]",
    "badge": ":gray-badge[![x](http://{host}/i.png)]",
    "icon": ":material/http://{host}/i.png: ![x](http://{host}/i.png)",
    "table": "| a | b |\n|---|---|\n| ![x](http://{host}/i.png) | $5 |",
    "aligned table": "| a | b |\n|:--|:-:|\n| ![x](http://{host}/i.png) | $10 |",
    "data address": (
        "![x](data:image/svg+xml,%3Csvg%3E%3Cimage%20href='http://{host}/i'/%3E%3C/svg%3E)"
    ),
    "script address": "[x](javascript:fetch('http://{host}/i'))",
    "autolinks": "<http://{host}/a> http://{host}/b www.{host} a@{host}",
    "formula": "$\\includegraphics{{http://{host}/i.png}}$ $\\href{{http://{host}}}{{x}}$",
    "style": "background:url(http://{host}/i.png)",
    "HTML image": '<img src="http://{host}/i.png" onerror="fetch(\'http://{host}/e\')">',
    "HTML script": '<script src="http://{host}/s.js"></script>',
    "HTML frame": '<iframe src="http://{host}/f"></iframe>',
    "HTML drawing": '<svg><image href="http://{host}/i"/><use href="http://{host}/u#x"/></svg>',
    "HTML style": (
        '<link rel="stylesheet" href="http://{host}/c"><style>@import "http://{host}/d";</style>'
    ),
    "HTML refresh": '<meta http-equiv="refresh" content="0;url=http://{host}/m">',
    "HTML media": (
        '<video src="http://{host}/v" poster="http://{host}/p"></video>'
        '<object data="http://{host}/o"></object>'
    ),
    "after code": "~~~\ncode\n```\n~~~\n![x](http://{host}/i.png)",
}
DOMAIN = "c.test"
FIRST = next(iter(FORMS))
"""Stands first in every text and is short enough for titles that are cut."""


def host_of(place: str, form: str) -> str:
    """The host that a form at a place would ask, such as `title-03.c.test`."""
    number = list(FORMS).index(form)
    return f"{place}-{number:02d}.{DOMAIN}"


def hostile_text(place: str) -> str:
    """Every form below each other; `place` is a short name of small letters and digits."""
    parts = [template.format(host=host_of(place, form)) for form, template in FORMS.items()]
    return "\n\n".join([*parts, f"{place} costs $5 and $10"])


def hostile_line(place: str) -> str:
    """The first forms, for a name of at most 120 signs."""
    parts: list[str] = []
    for form in (FIRST, "directive", "HTML frame"):
        parts.append(FORMS[form].format(host=host_of(place, form)))
    return " ".join(parts)


def hostile_file_name(place: str) -> str:
    """An image as the name of a file, in which no slash can stand."""
    return f"![x](https:{host_of(place, FIRST)})"
