"""What a person does to a running discussion: say something, pause, go on, change the budget."""

from psycopg_pool import ConnectionPool

from meetmind.clean_text import clean_bad_chars
from meetmind.config.budget import Budget
from meetmind.config.roster_names import AGENT_NAMES
from meetmind.database import person_acts
from meetmind.errors import BriefRefused, BudgetRefused, NotFound

BRIEF_CHARACTERS = 20_000
MOST_TURNS = 100
MOST_OF_A_LIMIT = 10**12


def checked_words(words: str) -> str:
    """The words as they are stored; raises `BriefRefused` for none and for far too many."""
    text = clean_bad_chars(words).strip()
    if not text:
        raise BriefRefused("The brief is empty. Write what the team should discuss.")
    check_length(text)
    return text


def check_length(text: str) -> None:
    """Raises `BriefRefused` for far too many words: nothing that a person writes is cut."""
    if len(text) > BRIEF_CHARACTERS:
        raise BriefRefused(
            f"The text has {len(text)} characters; at most {BRIEF_CHARACTERS} are possible.",
            limit=BRIEF_CHARACTERS,
        )


def checked_role(agent_name: str) -> str:
    """The name of a role of the team, or nothing; raises `NotFound`."""
    if agent_name and agent_name not in AGENT_NAMES:
        raise NotFound(f"There is no role named {agent_name!r}.")
    return agent_name


def check_budget(max_iterations: int, budget: Budget) -> None:
    """Raises `BudgetRefused` for limits under which no discussion is possible."""
    if not 1 <= max_iterations <= MOST_TURNS:
        raise BudgetRefused(f"A round has 1 to {MOST_TURNS} turns.", most=MOST_TURNS)
    for limit in (budget.max_tokens, budget.max_minutes, budget.max_cost):
        if limit is not None and not 0 < limit <= MOST_OF_A_LIMIT:
            raise BudgetRefused("A limit is more than nothing and not endless.", most=MOST_TURNS)


class RunActs:
    """The acts of a run's owner, as rows and events; whoever executes the run reads them there."""

    def __init__(self, pool: ConnectionPool) -> None:
        self._pool = pool

    def say(self, owner_id: str, run_id: str, words: str, to_agent: str) -> str:
        """Store words for the next speaker, or for a role that is asked; the message's id."""
        return person_acts.say(
            self._pool,
            owner_id=owner_id,
            run_id=run_id,
            words=checked_words(words),
            to_agent=checked_role(to_agent),
        )

    def ask_for_pause(self, owner_id: str, run_id: str) -> None:
        """Ask the team to rest before the next turn."""
        person_acts.ask_for_pause(self._pool, owner_id=owner_id, run_id=run_id)

    def end_pause(self, owner_id: str, run_id: str) -> bool:
        """Take a pause back; whether the run rests in it."""
        return person_acts.end_pause(self._pool, owner_id=owner_id, run_id=run_id)

    def change_budget(
        self, owner_id: str, run_id: str, max_iterations: int, budget: Budget
    ) -> None:
        """Change what the run may use, from its next turn on; raises `BudgetRefused`."""
        check_budget(max_iterations, budget)
        person_acts.change_budget(
            self._pool,
            owner_id=owner_id,
            run_id=run_id,
            max_iterations=max_iterations,
            budget=budget,
        )
