"""Large tables for the measurements of `make bench`, mixed from the seed documents' passages.

No model runs: a passage's text is put together from sentences of the seed documents in its
language, its vectors are mixtures of two passages' vectors, its token vectors are those of the
nearer one. What was filled stays for the next time, under a prefix that stands for this content.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from psycopg import sql
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.config.settings import Settings
from meetmind.database.agent_tables import (
    count_docs,
    delete_agent_table,
    ensure_agent_table,
    get_table_name,
    list_agent_tables,
    with_tables,
)
from meetmind.database.connection import long_work
from meetmind.database.documents import NewDocument
from meetmind.database.embedding_columns import ensure_columns, index_vectors, vector_literal
from meetmind.database.ingestion import NewPassage, replace_document
from meetmind.knowledge.sentences import split_sentences
from meetmind.knowledge.words import terms_of
from meetmind.server.library import Library

SEED = 20261130
FILLING_VERSION = "1"
"""Raise it when the same sources would give other tables."""
PREFIX = "big_"
STAGE = "stage"
BLOCK = 1_000
LANGUAGES = ("en", "zh")
LANGUAGES_BY_KEY = {"minilm": ("",), "e5": ("zh", "en")}
"""The indexes that an ingestion builds for each model."""
FILLING_SECONDS = 1_800.0


@dataclass(frozen=True, kw_only=True, eq=False)
class SourcePassage:
    """A passage of the seed documents with what the models made of it."""

    id: str
    title: str
    content: str
    language: str
    minilm: Any
    """pgvector's half vector; None for a Chinese passage."""
    e5: Any
    minilm_tokens: bytes | None
    e5_tokens: bytes | None


@dataclass(frozen=True, kw_only=True, eq=False)
class MixedPassage:
    """A passage for the large tables; vectors as pgvector reads them."""

    passage: NewPassage
    minilm: str | None
    e5: str
    minilm_tokens: bytes | None
    e5_tokens: bytes | None


def big_library(pool: ConnectionPool, settings: Settings, size: int) -> Library:
    """A library whose five tables hold `size` passages each, filled where they are not."""
    sources = _source_passages(pool, settings.pg_table_prefix)
    prefix = _prefix_of(sources, size)
    _drop_others(pool, prefix)
    big_settings = settings.model_copy(
        update={"pg_table_prefix": prefix, "seed_data_path": settings.meetmind_home / "no-seeds"}
    )
    library = Library(pool, big_settings)
    if all(count_docs(pool, table_name) == size for table_name in library.table_names):
        return library
    _fill(pool, library.table_names, sources, size)
    # A fresh one: the first saw columns without vectors.
    return Library(pool, big_settings)


SELECT_SOURCES = sql.SQL("""
select
    id,
    metadata ->> 'title' as title,
    content,
    metadata ->> 'language' as language,
    embedding_minilm as minilm,
    embedding_e5 as e5,
    tokens_minilm as minilm_tokens,
    tokens_e5 as e5_tokens
from {passages}
where embedding_e5 is not null
order by id
""")


def _source_passages(pool: ConnectionPool, prefix: str) -> list[SourcePassage]:
    sources: list[SourcePassage] = []
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(SourcePassage))
        for agent_name in AGENT_NAMES:
            statement = with_tables(SELECT_SOURCES, get_table_name(prefix, agent_name))
            sources.extend(cursor.execute(statement).fetchall())
    return sources


def _prefix_of(sources: Sequence[SourcePassage], size: int) -> str:
    digest = sha256(f"{FILLING_VERSION} {SEED} {size}".encode())
    for source in sources:
        digest.update(f"\0{source.id}\0{source.title}".encode())
        digest.update(source.e5.to_numpy().tobytes())
    return f"{PREFIX}{digest.hexdigest()[:12]}"


def _drop_others(pool: ConnectionPool, prefix: str) -> None:
    """Large tables of another content or size, and what a broken-off filling left."""
    for table_name in list_agent_tables(pool):
        is_other = table_name.startswith(PREFIX) and not table_name.startswith(prefix)
        if is_other or table_name.startswith(STAGE):
            delete_agent_table(pool, table_name)


def _fill(
    pool: ConnectionPool,
    table_names: Sequence[str],
    sources: Sequence[SourcePassage],
    size: int,
) -> None:
    """Fill one table in blocks, as an ingestion does, and copy it into the others."""
    stage = get_table_name(STAGE, AGENT_NAMES[0])
    ensure_agent_table(pool, stage)
    for key in LANGUAGES_BY_KEY:
        ensure_columns(pool, stage, key, len(sources[0].e5.to_list()))
    mixed = mixed_passages(sources, size)
    for number in range(0, size, BLOCK):
        block = [next(mixed) for _ in range(min(BLOCK, size - number))]
        document = NewDocument(source=f"mixed-{number:05}", origin="seed", sha256="mixed")
        replace_document(pool, stage, document, [one.passage for one in block])
        _store_vectors(pool, stage, block)
    for table_name in table_names:
        _copy_table(pool, stage, table_name)
        for key, languages in LANGUAGES_BY_KEY.items():
            index_vectors(pool, table_name, key, languages)
        _analyze(pool, table_name)
    delete_agent_table(pool, stage)


def mixed_passages(sources: Sequence[SourcePassage], size: int) -> Iterator[MixedPassage]:
    """The same passages at every run, half of them in each language."""
    draw = random.Random(SEED)
    for number in range(size):
        language = LANGUAGES[number % len(LANGUAGES)]
        candidates = [source for source in sources if source.language == language]
        near, far = draw.sample(candidates, 2)
        share = draw.uniform(0.5, 1.0)
        content = _mixed_text(draw, near, candidates)
        yield MixedPassage(
            passage=NewPassage(
                id=f"mixed_{number:05}",
                content=content,
                title=near.title,
                summary="",
                source=f"mixed-{number // BLOCK * BLOCK:05}",
                locator=str(number % BLOCK + 1),
                language=language,
                doc_type="",
                frequency_by_term=Counter(terms_of(f"{near.title}\n\n{content}")),
            ),
            minilm=_mixed_vector(near.minilm, far.minilm, share),
            e5=_mixed_vector(near.e5, far.e5, share) or "",
            minilm_tokens=near.minilm_tokens,
            e5_tokens=near.e5_tokens,
        )


def _mixed_text(
    draw: random.Random, near: SourcePassage, candidates: Sequence[SourcePassage]
) -> str:
    """Half of the near passage's sentences, and as many others as it has left."""
    sentences = split_sentences(near.content)
    kept = draw.sample(sentences, (len(sentences) + 1) // 2)
    while len(kept) < len(sentences):
        others = split_sentences(draw.choice(candidates).content)
        kept.append(draw.choice(others))
    draw.shuffle(kept)
    joint = " " if near.language == "en" else ""
    return joint.join(kept)


def _mixed_vector(near: Any, far: Any, share: float) -> str | None:
    if near is None or far is None:
        return None
    mixed = share * near.to_numpy().astype(np.float32)
    mixed += (1 - share) * far.to_numpy().astype(np.float32)
    unit: list[float] = (mixed / np.linalg.norm(mixed)).tolist()
    return vector_literal(unit)


CREATE_GIVEN = """
create temp table given (
    id text,
    minilm halfvec,
    e5 halfvec,
    minilm_tokens bytea,
    e5_tokens bytea
) on commit drop
"""

COPY_GIVEN = """
copy given
from stdin
"""

STORE_GIVEN = sql.SQL("""
update {passages} as passage
set embedding_minilm = given.minilm,
    embedding_e5 = given.e5,
    tokens_minilm = given.minilm_tokens,
    tokens_e5 = given.e5_tokens,
    seen_minilm = true,
    seen_e5 = true
from given
where passage.id = given.id
""")


def _store_vectors(pool: ConnectionPool, table_name: str, block: Sequence[MixedPassage]) -> None:
    with long_work(pool) as connection:
        connection.execute(CREATE_GIVEN)
        with connection.cursor() as cursor, cursor.copy(COPY_GIVEN) as copy:
            for one in block:
                copy.write_row(
                    (one.passage.id, one.minilm, one.e5, one.minilm_tokens, one.e5_tokens)
                )
        connection.execute(with_tables(STORE_GIVEN, table_name))


COPY_TABLE = sql.SQL("""
truncate {passages}, {terms}, {postings};

insert into {passages}
    (id, number, content, metadata, length, embedding_minilm, embedding_e5,
     tokens_minilm, tokens_e5, seen_minilm, seen_e5)
overriding system value
select
    id, number, content, metadata, length, embedding_minilm, embedding_e5,
    tokens_minilm, tokens_e5, seen_minilm, seen_e5
from {from_passages}
order by number;

insert into {terms} (id, term, passages, is_latin)
overriding system value
select id, term, passages, is_latin
from {from_terms}
order by id;

insert into {postings} (term_id, passage, frequency, length)
select term_id, passage, frequency, length
from {from_postings}
order by term_id, passage;
""")


def _copy_table(pool: ConnectionPool, stage: str, table_name: str) -> None:
    statement = COPY_TABLE.format(
        passages=sql.Identifier(table_name),
        terms=sql.Identifier(f"{table_name}_terms"),
        postings=sql.Identifier(f"{table_name}_postings"),
        from_passages=sql.Identifier(stage),
        from_terms=sql.Identifier(f"{stage}_terms"),
        from_postings=sql.Identifier(f"{stage}_postings"),
    )
    with long_work(pool) as connection:
        connection.execute(statement, prepare=False)


VACUUM = sql.SQL("""
vacuum (analyze) {passages}, {terms}, {postings}
""")


def _analyze(pool: ConnectionPool, table_name: str) -> None:
    """What autovacuum would do within a minute."""
    with pool.connection() as connection:
        connection.rollback()
        connection.autocommit = True
        try:
            connection.execute(with_tables(VACUUM, table_name))
        finally:
            connection.autocommit = False
