"""Which web addresses a discussion may fetch: those that the person wrote or a tool returned."""

import json
from collections.abc import Iterator, Sequence

from meetmind.agents.run_context import RunContext
from meetmind.database.messages import PERSON, MessageRow
from meetmind.database.tool_executions import ToolResultRow
from meetmind.tools.effects import FILE_TOOLS
from meetmind.tools.envelope import Envelope
from meetmind.tools.web.known_addresses import addresses_in, is_known

UNKNOWN_ADDRESS = (
    "Only an address that the person wrote, or that a tool returned in this discussion, may be "
    "fetched, exactly as it stands there. Name the page that is missing instead."
)


async def may_fetch(context: RunContext, url: str) -> bool:
    """Whether the very address stands in the person's words or in what a tool brought home."""
    messages = await context.log.messages()
    results = await context.ledger.session_results()
    known = addresses_in(context.memory)
    for text in _words_of_the_person(messages):
        known |= addresses_in(text)
    known |= returned_addresses(results)
    return is_known(url, known)


def _words_of_the_person(messages: Sequence[MessageRow]) -> Iterator[str]:
    for message in messages:
        if message.author == PERSON:
            yield message.content


def returned_addresses(results: Sequence[ToolResultRow]) -> set[str]:
    """The addresses in the evidence of tools.

    What the call itself held does not count, and neither do files that a role wrote: otherwise a
    role could have its own address returned to it.
    """
    written_paths = _written_paths(results)
    returned: set[str] = set()
    for row in results:
        envelope = Envelope.model_validate(row.result)
        asked = addresses_in(json.dumps(envelope.request, ensure_ascii=False))
        for item in envelope.evidence:
            if item.kind == "file" and item.source in written_paths:
                continue
            found = addresses_in(f"{item.source}\n{item.content}")
            returned |= {address for address in found if not is_known(address, asked)}
    return returned


def _written_paths(results: Sequence[ToolResultRow]) -> set[str]:
    paths: set[str] = set()
    for row in results:
        if row.tool in FILE_TOOLS:
            paths.add(str(row.result.get("request", {}).get("path", "")))
    return paths
