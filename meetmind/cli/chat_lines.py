"""How a discussion looks in a terminal: one function draws an event, two draw a turn and a run."""

from typing import assert_never

from rich import box
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from meetmind.cli.steering_lines import role_title, show_steering
from meetmind.cli.terminal import Terminal
from meetmind.cli.transcript import Transcript
from meetmind.config.roster_names import AGENT_NAMES, ASSISTANT_NAME
from meetmind.events import (
    BriefRewritten,
    BudgetChanged,
    DiscussionEvent,
    FloorTaken,
    GuardActed,
    HandedOver,
    IntentRecognised,
    ModelFellBack,
    ModelHeld,
    ModelRetried,
    PauseAsked,
    PersonSpoke,
    QuestionAnswered,
    QuestionAsked,
    RouteChosen,
    RunEnded,
    RunPaused,
    RunResumed,
    RunStarted,
    RunWaiting,
    TalkCompacted,
    ToolAskedAgain,
    ToolDecided,
    ToolFinished,
    ToolRequested,
    ToolsUnavailable,
    ToolUndone,
    UtteranceEnded,
    WordsArrived,
    WordsWithdrawn,
)
from meetmind.i18n.call_results import failure_text, place_text, result_text
from meetmind.i18n.translate import Language, has_text, translate

COLOURS = ("magenta", "blue", "green", "yellow", "red")
COLOUR_BY_ROLE = {**dict(zip(AGENT_NAMES, COLOURS, strict=True)), ASSISTANT_NAME: "cyan"}
QUIET = "dim"
INDENT = "  "


def show_event(  # noqa: PLR0912 - a branch for every event, so that none is forgotten
    terminal: Terminal, transcript: Transcript, event: DiscussionEvent, language: Language
) -> None:
    """Fold `event` into the transcript and print what a reader wants to know of it."""
    match event:
        case RunStarted():
            transcript.max_iterations = event.max_iterations
            if event.offline:
                terminal.say(translate("cli.offline", language), QUIET)
        case BriefRewritten():
            if not event.fell_back:
                line = translate("quiet.understood", language, query=event.rewritten_query)
                terminal.say(line, QUIET)
        case RouteChosen():
            chosen = "_person" if event.by == "person" else ""
            terminal.say(translate(f"quiet.route_{event.route}{chosen}", language), QUIET)
        case FloorTaken():
            role = role_title(event.agent_name, language)
            terminal.say(translate("talk.getting_ready", language, role=role), QUIET)
        case ToolRequested():
            transcript.requests[event.call_id] = event
            show_request(terminal, event, language)
        case ToolDecided():
            show_decision(terminal, event, language)
        case ToolFinished():
            transcript.keep_passages(event.evidence)
            show_result(terminal, event, transcript.requests.get(event.call_id), language)
        case ToolsUnavailable():
            terminal.say(translate("talk.tools_off", language), QUIET)
        case ModelRetried():
            show_retry(terminal, event, language)
        case ModelHeld():
            show_hold(terminal, event, language)
        case UtteranceEnded():
            transcript.add(event)
            print_agent_info(terminal, transcript, event, language)
        case HandedOver():
            transcript.hand_over(event.to_agent)
            show_handover(terminal, event, language)
        case RunResumed():
            if event.reason != "decision":
                terminal.say(translate(f"quiet.resumed_{event.reason}", language), QUIET)
        case BudgetChanged():
            transcript.max_iterations = event.max_iterations
            show_steering(terminal, event, language)
        case (
            GuardActed()
            | PersonSpoke()
            | QuestionAsked()
            | QuestionAnswered()
            | PauseAsked()
            | RunPaused()
            | ModelFellBack()
            | TalkCompacted()
        ):
            show_steering(terminal, event, language)
        case RunEnded():
            transcript.end = event
        case (
            IntentRecognised()
            | WordsArrived()
            | WordsWithdrawn()
            | RunWaiting()
            | ToolAskedAgain()
            | ToolUndone()
        ):
            pass
        case _:
            assert_never(event)


def print_agent_info(
    terminal: Terminal, transcript: Transcript, utterance: UtteranceEnded, language: Language
) -> None:
    """Print one utterance: who speaks in which turn, the words, the sources, the stances."""
    colour = COLOUR_BY_ROLE.get(utterance.agent_name, "white")
    turn = translate("talk.turn", language, number=utterance.iteration + 1)
    title = Text(f"{role_title(utterance.agent_name, language)} · {turn}", style=f"bold {colour}")
    terminal.console.print()
    terminal.console.print(Rule(title, style=colour, align="left"))
    terminal.say(transcript.numbered(utterance.content))
    for stance in utterance.stances:
        kind = translate(f"stance.{stance.stance}", language)
        question = transcript.questions.get(stance.point_id, stance.point_id)
        terminal.say(joined(f"{question}: {kind}", stance.why), colour, INDENT)
        if stance.changed_because:
            changed = translate("stance.changed", language, reason=stance.changed_because)
            terminal.say(changed, QUIET, INDENT * 2)
        if stance.resolves_if:
            condition = translate("stance.resolves", language, condition=stance.resolves_if)
            terminal.say(condition, QUIET, INDENT * 2)
    for number, passage in transcript.sources(utterance.content):
        locator = place_text(passage.locator, language)
        place = " · ".join(part for part in (passage.source, locator) if part)
        terminal.say(f"[{number}] {passage.title} · {place}", QUIET, INDENT)


def print_round_review(terminal: Terminal, transcript: Transcript, language: Language) -> None:
    """Print the run as a table, and how it ended."""
    table = Table(
        box=box.SIMPLE_HEAD, title=translate("cli.review", language), title_justify="left"
    )
    for key in ("turn", "role", "searches", "sources", "next"):
        table.add_column(translate(f"cli.column_{key}", language), overflow="fold")
    for utterance in transcript.utterances:
        colour = COLOUR_BY_ROLE.get(utterance.agent_name, "white")
        next_agent = transcript.next_speakers.get(utterance.utterance_id)
        next_speaker = "" if next_agent is None else role_title(next_agent, language)
        table.add_row(
            str(utterance.iteration + 1),
            Text(role_title(utterance.agent_name, language), style=colour),
            str(utterance.used_rag),
            str(len(transcript.sources(utterance.content))),
            Text(next_speaker),
        )
    terminal.console.print()
    if transcript.utterances:
        terminal.console.print(table)
    if transcript.end is not None:
        terminal.say(end_sentence(transcript.end, transcript.max_iterations, language), "bold")


def end_sentence(end: RunEnded, max_iterations: int, language: Language) -> str:
    """Why the run ended, with the model's fault where it was that."""
    fault = translate("fault.model", language)
    if end.fault and has_text(f"fault.{end.fault}"):
        fault = translate(f"fault.{end.fault}", language, **end.details)
    return translate(f"end.{end.reason}", language, limit=max_iterations, fault=fault)


def show_request(terminal: Terminal, request: ToolRequested, language: Language) -> None:
    """A refused call says why. What runs is told when it is done, what waits when it is asked."""
    if request.verdict == "refused":
        refused = translate("step.refused", language)
        why = failure_text(request.code or "other", language)
        terminal.say(joined(f"{request.tool}: {refused}", why), QUIET, INDENT)


def show_result(
    terminal: Terminal, result: ToolFinished, request: ToolRequested | None, language: Language
) -> None:
    """What a call brought, on one line. A rejection has been told with the decision."""
    if result.status == "rejected":
        return
    if result.status != "ok":
        state = translate(f"step.{status_key(result.status)}", language)
        why = failure_text(result.error_code, language) if result.status == "error" else ""
        terminal.say(joined(f"{result.tool}: {state}", why), QUIET, INDENT)
    elif result.tool == "rag_search":
        arguments = {} if request is None else request.arguments
        place = "step.scope_all" if arguments.get("scope") == "all" else "step.scope_own"
        scope = translate(place, language)
        query = str(arguments.get("query", ""))
        looked_up = translate("step.search", language, query=query, scope=scope)
        found = found_text(len(result.evidence), language)
        terminal.say(f"{looked_up} · {found}", QUIET, INDENT)
    else:
        brought = result_text(result.tool, result.summary, language)
        terminal.say(f"{result.tool}: {brought}", QUIET, INDENT)


def found_text(count: int, language: Language) -> str:
    """How many passages a search brought."""
    if count == 0:
        return translate("step.found_none", language)
    if count == 1:
        return translate("step.found_one", language)
    return translate("step.found", language, count=count)


def status_key(status: str) -> str:
    """The catalogue's word for a call that did not go well."""
    return "failed" if status == "error" else status


def show_decision(terminal: Terminal, decided: ToolDecided, language: Language) -> None:
    """Who decided what, whichever window it happened in."""
    if decided.how == "expiry":
        terminal.say(translate("cli.expired", language), QUIET, INDENT)
        return
    line = translate(f"approval.{decided.decision}_by", language, name=decided.decided_by)
    terminal.say(joined(line, decided.reason), QUIET, INDENT)


def show_retry(terminal: Terminal, retried: ModelRetried, language: Language) -> None:
    """A call to the model is tried again."""
    fault = short_fault(retried.fault, language)
    seconds = round(retried.wait_seconds, 1)
    line = translate(
        "quiet.retried", language, fault=fault, seconds=seconds, attempt=retried.attempt
    )
    terminal.say(line, QUIET, INDENT)


def show_hold(terminal: Terminal, held: ModelHeld, language: Language) -> None:
    """A call waits because the server asked another one to wait."""
    fault = short_fault(held.fault, language)
    line = translate("quiet.held", language, fault=fault, seconds=round(held.wait_seconds))
    terminal.say(line, QUIET, INDENT)


def short_fault(fault: str, language: Language) -> str:
    """A fault of the model in a few words."""
    key = f"fault_short.{fault}"
    return translate(key if has_text(key) else "fault_short.model", language)


def show_handover(terminal: Terminal, handed: HandedOver, language: Language) -> None:
    """Who speaks next, and on whose word."""
    role = role_title(handed.to_agent, language)
    if handed.by == "guard":
        reason = translate(f"guard.{handed.guard}", language)
        terminal.say(translate("quiet.guard", language, role=role, reason=reason), QUIET)
        return
    if handed.by in ("person", "round"):
        key = "quiet.person_asked" if handed.by == "person" else "quiet.round"
        terminal.say(translate(key, language, role=role), QUIET)
        return
    terminal.say(joined(f"→ {role}", handed.reason), QUIET)


def joined(line: str, reason: str) -> str:
    """A line and why, where a reason was given."""
    return f"{line} — {reason}" if reason else line
