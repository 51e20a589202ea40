"""The commands of `python -m meetmind.cli`, each a few lines over the services."""

import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from meetmind.cli.terminal import (
    Terminal,
    open_error_terminal,
    open_terminal,
    terminal_language,
)
from meetmind.config.environment import load_environment
from meetmind.config.logging import set_log_level, set_up_logging
from meetmind.config.roster_names import AGENT_NAMES
from meetmind.config.settings import Settings
from meetmind.errors import (
    DatabaseError,
    KnowledgeError,
    MeetMindError,
    NotFound,
    SettingsError,
)
from meetmind.events import Mode
from meetmind.i18n.document_notes import failure_text
from meetmind.i18n.translate import as_language, translate

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.ingestion_worker import IngestionProgress
    from meetmind.server.services import Services

POLL_SECONDS = 0.2
STATE_STYLE = {"ok": "green", "note": "yellow", "problem": "red"}

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def main() -> None:
    """MeetMind on the command line."""
    # News would stand between the lines of a talk: people are told what goes wrong.
    set_up_logging("WARNING")
    # A Ctrl-C in the middle of a query costs a connection, which is no news to anybody.
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)


@app.command()
def chat(
    user: Annotated[str, typer.Option(help="Name of the account that owns the talk.")] = "",
    mode: Annotated[Mode, typer.Option(help="Who answers.")] = "auto",
) -> None:
    """Talk to the team; medium and high risks are asked about with y/n."""
    from meetmind.cli.chat import Chat

    terminal = open_terminal()
    with opened_services(terminal) as services:
        person = owner_of_the_talk(terminal, services, user)
        language = terminal_language()
        if person.language is not None:
            language = as_language(person.language)
        conversation = Chat(
            services=services,
            terminal=terminal,
            owner_id=person.id,
            language=language,
            mode=mode,
        )
        conversation.hold()


def owner_of_the_talk(terminal: Terminal, services: "Services", name: str) -> "Person":
    """The account of this name, or without a name the one that only this machine uses."""
    if not name:
        return services.accounts.local_person()
    return named_account(terminal, services, name)


def named_account(
    terminal: Terminal, services: "Services", name: str, sentence: str = "cli.no_such_account"
) -> "Person":
    """The account of this name; without one a sentence of the catalogue and exit code 1."""
    try:
        return services.accounts.person_named(name)
    except NotFound:
        terminal.say(translate(sentence, terminal_language(), name=name), "red")
        raise typer.Exit(1) from None


@app.command()
def ingest() -> None:
    """Read new and changed documents of every role."""
    terminal = open_terminal()
    with opened_services(terminal) as services:
        services.library.start_ingestion()
        wait_for_ingestion(terminal, services)


@app.command()
def reset(agent: Annotated[str, typer.Argument(help=", ".join(AGENT_NAMES))]) -> None:
    """Empty the table of one role and read its documents again."""
    terminal = open_terminal()
    if agent not in AGENT_NAMES:
        names = ", ".join(AGENT_NAMES)
        terminal.say(translate("cli.no_such_role", terminal_language(), names=names), "red")
        raise typer.Exit(2)
    with opened_services(terminal) as services:
        services.library.reset(agent)
        wait_for_ingestion(terminal, services)


@app.command()
def wipe(yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False) -> None:
    """Remove every table of this installation: accounts, discussions, knowledge."""
    from meetmind.server.wiping import prepared_wipe

    terminal = open_terminal()
    language = terminal_language()
    with plain_errors(terminal), prepared_wipe(settings_of(terminal)) as planned:
        if not planned.tables:
            terminal.say(translate("cli.wipe_nothing", language))
            return
        terminal.say(translate("cli.wipe_list", language, tables=", ".join(planned.tables)))
        if not yes and terminal.ask(translate("cli.wipe_ask", language)) != "wipe":
            terminal.say(translate("cli.wipe_kept", language))
            raise typer.Exit(1)
        planned.carry_out()
        terminal.say(translate("cli.wipe_done", language, count=len(planned.tables)))


@app.command()
def evaluate(
    folders: Annotated[
        list[Path] | None, typer.Argument(help="Folders with sets of judged questions.")
    ] = None,
) -> None:
    """Measure the search on questions whose answers are known, beside the last time."""
    terminal = open_terminal()
    language = terminal_language()
    settings = settings_of(terminal)
    from meetmind.cli.evaluation import show_measured

    with plain_errors(terminal):
        show_measured(terminal, settings, folders or [], language)


@app.command()
def doctor() -> None:
    """Say whether this installation can work; exit code 1 when it cannot."""
    from meetmind.server.diagnosis import diagnose

    terminal = open_terminal()
    language = terminal_language()
    problems = 0
    for finding in diagnose(settings_of(terminal)):
        mark = translate(f"cli.{finding.state}", language)
        sentence = translate(f"cli.doctor_{finding.key}", language, **finding.values)
        terminal.say(f"{mark}  {sentence}", STATE_STYLE[finding.state])
        if finding.state == "problem":
            problems += 1
    if problems:
        raise typer.Exit(1)


@app.command()
def mcp(
    user: Annotated[str, typer.Option(help="Name of the account whose discussions are served.")],
) -> None:
    """Serve the knowledge and one account's discussions to MCP clients, over stdio."""
    terminal = open_error_terminal()
    settings = settings_of(terminal)
    from meetmind.cli.mcp_server import AccountRooms, serve_over_stdio, take_standard_output
    from meetmind.server.reading_services import reading_services

    for_protocol = take_standard_output()
    with plain_errors(terminal), reading_services(settings) as services:
        named_account(terminal, services, user, "mcp.no_such_account")
        serve_over_stdio(AccountRooms(services, user), for_protocol)


@contextmanager
def opened_services(terminal: Terminal) -> Iterator["Services"]:
    """The services for one command, closed at its end; an error becomes one sentence."""
    settings = settings_of(terminal)
    # Imported after the settings, which the environment of later imports depends on.
    from meetmind.server.services import close_services, open_services

    with plain_errors(terminal):
        services = open_services(settings)
        try:
            yield services
        finally:
            close_services(services)


@contextmanager
def plain_errors(terminal: Terminal) -> Iterator[None]:
    """Turn an error of ours into its sentence and exit code 1."""
    try:
        yield
    except MeetMindError as error:
        terminal.say(sentence_of(error), "red")
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    except BrokenPipeError:
        # Nobody reads on, as in `... | head`; what the interpreter still flushes goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None


def sentence_of(error: MeetMindError) -> str:
    """Faults of settings, database and documents say best in their own words what to do."""
    from meetmind.cli.chat import error_sentence

    if isinstance(error, DatabaseError | KnowledgeError | SettingsError):
        return str(error)
    return error_sentence(error, terminal_language())


def settings_of(terminal: Terminal) -> Settings:
    """The settings from the environment and `.env`, or their fault and exit code 1."""
    with plain_errors(terminal):
        settings = load_environment()
        set_log_level(settings.log_level, at_least=logging.WARNING)
        return settings


def _doing(progress: "IngestionProgress", language: str) -> str:
    if progress.state == "embedding":
        return translate("ingest.short_embedding", language)
    return translate("ingest.reading", language, current=progress.current)


def wait_for_ingestion(terminal: Terminal, services: "Services") -> None:
    """Show how far reading is until it is done; exit code 1 when it failed."""
    language = terminal_language()
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
    )
    progress = services.library.progress()
    with Progress(*columns, console=terminal.console, transient=True) as bar:
        task = bar.add_task("")
        while progress.state in ("idle", "reading", "embedding"):
            description = _doing(progress, language)
            bar.update(task, description=description, completed=progress.done, total=progress.total)
            time.sleep(POLL_SECONDS)
            progress = services.library.progress()
    for failure in progress.failures:
        terminal.say(failure_text(failure, language), "yellow")
    for role in services.library.overview():
        terminal.say(
            translate(
                "cli.role_knows",
                language,
                role=translate(f"role.{role.agent_name}", language),
                documents=role.documents,
                passages=role.passages,
            )
        )
    if progress.state == "failed":
        sys.exit(1)
