"""The process in which one page is read: `page_text_child <bytes of memory> <charset>`.

The page comes on standard input, title and text go as JSON to standard output. It knows no
settings, no database and no network, and may use only so much memory.
"""

import json
import re
import sys

import trafilatura

from meetmind.errors import ToolError
from meetmind.knowledge.child_memory import limit_memory
from meetmind.tools.web.page_encoding import decoded_page

MOST_CHARACTERS_SENT = 1_000_000
NOT_SHOWN = (
    "//*[@hidden or @aria-hidden='true'"
    " or contains(translate(@style, 'DISPLAYNOE ', 'displaynoe'), 'display:none')"
    " or contains(translate(@style, 'VISBLTYHDEN ', 'visbltyhden'), 'visibility:hidden')]"
)
"""A person who looks at the page does not see these: a role must not obey them."""
XML_DECLARATION = re.compile(r"\A\s*<\?xml[^>]{0,200}\?>")
"""Names the encoding of bytes that are decoded already."""


def main() -> None:
    """Read one page and answer."""
    limit_memory(int(sys.argv[1]))
    raw = sys.stdin.buffer.read()
    answer = _answer(raw, sys.argv[2])
    sys.stdout.write(json.dumps(answer))


def _answer(raw: bytes, charset: str) -> dict[str, str]:
    try:
        html = decoded_page(raw, charset)
    except ToolError as error:
        return {"fault": str(error)}
    title, text = _title_and_text(html)
    return {"title": title, "text": text[:MOST_CHARACTERS_SENT]}


def _title_and_text(html: str) -> tuple[str, str]:
    """The main text; all the text of a page in which no main text is found.

    Plain text, since Markdown would put backslashes into names and addresses.
    """
    tree = trafilatura.load_html(XML_DECLARATION.sub("", html))
    if tree is None:
        return "", ""
    title = tree.findtext(".//title") or ""
    for hidden in tree.xpath(NOT_SHOWN):
        if hidden.getparent() is not None:
            hidden.drop_tree()
    main_text = trafilatura.extract(
        tree,
        output_format="txt",
        include_comments=False,
        include_tables=True,
    )
    return title, main_text or trafilatura.html2txt(tree)


if __name__ == "__main__":
    main()
