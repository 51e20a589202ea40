"""Which kinds of content are read as a page, and what the server says of their charset."""

from meetmind.errors import ToolError

HTML_TYPES = frozenset(("text/html", "application/xhtml+xml"))
PLAIN_TYPES = frozenset(
    (
        "text/plain", "text/markdown", "text/x-markdown", "text/csv",
        "application/json", "text/json", "application/xml", "text/xml",
    )
)  # fmt: skip
PLAIN_TYPE_ENDINGS = ("+json", "+xml")


def read_type(header: str) -> tuple[str, str]:
    """The type in a `Content-Type` header and the charset, where it names one; both lower-case.

    Raises `ToolError` for what is not read as a text.
    """
    content_type, *parameters = header.lower().split(";")
    content_type = content_type.strip()
    if not _is_read(content_type):
        raise ToolError(
            f"The address holds {content_type or 'something without a type'}, not a text that is "
            "read here: HTML, plain text, Markdown, JSON, XML or CSV. Use another page.",
            reason="content_type",
        )
    charset = ""
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "charset":
            charset = value.strip(" \t\"'")
    return content_type, charset


def _is_read(content_type: str) -> bool:
    if content_type in HTML_TYPES or content_type in PLAIN_TYPES:
        return True
    return content_type.startswith("application/") and content_type.endswith(PLAIN_TYPE_ENDINGS)
