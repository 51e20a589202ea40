"""How many of twelve planted facts a summary keeps, over several talks in both languages."""

import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT_ROOT), str(PROJECT_ROOT / "scripts")]

from psycopg_pool import ConnectionPool  # noqa: E402 - the paths above come first
from reach_lines import ReachLines  # noqa: E402
from reach_room import fresh_database  # noqa: E402

from meetmind.config.settings import load_settings  # noqa: E402
from meetmind.database.connection import get_pg_pool  # noqa: E402
from meetmind.llm.chat_models import build_model_client  # noqa: E402
from meetmind.server.accounts import Accounts  # noqa: E402
from meetmind.server.compaction import Boundary, Compaction  # noqa: E402
from meetmind.server.discussions import Discussions  # noqa: E402
from meetmind.server.event_loop import EventLoopThread  # noqa: E402
from meetmind.server.models import Models  # noqa: E402
from tests.support.long_talk import (  # noqa: E402
    BRIEFS,
    FACTS,
    Fact,
    store_talk,
    talk_with_facts,
)
from tests.support.spoken_talks import SPOKEN_TALKS, spoken_utterances  # noqa: E402

TALK_TOKENS = 24_000
"""As long as a talk gets with the standard settings before it is summarised by itself."""
KEPT_TARGET = 11


def measure(lines: ReachLines) -> None:
    """`compaction_keeps`: of twelve facts in the worst of all talks, with the offline model."""
    with fresh_database() as database_url, TemporaryDirectory() as home:
        pool = get_pg_pool(database_url)
        try:
            kept = [
                facts_kept(pool, Path(home), planted, lines)
                for planted in (*talks_of_documents(), *talks_of_meetings())
            ]
        finally:
            pool.close()
    lines.at_least("compaction_keeps", min(kept), KEPT_TARGET, places=0)


@dataclass(frozen=True, kw_only=True)
class PlantedTalk:
    """A talk and what of it has to stand in its summary."""

    language: str
    brief: str
    utterances: tuple[str, ...]
    facts: tuple[Fact, ...]


def talks_of_documents() -> list[PlantedTalk]:
    """The facts stand among sentences of the seed documents, which are full of figures."""
    talks = []
    for language, facts in FACTS.items():
        talks.append(
            PlantedTalk(
                language=language,
                brief=BRIEFS[language],
                utterances=tuple(talk_with_facts(language, TALK_TOKENS)),
                facts=tuple(facts),
            )
        )
    return talks


def talks_of_meetings() -> list[PlantedTalk]:
    """The facts stand in loose talk, in words that no rule of the summary was written for."""
    talks = []
    for spoken in SPOKEN_TALKS:
        talks.append(
            PlantedTalk(
                language=spoken.language,
                brief=spoken.brief,
                utterances=tuple(spoken_utterances(spoken, TALK_TOKENS)),
                facts=spoken.facts,
            )
        )
    return talks


def facts_kept(pool: ConnectionPool, home: Path, planted: PlantedTalk, lines: ReachLines) -> int:
    """Fold a long discussion and count what stands in the summary."""
    boundary = _folded(pool, home, planted)
    found = [fact for fact in planted.facts if fact.stands_in(boundary.summary)]
    for fact in planted.facts:
        if fact not in found:
            lines.note(f"compaction_keeps: lost in {planted.language}: {fact.sentence}")
    lines.note(
        f"compaction_keeps: {planted.language} {len(found)}/12 in {boundary.tokens} tokens "
        f"for {boundary.messages} messages of {TALK_TOKENS} tokens ({planted.brief})"
    )
    return len(found)


def _folded(pool: ConnectionPool, home: Path, planted: PlantedTalk) -> Boundary:
    settings = load_settings({"MEETMIND_HOME": str(home)})
    accounts = Accounts(pool)
    accounts.ensure_first_account()
    owner_id = accounts.sign_in("admin", "admin").id
    discussions = Discussions(pool, lambda owner, session: None)
    session_id = discussions.create_session(owner_id, planted.brief)
    store_talk(
        pool,
        owner_id,
        session_id,
        planted.utterances,
        brief=planted.brief,
        language=planted.language,
    )
    loop = EventLoopThread()
    try:
        models = Models(settings, build_model_client(settings))
        compaction = Compaction(pool, settings, models, lambda: loop)
        outcome = compaction.compact_session(owner_id, session_id)
        boundary = compaction.boundary(owner_id, session_id)
    finally:
        loop.stop()
    assert outcome.compacted, outcome
    assert boundary is not None
    return boundary


if __name__ == "__main__":
    measure(ReachLines("runs_compaction"))
