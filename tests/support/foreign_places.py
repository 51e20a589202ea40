"""The places of the app where foreign texts are drawn, page by page."""

from functools import partial

from tests.support.foreign_tour import Tour

TALK = ".st-key-talk"
SIDE = ".st-key-side"
POPOVER = "[data-testid=stPopoverBody]"
TOOLTIP = "[data-testid=stTooltipContent]"
DIALOG = "[role=dialog]"
OPTIONS = "[data-testid=stSelectboxVirtualDropdown], [role=listbox]"
TABLE = "[data-testid=stDataFrame]"
CHART = ".js-plotly-plot"
HEAD_HEIGHT = 35
"""Pixels of a row of a table, the head included."""
ROWS = 5


def look_at_discussion(tour: Tour) -> None:
    """The talk and the right column; the page is open already."""
    tour.look("brief", TALK, "brief")
    tour.open_all("talk", TALK)
    tour.rest()
    for place, code in TALK_PLACES.items():
        tour.look(place, TALK, code)
    tour.click("source popover", "[class*=st-key-sources_] button")
    for code in ("evtitle", "evsource", "evlocator", "evterms", "evpath", "evcontent"):
        tour.look(f"cited passage: {code}", POPOVER, code)
    tour.page.keyboard.press("Escape")


TALK_PLACES = {
    "rewritten brief": "rewritten",
    "expansion terms": "expansion",
    "intent": "intent",
    "rung": "rung",
    "query of a search": "query",
    "mode of a search": "mode",
    "degraded search": "degraded",
    "found title": "evtitle",
    "found source": "evsource",
    "found locator": "evlocator",
    "found words": "evterms",
    "found path": "evpath",
    "found content": "evcontent",
    "tool name": "tool",
    "argument name": "argname",
    "argument": "argument",
    "why a call": "why",
    "preview": "preview",
    "result of a call": "result",
    "path of a Read": "readpath",
    "result of a Read": "readresult",
    "who approved": "approvedby",
    "who rejected": "rejectedby",
    "reason of a rejection": "rejectedreason",
    "path of a Write": "rejectedpath",
    "why a Write": "approvedwhy",
    "diff of a Write": "approveddiff",
    "result of a Write": "approvedresult",
    "words of a role": "words",
    "why of a stance": "stance",
    "condition of a stance": "resolves",
    "why a stance changed": "changed",
    "reason of a hand-over": "handover",
    "reason of a guard": "guard",
    "tool on a card": "asktool",
    "why on a card": "askwhy",
    "path on a card": "askpath",
    "arguments on a card": "askargs",
    "diff on a card": "askdiff",
    "words of a person": "said",
    "answered question": "oldquestion",
    "answer": "answer",
    "who answered": "answerer",
    "question on a card": "openquestion",
    "why on the card of a question": "openquestionwhy",
    "choice on a card": "openchoice",
    "name of a guard": "guardname",
    "who asked for a pause": "pauser",
    "who changed the budget": "budgeter",
    "model that failed": "frommodel",
    "model that took over": "tomodel",
}


def look_at_right_column(tour: Tour) -> None:
    """What waits, the points, the evidence."""
    tour.open_all("side", SIDE)
    for place, code in (
        ("waiting call", "asktool"),
        ("point", "point"),
        ("earlier points", "brief"),
        ("earlier point", "oldpoint"),
        ("reason of a point", "pointreason"),
        ("waiting question", "openquestion"),
        ("evidence button", "evtitle"),
    ):
        tour.look(place, SIDE, code)


def look_at_head_and_list(tour: Tour, session_id: str) -> None:
    """Title and model in the head; the list of discussions with its menus and dialogs."""
    head = ".st-key-head"
    tour.look("title in the head", f"{head} .st-key-discussion_head", "title")
    tour.look("model in the head", head, "modelbrief2")
    tour.click("title field in the head", f"{head} [data-testid=stPopover] button")
    tour.look("title field in the head", POPOVER, "title")
    tour.page.keyboard.press("Escape")
    row = f"[class*=st-key-session_][class*='{session_id}']"
    tour.look("title in the list", row, "title")
    tour.hover("tooltip of a title", f"{row} [class*=st-key-open_] button")
    tour.look("tooltip of a title", TOOLTIP, "title")
    tour.hover("tooltip of a menu", f"{row} [class*=st-key-menu_] button")
    tour.look("tooltip of a menu", TOOLTIP, "title")
    for number, name in ((0, "rename dialog"), (1, "delete dialog")):
        tour.click(name, f"{row} [class*=st-key-menu_] button")
        tour.click(name, tour.page.get_by_role("menuitem").nth(number))
        tour.look(name, DIALOG, "title")
        tour.page.keyboard.press("Escape")
        tour.rest()
    tour.look("account in the list", ".st-key-sidebar_foot", "account")


def look_at_knowledge(tour: Tour, address: str, passage_id: str) -> None:
    """Every tab of the Knowledge page, a document, a passage and its form."""
    page = tour.page
    tour.do("knowledge", lambda: page.goto(f"{address}/knowledge?role=architect"))
    tour.click("unread files", "[data-testid=stExpander] summary")
    tour.look("unread file", "[data-testid=stExpander]", "broken")
    search = page.locator("[class*=st-key-knowledge_query] input")
    tour.do("knowledge search", lambda: search.fill("canary"))
    tour.do("knowledge search", lambda: search.press("Enter"))
    tour.rest()
    for code in ("ptitle", "psource", "plocator", "pcontent", "ntitle", "ncontent"):
        tour.look(f"knowledge search: {code}", "[class*=st-key-found_]", code)
    _look_at_documents(tour)
    _look_at_passages(tour)
    _look_at_map(tour)
    _look_at_upkeep(tour)
    tour.do("passage", lambda: page.goto(f"{address}/knowledge?passage={passage_id}"))
    tour.rest()
    for code in ("ptitle", "doc", "plocator", "pcontent", "account"):
        tour.look(f"open passage: {code}", f".st-key-passage_{passage_id}", code)
    tour.look("other place of a passage", "[data-testid=stCaptionContainer]", "otherdoc")
    for code in ("ntitle", "ncontent"):
        tour.look(f"neighbour: {code}", "[class*=st-key-after_], [class*=st-key-before_]", code)
    tour.click("passage form", f"[class*=st-key-edit_{passage_id}] button")
    tour.look("passage form", "[data-testid=stForm]", "pcontent")


def _tab(tour: Tour, name: str) -> None:
    tour.click(f"tab {name}", tour.page.get_by_role("tab", name=name))
    tour.rest()


def _look_at_documents(tour: Tour) -> None:
    _tab(tour, "Documents")
    for code in ("doctitle", "doc", "doctype", "broken"):
        tour.look(f"document table: {code}", TABLE, code)
    for row in range(ROWS):
        tour.do("document", partial(_choose_row, tour, row))
        tour.rest()
        patience, tour.patience = tour.patience, 0.3
        for code in ("doctitle", "doc", "doctype", "faileddoctitle", "report", "deleteddoctitle"):
            if f"document: {code}" not in tour.drawn:
                tour.look(f"document: {code}", ".st-key-document_architect", code)
        tour.patience = patience


def _choose_row(tour: Tour, row: int) -> None:
    """Click where the table draws the mark of a row; it is one picture."""
    box = tour.page.locator(f"{TABLE} canvas").first.bounding_box()
    if box is not None:
        tour.page.mouse.click(box["x"] + 18, box["y"] + HEAD_HEIGHT * 1.5 + HEAD_HEIGHT * row)


def _look_at_passages(tour: Tour) -> None:
    _tab(tour, "Passages")
    for code in ("ptitle", "doc", "plocator", "pcontent", "mtitle", "mcontent"):
        tour.look(f"passage list: {code}", "[class*=st-key-passage_all_]", code)
    tour.click("document filter", "[class*=st-key-knowledge_passage_source] [role=combobox]")
    tour.look("document filter", OPTIONS, "doctitle")
    tour.page.keyboard.press("Escape")


def _look_at_map(tour: Tour) -> None:
    _tab(tour, "Map")
    tour.do("point of the map", partial(_point_at, tour))
    tour.look("point of the map", ".hoverlayer", "mtitle")
    tour.open_all("map", "[role=tabpanel]")
    tour.look("table of the map", TABLE, "mtitle")


def _point_at(tour: Tour) -> None:
    """Move the mouse over the last point that is drawn."""
    point = tour.page.locator(f"{CHART} .scatterlayer path.point").last
    point.wait_for(timeout=10_000)
    box = point.bounding_box()
    if box is not None:
        tour.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)


def _look_at_upkeep(tour: Tour) -> None:
    _tab(tour, "Upload and upkeep")
    panel = "[role=tabpanel]"
    for place, code in (
        ("name with an alias", "aliasname"),
        ("alias", "alias"),
        ("deleted document", "deleteddoc"),
        ("deleted passage", "deletedtitle"),
    ):
        tour.look(place, panel, code)


def look_at_rerank(tour: Tour, address: str, search_id: str) -> None:
    """A past search with all its numbers, the list of searches, the judged questions."""
    page = tour.page
    tour.do("rerank", lambda: page.goto(f"{address}/rerank?search={search_id}"))
    tour.rest()
    whole = ".st-key-wide_page"
    for place, code in (
        ("past query", "pastquery"),
        ("past expansion", "pastterm"),
        ("link to a discussion", "title"),
        ("paths that ran", "tracepath"),
        ("skipped path", "skipname"),
        ("why it was skipped", "skipwhy"),
        ("who ranked", "ranker"),
        ("word of a question", "term"),
        ("guess", "termanswer"),
    ):
        tour.look(place, whole, code)
    tour.look("stage in the figure", CHART, "tracepath")
    answered = "[class*=st-key-rerank_found_]"
    for code in ("trtitle", "trsource", "trlocator", "trexcerpt", "tracepath"):
        tour.look(f"answered passage: {code}", answered, code)
    point = page.locator(f"{CHART} .scatterlayer .point").first
    tour.do("point of the figure", lambda: point.hover(force=True, timeout=5_000))
    tour.look("point of the figure", ".hoverlayer", "trtitle")
    tour.open_all("rerank", whole)
    tour.rest()
    for code in ("trtitle", "term", "judged"):
        tour.look(f"rerank table: {code}", TABLE, code)
    tour.click("past searches", "[class*=st-key-rerank_past] [role=combobox]")
    for code in ("title", "pastquery"):
        tour.look(f"past searches: {code}", OPTIONS, code)
    page.keyboard.press("Escape")
    tour.click("ask again", "[class*=st-key-rerank_ask_again] button")
    tour.rest()
    tour.look("moved passage", "[class*=st-key-rerank_moves]", "trtitle")
    tour.open_all("why not", whole)
    tour.click("why not", "[class*=st-key-rerank_why_passage] [role=combobox]")
    tour.look("passages to ask about", OPTIONS, "ptitle")
    page.keyboard.press("Enter")
    tour.rest()
    tour.look("passage that was asked about", "[class*=st-key-rerank_place_]", "pcontent")


def look_at_rest(tour: Tour, address: str) -> None:
    """Evaluation, memory and settings."""
    page = tour.page
    tour.do("evaluation", lambda: page.goto(f"{address}/evaluation"))
    tour.rest()
    tour.look("evaluated models", "[data-testid=stCaptionContainer]", "evalmodel")
    for code in ("set", "stage"):
        tour.look(f"evaluation figure: {code}", CHART, code)
    point = page.locator(f"{CHART} .scatterlayer .point").nth(1)
    tour.do("point of the evaluation", lambda: point.hover(force=True, timeout=5_000))
    for code in ("set", "stage", "setranker"):
        tour.look(f"evaluation card: {code}", "[class*=st-key-evaluation_set_]", code)
    tour.open_all("evaluation", ".st-key-wide_page")
    for code in ("set", "stage"):
        tour.look(f"evaluation table: {code}", TABLE, code)
    tour.do("memory", lambda: page.goto(f"{address}/memory"))
    tour.rest()
    tour.look("memory", "textarea", "memory")
    tour.open_all("memory", ".st-key-narrow_page")
    tour.look("version of the memory", ".st-key-memory_versions", "oldmemory")
    tour.do("settings", lambda: page.goto(f"{address}/settings"))
    tour.rest()
    tour.look("account in the settings", ".st-key-narrow_page", "account")
