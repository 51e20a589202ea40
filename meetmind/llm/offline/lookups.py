"""What a role looks up before it speaks, and the architect's wish to write the summary."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from meetmind.llm.offline.answering import narrower_queries
from meetmind.llm.offline.asking import ASK_PERSON, has_asked, names_no_subject
from meetmind.llm.offline.brought_calls import brought_calls, calls_after_brought
from meetmind.llm.offline.closing import closing_of
from meetmind.llm.offline.persons_words import words_to_look_for
from meetmind.llm.offline.points import enumerated_items
from meetmind.llm.offline.quantities import quantities_in
from meetmind.llm.offline.quotes import SaidQuote, kind_of
from meetmind.llm.offline.relevance import Rarity, match, ranked_coverage, rarity_among
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.rules import rule_clauses
from meetmind.llm.offline.sentences import sentences_of
from meetmind.llm.offline.skill_wishes import SKILL, wanted_skill
from meetmind.llm.offline.small_talk import small_talk_of
from meetmind.llm.offline.summary import summary_markdown, summary_path
from meetmind.llm.offline.translation import in_the_other_language
from meetmind.llm.offline.turn_order import open_point_index
from meetmind.llm.offline.wanted_call import WantedCall, plain_form
from meetmind.llm.prompt_sections import PromptSections
from meetmind.llm.tool_envelopes import PromptPassage

ASSISTANT = "assistant"
SEARCH = "rag_search"
WRITE = "Write"
MOST_CALLS = 22
"""Below what the program allows a turn, with room for a Write."""
MOST_CLAIMS_CHECKED = 2
MOST_TRANSLATIONS = 3
MOST_RULES_CHECKED = 5
FOUND_AGAIN_SHARE = 0.2
LONGEST_QUERY = 400


def wanted_calls(sections: PromptSections, tools: Sequence[str]) -> list[WantedCall]:
    """The calls of the next round; none when the role has what it needs."""
    room = Room(sections)
    is_first_round = not sections.asked_calls
    if room.me == ASSISTANT:
        wanted = _assistant_calls(room) if is_first_round else [*calls_after_brought(room)]
        return _fresh(wanted, sections, tools)
    if is_first_round:
        question = _question_to_person(room, tools)
        return question or _fresh(_first_round(room), sections, tools)
    if has_asked(sections) and len(sections.asked_calls) == 1:
        return _fresh(_first_round(room), sections, tools)
    if room.is_closing:
        already_asked = any(call.tool == WRITE for call in sections.asked_calls)
        return [] if already_asked else _write_call(room, tools)
    if room.is_opening:
        return _fresh([*calls_after_brought(room)], sections, tools)
    if room.is_reply or _checks_are_done(sections):
        return []
    return _fresh(_checks_of_my_rules(room), sections, tools)


def _question_to_person(room: Room, tools: Sequence[str]) -> list[WantedCall]:
    """What the brief is about, where it does not say so and brings nothing to read either."""
    if not room.is_opening or ASK_PERSON not in tools or room.sections.files:
        return []
    if not names_no_subject(room.sections.question or room.sections.brief):
        return []
    arguments = {
        "question": room.voice.text("asking", "question"),
        "choices": [],
        "why": room.voice.text("asking", "why"),
    }
    return [WantedCall(tool=ASK_PERSON, arguments=arguments)]


def _first_round(room: Room) -> list[WantedCall]:
    """What the person said goes first, then what the turn is about."""
    said = [_search(words) for words in words_to_look_for(room)]
    return [*said, *_first_round_on_points(room)]


def _first_round_on_points(room: Room) -> list[WantedCall]:
    if room.is_opening:
        return [*brought_calls(room), *_opening_searches(room)]
    if room.is_closing:
        return [*_skill_call(room), *(_search(query) for query in room.queries)]
    if room.is_reply:
        return _searches_for_a_reply(room)
    searches = [_search(query) for query in room.queries]
    searches.extend(_search(query) for query in _translated_queries(room))
    searches.extend(_search(item) for item in enumerated_items(room.question))
    searches.extend(_search(claim.text) for claim in claims_to_check(room))
    if room.unheard:
        searches.append(_search(room.asked[open_point_index(room)].query, scope="all"))
    return searches


def _opening_searches(room: Room) -> list[WantedCall]:
    """Every table for the brief and for each point, and my own for the same."""
    own = [*room.queries, *_translated_queries(room)]
    everywhere = [_search(query, scope="all") for query in own]
    return [*everywhere, *(_search(query) for query in own)]


def _translated_queries(room: Room) -> list[str]:
    """The points (or the whole brief, where they say too little) in words of the other language."""
    translated = [in_the_other_language(point.query) for point in room.asked]
    found = [query for query in dict.fromkeys(translated) if query]
    whole = in_the_other_language(room.question)
    if whole and not found:
        return [whole]
    return found[:MOST_TRANSLATIONS]


def _searches_for_a_reply(room: Room) -> list[WantedCall]:
    """My own table for what the last speaker set against me, and for the open point."""
    last_turn = len(room.talk) - 1
    against_me = [
        quote
        for quote in room.said
        if quote.turn_index == last_turn and quote.agent_name != room.me
    ]
    searches = [_search(quote.text) for quote in against_me[:MOST_CLAIMS_CHECKED]]
    searches.append(_search(room.question))
    if room.unheard:
        searches.append(_search(room.asked[open_point_index(room)].query, scope="all"))
    return searches


def claims_to_check(room: Room) -> list[SaidQuote]:
    """The most recent quotes of others that set a number or a strong rule, one a speaker."""
    claims: list[SaidQuote] = []
    speakers: set[str] = set()
    for quote in reversed(room.said):
        sets_something = quantities_in(quote.text) or kind_of(quote.text) == "rule"
        if quote.agent_name in (room.me, *speakers) or not sets_something:
            continue
        claims.append(quote)
        speakers.add(quote.agent_name)
    return claims[:MOST_CLAIMS_CHECKED]


def _checks_of_my_rules(room: Room) -> list[WantedCall]:
    """Before I speak, I look whether another table says otherwise on the rules I would bring."""
    found = _passages_found(room.sections)
    own = [passage for passage in found if passage.agent_name == room.me]
    rules = rules_to_check(room, own)
    return [_search(sentence, scope="all") for sentence in rules]


def rules_to_check(room: Room, passages: Sequence[PromptPassage]) -> list[str]:
    """The sentences that set a quantity, nearest to the brief first.

    Behind them stands the best one on each item that the brief enumerates.
    """
    relevant = [item for item in passages if room.is_relevant(item) or room.is_doubtful(item)]
    rarity = rarity_among(f"{passage.title} {passage.content}" for passage in passages)
    times_found = _times_found(room.sections)
    rules = _nearest_rules(relevant, room.queries, rarity, times_found)[:MOST_RULES_CHECKED]
    for item in enumerated_items(room.question):
        on_item = [rule for rule in _rules_naming(item, passages) if rule not in rules]
        rules.extend(on_item[:1])
    return rules


def _nearest_rules(
    passages: Sequence[PromptPassage],
    queries: Sequence[str],
    rarity: Rarity,
    times_found: Mapping[str, int],
) -> list[str]:
    """One rule a passage, ordered by how much of a query it holds and how often it was found."""
    best_by_passage: list[tuple[float, str]] = []
    for passage in passages:
        scored = []
        for sentence in sentences_of(passage.content):
            if rule_clauses(sentence):
                worth = max(ranked_coverage(query, sentence, rarity) for query in queries)
                scored.append((worth, sentence))
        if scored:
            worth, sentence = max(scored)
            often_found = 1 + FOUND_AGAIN_SHARE * times_found.get(passage.passage_id, 0)
            best_by_passage.append((worth * often_found, sentence))
    best_by_passage.sort(reverse=True)
    return [sentence for worth, sentence in best_by_passage if worth > 0]


def _rules_naming(item: str, passages: Sequence[PromptPassage]) -> list[str]:
    """The rules whose very clause names the whole item, the shortest clauses first."""
    ranked: list[tuple[int, str]] = []
    for passage in passages:
        for sentence in sentences_of(passage.content):
            for clause in rule_clauses(sentence):
                if match(item, clause).coverage == 1.0:
                    ranked.append((len(clause), sentence))
    ranked.sort()
    return [sentence for _, sentence in ranked]


def _checks_are_done(sections: PromptSections) -> bool:
    """A second round has been asked for when a later call repeats the order of scopes."""
    return any(_is_check(call.arguments, sections) for call in sections.asked_calls)


def _is_check(arguments: dict[str, Any], sections: PromptSections) -> bool:
    """Whether a search was for a sentence that stands in a passage found before."""
    query = str(arguments.get("query", ""))
    if arguments.get("scope") != "all" or not query:
        return False
    return any(query in passage.content for passage in _passages_found(sections))


def _passages_found(sections: PromptSections) -> list[PromptPassage]:
    passage_by_id: dict[str, PromptPassage] = {}
    for envelope in sections.tool_messages:
        for passage in envelope.evidence:
            if passage.is_of_a_role:
                passage_by_id.setdefault(passage.passage_id, passage)
    return list(passage_by_id.values())


def _times_found(sections: PromptSections) -> Counter[str]:
    """How many searches of this turn have returned a passage, by its id."""
    times: Counter[str] = Counter()
    for envelope in sections.tool_messages:
        times.update({passage.passage_id for passage in envelope.evidence})
    return times


def _write_call(room: Room, tools: Sequence[str]) -> list[WantedCall]:
    closing = closing_of(room)
    if WRITE not in tools or closing.nothing_known:
        return []
    arguments = {
        "path": summary_path(room.question),
        "content": summary_markdown(room, closing),
        "why": room.voice.text("closing", "write_why"),
    }
    return [WantedCall(tool=WRITE, arguments=arguments)]


def _skill_call(room: Room) -> list[WantedCall]:
    """How to write what the brief asks for, before the summary is written."""
    name = wanted_skill(room.sections.brief)
    return [WantedCall(tool=SKILL, arguments={"name": name})] if name else []


def _assistant_calls(room: Room) -> list[WantedCall]:
    if small_talk_of(room.sections.brief) is not None:
        return []
    queries = [*room.queries, *narrower_queries(room.question), *_translated_queries(room)]
    queries = [*words_to_look_for(room), *queries]
    return [*brought_calls(room), *(_search(query) for query in queries)]


def _search(query: str, scope: str = "own") -> WantedCall:
    arguments = {"query": query[:LONGEST_QUERY], "scope": scope}
    return WantedCall(tool=SEARCH, arguments=arguments)


def _fresh(
    calls: Sequence[WantedCall], sections: PromptSections, tools: Sequence[str]
) -> list[WantedCall]:
    """The calls of known tools, none of them twice."""
    fresh: list[WantedCall] = []
    most = MOST_CALLS - len(sections.asked_calls)
    asked = [plain_form(call.tool, call.arguments) for call in sections.asked_calls]
    for call in calls:
        form = plain_form(call.tool, call.arguments)
        if call.tool in tools and form not in asked:
            asked.append(form)
            fresh.append(call)
    return fresh[:most]
