"""Draws in a terminal what people and guards do to a discussion, a line each."""

from typing import assert_never

from meetmind.cli.terminal import Terminal
from meetmind.cli.wrapping import printable
from meetmind.events import (
    BudgetChanged,
    GuardActed,
    ModelFellBack,
    PauseAsked,
    PersonSpoke,
    QuestionAnswered,
    QuestionAsked,
    RunPaused,
    TalkCompacted,
)
from meetmind.i18n.budget_words import limits_text
from meetmind.i18n.translate import Language, has_text, translate

QUIET = "dim"
INDENT = "  "
SteeringEvent = (
    GuardActed
    | PersonSpoke
    | QuestionAsked
    | QuestionAnswered
    | PauseAsked
    | RunPaused
    | BudgetChanged
    | ModelFellBack
    | TalkCompacted
)


def show_steering(terminal: Terminal, event: SteeringEvent, language: Language) -> None:
    """Print what happened beside the turns."""
    match event:
        case GuardActed():
            show_guard(terminal, event, role_title(event.agent_name, language), language)
        case PersonSpoke():
            role = role_title(event.to_agent, language) if event.to_agent else ""
            show_said(terminal, event, role, language)
        case QuestionAsked():
            show_question(terminal, event, role_title(event.agent_name, language), language)
        case QuestionAnswered():
            show_answer(terminal, event, language)
        case PauseAsked():
            show_pause(terminal, event, language)
        case RunPaused():
            terminal.say(translate("quiet.paused", language), QUIET)
        case BudgetChanged():
            show_budget(terminal, event, language)
        case ModelFellBack():
            show_fallback(terminal, event, language)
        case TalkCompacted():
            show_compaction(terminal, event, language)
        case _:
            assert_never(event)


def show_guard(terminal: Terminal, acted: GuardActed, role: str, language: Language) -> None:
    """Which rule stepped in, and after whose turn."""
    key = f"guard.{acted.guard}"
    reason = translate(key, language, **acted.details) if has_text(key) else acted.guard
    line = translate("quiet.guard_acted", language, role=role, reason=reason.rstrip(".。"))
    terminal.say(line, QUIET)


def show_said(terminal: Terminal, said: PersonSpoke, role: str, language: Language) -> None:
    """What a person said into the discussion, and to whom; `role` is empty for everybody."""
    you = translate("discussion.you", language)
    key = "talk.to_role" if role else "talk.to_team"
    whom = translate(key, language, role=role)
    terminal.console.print()
    terminal.say(f"{you} ({whom})", "bold")
    terminal.say(said.text)


def show_question(terminal: Terminal, asked: QuestionAsked, role: str, language: Language) -> None:
    """What a role asks the person, why, and the answers that it offers."""
    terminal.say(translate("question.title", language, role=role), "bold yellow")
    terminal.say(asked.question, "", INDENT)
    if asked.why:
        terminal.say(f"{translate('question.why', language)}: {asked.why}", QUIET, INDENT)
    for number, choice in enumerate(asked.choices, start=1):
        terminal.say(f"{number}. {choice}", "", INDENT)


def show_answer(terminal: Terminal, answered: QuestionAnswered, language: Language) -> None:
    """Who answered what, or left the question open."""
    name = printable(answered.answered_by)
    if answered.answer:
        line = translate("question.answered_by", language, name=name, answer=answered.answer)
    else:
        line = translate("question.left_open_by", language, name=name)
    terminal.say(line, QUIET, INDENT)


def show_pause(terminal: Terminal, asked: PauseAsked, language: Language) -> None:
    """Who asked for a pause, or took it back."""
    key = "quiet.pause_withdrawn" if asked.withdrawn else "quiet.pause_asked"
    terminal.say(translate(key, language, name=printable(asked.asked_by)), QUIET)


def show_budget(terminal: Terminal, changed: BudgetChanged, language: Language) -> None:
    """What the run may use from now on, and who said so."""
    limits = limits_text(
        language,
        max_iterations=changed.max_iterations,
        max_tokens=changed.max_tokens,
        max_minutes=changed.max_minutes,
        max_cost=changed.max_cost,
    )
    name = printable(changed.changed_by)
    terminal.say(translate("quiet.budget", language, name=name, limits=limits), QUIET)


def show_fallback(terminal: Terminal, fell_back: ModelFellBack, language: Language) -> None:
    """Which model has taken over, and why."""
    key = f"fault_short.{fell_back.fault}"
    fault = translate(key if has_text(key) else "fault_short.model", language)
    line = translate(
        "quiet.fell_back",
        language,
        from_model=fell_back.from_model,
        to_model=fell_back.to_model,
        fault=fault,
    )
    terminal.say(line, QUIET)


def show_compaction(terminal: Terminal, compacted: TalkCompacted, language: Language) -> None:
    """Where the models see a summary from, and how much shorter it is."""
    facts = translate(
        "boundary.facts_one" if compacted.messages == 1 else "boundary.facts",
        language,
        count=compacted.messages,
        before=f"{compacted.tokens_before:,}",
        after=f"{compacted.tokens_after:,}",
    )
    terminal.say(f"{translate('boundary.title', language)} ({facts})", QUIET)


def role_title(agent_name: str, language: Language) -> str:
    """The role's title; an unknown name is shown as it is."""
    key = f"role.{agent_name}"
    return translate(key, language) if has_text(key) else printable(agent_name)
