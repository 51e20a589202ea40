"""`web_fetch`: the text of one public web page whose address was given in the discussion."""

import hashlib
import re
from collections.abc import Iterator
from typing import Annotated
from urllib.parse import urlsplit

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from pydantic import BaseModel, ConfigDict, Field

from meetmind.events import PassageEvidence
from meetmind.knowledge.words import detect_language
from meetmind.tools.envelope import Envelope
from meetmind.tools.net_auth import FetchedPage, LeadsElsewhere
from meetmind.tools.web.page_text import PageText, readable_text
from meetmind.tools.workbench import current_workbench

MOST_PIECES = 5
LONGEST_PIECE = 4_000
CUT_WINDOW = 400
"""How far before its longest a piece may end where a line or a sentence does."""
GOOD_END = re.compile(r".*(?:\n|[.!?] |[。！？])", re.DOTALL)


class WebFetchArguments(BaseModel):
    """Arguments of `web_fetch`."""

    model_config = ConfigDict(extra="ignore")

    url: Annotated[str, Field(min_length=1, max_length=2_000)] = Field(
        description="The address of the page, exactly as a person wrote it or a tool returned it."
    )
    why: Annotated[str, Field(max_length=1000)] = Field(
        default="", description="Why the page is wanted, in one sentence."
    )


@tool("web_fetch", args_schema=WebFetchArguments)
async def web_fetch_tool(url: str, config: RunnableConfig, why: str = "") -> str:
    """Read the text of a public web page whose address somebody gave. A person must approve it."""
    workbench = current_workbench(config)
    answer = await workbench.net.fetch(url)
    if isinstance(answer, LeadsElsewhere):
        envelope = _redirect_envelope(answer)
    else:
        page_text = await readable_text(answer)
        envelope = _page_envelope(answer, page_text)
    return envelope.to_json()


web_fetch_tool.metadata = {"risk": "medium"}


def _page_envelope(page: FetchedPage, page_text: PageText) -> Envelope:
    title = page_text.title or urlsplit(page.final_url).netloc
    pieces = tuple(_pieces_of(page_text.text))
    return Envelope(
        tool="web_fetch",
        status="ok",
        request={"url": page.url},
        data={
            "title": title,
            "url": page.url,
            "final_url": page.final_url,
            "text": _shown_text(page, page_text, pieces),
            "characters": page_text.characters,
        },
        evidence=_evidence(page.final_url, title, pieces),
        diagnostics={
            "summary": f"{title} ({page.final_url})",
            "redirects": list(page.redirects),
            "bytes": len(page.body),
        },
    )


def _redirect_envelope(leads: LeadsElsewhere) -> Envelope:
    """What a role reads of a page that leads to another host: that address is evidence, no more."""
    source = leads.redirects[-1]
    sentence = f"This page redirects to {leads.target_url}"
    return Envelope(
        tool="web_fetch",
        status="ok",
        request={"url": leads.url},
        data={
            "url": leads.url,
            "redirects_to": leads.target_url,
            "text": f"{sentence}\nThat is another host, so nothing was read. "
            "If the page is wanted, call web_fetch with that very address.",
        },
        evidence=_evidence(source, urlsplit(source).netloc, (sentence,)),
        diagnostics={
            "summary": f"{leads.url} → {leads.target_url}",
            "redirects": list(leads.redirects),
        },
    )


def _pieces_of(text: str) -> Iterator[str]:
    """The beginning of the text in pieces that end with a line or a sentence where they can."""
    start = 0
    for _ in range(MOST_PIECES):
        piece = text[start : start + LONGEST_PIECE]
        if start + len(piece) < len(text):
            good_end = GOOD_END.match(piece, LONGEST_PIECE - CUT_WINDOW)
            piece = piece[: good_end.end()] if good_end else piece
        if not piece:
            return
        yield piece
        start += len(piece)


def _shown_text(page: FetchedPage, page_text: PageText, pieces: tuple[str, ...]) -> str:
    """What the role reads: the pieces, and a word about what was left out."""
    shown = "".join(pieces)
    left_out = page_text.characters - len(shown)
    if left_out > 0:
        return f"{shown}\n\n[The page goes on: {left_out} more characters were left out.]"
    if page.truncated:
        return f"{shown}\n\n[The page was too large to be read to its end.]"
    return shown


def _evidence(source: str, title: str, pieces: tuple[str, ...]) -> tuple[PassageEvidence, ...]:
    evidence: list[PassageEvidence] = []
    start = 0
    for rank, piece in enumerate(pieces, start=1):
        digest = hashlib.sha256(f"{source}{piece}".encode()).hexdigest()
        evidence.append(
            PassageEvidence(
                passage_id=f"page_{digest[:12]}",
                agent_name="",
                title=title,
                source=source,
                locator=f"characters {start + 1}-{start + len(piece)}",
                language=detect_language(piece),
                content=piece,
                rank=rank,
                coverage=1.0,
                kind="page",
            )
        )
        start += len(piece)
    return tuple(evidence)
