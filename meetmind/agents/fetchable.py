"""Which web addresses a discussion may fetch: those that the person wrote or a tool returned."""

import asyncio
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from meetmind.agents.run_context import RunContext
from meetmind.database.call_outcomes import SessionResults
from meetmind.database.messages import PERSON, MessageRow
from meetmind.errors import PathRefused
from meetmind.tools.path_auth import checked_parts
from meetmind.tools.web.known_addresses import gives_address, sign_of_host

UNKNOWN_ADDRESS = (
    "Only an address that the person wrote, or that a tool returned in this discussion, may be "
    "fetched, exactly as it stands there. Name the page that is missing instead."
)


async def may_fetch(context: RunContext, url: str) -> bool:
    """Whether the very address stands in the person's words or in what a tool brought home."""
    messages = await context.log.messages()
    words = [context.memory, *_words_of_the_person(messages)]
    if await asyncio.to_thread(_some_give, words, url):
        return True
    results = await context.ledger.session_results(sign_of_host(url))
    return await asyncio.to_thread(was_returned, results, url)


def _words_of_the_person(messages: Sequence[MessageRow]) -> Iterator[str]:
    for message in messages:
        if message.author == PERSON:
            yield message.content


def _some_give(texts: Sequence[str], url: str) -> bool:
    return any(gives_address(text, url) for text in texts)


def was_returned(results: SessionResults, url: str) -> bool:
    """Whether the address stands in the evidence of a tool.

    What the call itself held does not count, and neither do files that a role wrote: otherwise a
    role could have its own address returned to it.
    """
    written_files = {_file_of(path) for path in results.written_paths}
    for row in results.rows:
        if not _evidence_gives(row.evidence, url, written_files):
            continue
        request = json.dumps(row.request, ensure_ascii=False)
        if not gives_address(request, url):
            return True
    return False


def _evidence_gives(
    evidence: Sequence[Mapping[str, Any]], url: str, written_files: Collection[str]
) -> bool:
    for item in evidence:
        source = str(item["source"])
        if item.get("kind") == "file" and _file_of(source) in written_files:
            continue
        if gives_address(f"{source}\n{item['content']}", url):
            return True
    return False


def _file_of(path: str) -> str:
    """One spelling for all spellings of a path of the workspace.

    Some file systems do not tell upper-case from lower-case. What no role can write stays as it is.
    """
    try:
        return "/".join(checked_parts(path)).casefold()
    except PathRefused:
        return path
