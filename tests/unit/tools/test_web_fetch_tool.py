"""`web_fetch` returns the text of a page as evidence of its final address."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from meetmind.errors import AddressRefused, ToolError
from meetmind.tools.argument_check import wrong_arguments
from meetmind.tools.web.known_addresses import gives_address
from meetmind.tools.web_fetch_tool import LONGEST_PIECE, MOST_PIECES, web_fetch_tool
from meetmind.tools.workbench import Workbench
from tests.support.net_world import PUBLIC_IPV4, NetWorld
from tests.support.web_pages import Reply, html, redirect

SENTENCE = "A bike can be returned within seven days, provided that it is clean. "


def fetched(url: str, pages: Mapping[str, Reply], workspace: Path) -> dict[str, Any]:
    async def run() -> str:
        answers = {"shop.example": [[PUBLIC_IPV4]], "inner.example": [["10.0.0.1"]]}
        async with NetWorld(pages, answers) as world:
            bench = Workbench(
                agent_name="architect",
                search=lambda *_: pytest.fail("nobody searches here"),
                search_slots=asyncio.Semaphore(1),
                expansion_terms=(),
                workspace=workspace,
                net=world.authority(),
            )
            answer: str = await web_fetch_tool.ainvoke(
                {"url": url, "why": "To see the rules."}, {"configurable": {"workbench": bench}}
            )
            return answer

    envelope: dict[str, Any] = json.loads(asyncio.run(run()))
    return envelope


def test_the_tool_asks_a_person_first() -> None:
    assert web_fetch_tool.name == "web_fetch"
    assert web_fetch_tool.metadata == {"risk": "medium"}


def test_a_page_becomes_evidence_of_its_final_address(tmp_path: Path) -> None:
    page = html(f"<html><title>Refunds</title><body><p>{SENTENCE * 5}</p></body></html>")
    envelope = fetched("http://shop.example/", {"/": redirect("/a#b"), "/a": page}, tmp_path)
    assert envelope["status"] == "ok"
    told = envelope["data"]
    assert told["title"] == "Refunds"
    assert told["url"] == "http://shop.example/"
    assert told["final_url"] == "http://shop.example/a"
    assert told["text"] == (SENTENCE * 5).strip()
    assert told["characters"] == len(told["text"])
    (evidence,) = envelope["evidence"]
    assert evidence["kind"] == "page"
    assert evidence["source"] == "http://shop.example/a"
    assert evidence["content"] == told["text"]
    assert evidence["language"] == "en"
    assert evidence["passage_id"].startswith("page_")
    assert len(evidence["passage_id"]) == len("page_") + 12


def test_a_long_page_is_cut_with_a_word_about_it(tmp_path: Path) -> None:
    numbered = "".join(f"{number}. {SENTENCE}" for number in range(1_000))
    page = html(numbered, "text/plain")
    envelope = fetched("http://shop.example/", {"/": page}, tmp_path)
    pieces = [each["content"] for each in envelope["evidence"]]
    shown, note = envelope["data"]["text"].split("\n\n[")
    assert len(pieces) == MOST_PIECES
    assert all(len(piece) <= LONGEST_PIECE for piece in pieces)
    assert all(piece.endswith(". ") for piece in pieces[:-1])
    assert "".join(pieces) == shown
    assert 18_000 <= len(shown) <= 20_000
    left_out = envelope["data"]["characters"] - len(shown)
    assert note == f"The page goes on: {left_out} more characters were left out.]"
    assert [each["rank"] for each in envelope["evidence"]] == [1, 2, 3, 4, 5]
    assert len({each["passage_id"] for each in envelope["evidence"]}) == MOST_PIECES


def test_a_page_that_leads_to_another_host_gives_that_address_and_nothing_of_it(
    tmp_path: Path,
) -> None:
    target = "http://other.example/Washington,_D.C."
    envelope = fetched("http://shop.example/", {"/": redirect(target)}, tmp_path)
    assert (envelope["status"], envelope["data"]["redirects_to"]) == ("ok", target)
    assert "call web_fetch with that very address" in envelope["data"]["text"]
    (evidence,) = envelope["evidence"]
    assert (evidence["kind"], evidence["source"]) == ("page", "http://shop.example/")
    assert gives_address(evidence["content"], target)
    assert envelope["request"] == {"url": "http://shop.example/"}


def test_the_reason_for_a_fetch_is_bounded() -> None:
    url = "https://shop.example/"
    assert wrong_arguments(web_fetch_tool, {"url": url, "why": "x" * 1_000}) == ""
    assert wrong_arguments(web_fetch_tool, {"url": url, "why": "x" * 1_001})


def test_a_page_of_the_inner_network_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(AddressRefused, match="Use a public page"):
        fetched("http://inner.example/", {"/": html("x")}, tmp_path)
    with pytest.raises(ToolError, match="status 404"):
        fetched("http://shop.example/none", {}, tmp_path)
