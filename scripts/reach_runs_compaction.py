"""How many of twelve planted facts a summary keeps, in both languages."""

import sys
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
    facts_within,
    store_talk,
    talk_with_facts,
)

TALK_TOKENS = 24_000
"""As long as a talk gets with the standard settings before it is summarised by itself."""
KEPT_TARGET = 11


def measure(lines: ReachLines) -> None:
    """`compaction_keeps`: of twelve facts in the worse language, with the offline model."""
    with fresh_database() as database_url, TemporaryDirectory() as home:
        pool = get_pg_pool(database_url)
        try:
            kept = [facts_kept(pool, Path(home), language, lines) for language in FACTS]
        finally:
            pool.close()
    lines.at_least("compaction_keeps", min(kept), KEPT_TARGET, places=0)


def facts_kept(pool: ConnectionPool, home: Path, language: str, lines: ReachLines) -> int:
    """Fold a long discussion of this language and count what stands in the summary."""
    boundary = _folded(pool, home, language)
    found = facts_within(language, boundary.summary)
    for fact in FACTS[language]:
        if fact not in found:
            lines.note(f"compaction_keeps: lost in {language}: {fact.sentence}")
    lines.note(
        f"compaction_keeps: {language} {len(found)}/12 in {boundary.tokens} tokens "
        f"for {boundary.messages} messages of {TALK_TOKENS} tokens"
    )
    return len(found)


def _folded(pool: ConnectionPool, home: Path, language: str) -> Boundary:
    settings = load_settings({"MEETMIND_HOME": str(home)})
    accounts = Accounts(pool)
    accounts.ensure_first_account()
    owner_id = accounts.sign_in("admin", "admin").id
    discussions = Discussions(pool, lambda owner, session: None)
    session_id = discussions.create_session(owner_id, BRIEFS[language])
    talk = talk_with_facts(language, TALK_TOKENS)
    store_talk(pool, owner_id, session_id, talk, brief=BRIEFS[language], language=language)
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
