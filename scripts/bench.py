"""`make bench`: ratios and times of retrieval and ingestion, each measured within one run.

    .venv/bin/python scripts/bench.py [--part PART]... [--passages N] [FOLDER...]

A FOLDER holds a set of judged questions; without cranfield and cmrc2018-dev among them, what needs
them is left out. A PART is one of peers, statements, answers, ingestion and encoders; all without.
The first time tables are filled, which takes some minutes; they stay in .meetmind.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT_ROOT))

from psycopg_pool import ConnectionPool  # noqa: E402 - the path above comes first

from meetmind.config.environment import load_environment  # noqa: E402
from meetmind.config.settings import Settings  # noqa: E402
from meetmind.database.startup import OpenDatabase, open_database  # noqa: E402
from meetmind.errors import KnowledgeError, MeetMindError  # noqa: E402
from meetmind.evaluation.datasets import read_dataset  # noqa: E402
from meetmind.evaluation.evaluate import QUESTIONS  # noqa: E402
from meetmind.evaluation.evaluation_room import HOME as EVALUATION_HOME  # noqa: E402
from meetmind.evaluation.evaluation_room import EvaluationRoom  # noqa: E402
from meetmind.evaluation.question_sets import load_question_set  # noqa: E402
from scripts.bench_against_peers import measure_against_peers  # noqa: E402
from scripts.bench_answers import measure_answers  # noqa: E402
from scripts.bench_encoders import ENGLISH_SET, measure_encoders  # noqa: E402
from scripts.bench_ingestion import measure_ingestion  # noqa: E402
from scripts.bench_statements import measure_statements  # noqa: E402
from scripts.bench_tables import big_library  # noqa: E402
from scripts.reach_lines import ReachLines  # noqa: E402

HOME = "bench"
PASSAGES = 10_000
PARTS = ("peers", "statements", "answers", "ingestion", "encoders")
ASKED_STATEMENTS = 10
ASKED_ANSWERS = 50
"""In each language."""
LOADING_SECONDS = 300.0
MISSPELLED = (
    "How many copuons does an order accept at chekcout in the Europaen shop?",
    "When is reserved inventroy relaesed after a payement failure?",
    "Which retires follow a failed paymnet calback, and when does it give up?",
    "What does the acessibility checklst say about keybord focus?",
    "Who aproves a realease to prodction and what is the rolback plan?",
    "库存 reservaton 超时之后 refnud 怎么处理？",
)


def main() -> None:
    options = read_options(sys.argv[1:])
    settings = load_environment()
    lines = ReachLines("bench")
    try:
        folder_by_name = {folder.name: folder for folder in options.folders}
        dataset_by_name = {name: read_dataset(path) for name, path in folder_by_name.items()}
        if "peers" in options.parts:
            measure_peers(lines, settings, folder_by_name.get(ENGLISH_SET))
        with opened(settings, HOME) as (database, own_settings):
            measure_knowledge(lines, database.pool, own_settings, options)
        # Last: it imports torch.
        if "encoders" in options.parts:
            measure_encoders(lines, settings, dataset_by_name)
    except MeetMindError as error:
        sys.exit(str(error))


def read_options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure retrieval and ingestion.")
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--part", dest="parts", action="append", choices=PARTS)
    parser.add_argument("--passages", type=int, default=PASSAGES, help="of each large table")
    options = parser.parse_args(arguments)
    if options.parts is None:
        options.parts = list(PARTS)
    return options


@contextmanager
def opened(settings: Settings, home: str) -> Iterator[tuple[OpenDatabase, Settings]]:
    """The server below `MEETMIND_HOME/<home>`, and the settings that belong to it."""
    folder = settings.meetmind_home / home
    folder.mkdir(parents=True, exist_ok=True)
    own_settings = settings.model_copy(update={"meetmind_home": folder, "pg_url": None})
    database = open_database(own_settings)
    try:
        yield database, own_settings
    finally:
        database.close()


def measure_peers(lines: ReachLines, settings: Settings, folder: Path | None) -> None:
    """On the server of `make evaluate`, which may have the vectors already."""
    if folder is None:
        lines.note(f"the peers are left out: {ENGLISH_SET} is not here")
        return
    with opened(settings, EVALUATION_HOME) as (database, own_settings):
        measure_against_peers(lines, database, own_settings, folder)


def measure_knowledge(
    lines: ReachLines, pool: ConnectionPool, settings: Settings, options: argparse.Namespace
) -> None:
    """What is measured on seed documents and on the large tables mixed from them."""
    if "statements" in options.parts or "answers" in options.parts:
        EvaluationRoom(pool, settings).seed_library().close()
        library = big_library(pool, settings, options.passages)
        problems = library.wait_for_models(LOADING_SECONDS)
        if problems:
            raise KnowledgeError(" ".join(problems))
        english = [question.text for question in load_question_set(QUESTIONS, "en")]
        chinese = [question.text for question in load_question_set(QUESTIONS, "zh")]
        if "statements" in options.parts:
            asked = [*english[-ASKED_STATEMENTS:], *chinese[-ASKED_STATEMENTS:]]
            measure_statements(lines, pool, library, asked, MISSPELLED)
        if "answers" in options.parts:
            questions: list[str] = []
            pairs = zip(english[:ASKED_ANSWERS], chinese[:ASKED_ANSWERS], strict=True)
            for pair in pairs:
                questions.extend(pair)
            measure_answers(lines, library, MISSPELLED, questions)
        library.close()
    if "ingestion" in options.parts:
        measure_ingestion(lines, pool, settings)


if __name__ == "__main__":
    main()
