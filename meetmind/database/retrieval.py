"""Recall of passages in one statement: words by BM25 over the postings, vectors by cosine."""

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg import sql
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind.database.agent_tables import with_tables

HNSW_CANDIDATES = 100


@dataclass(frozen=True, kw_only=True)
class FoundTerm:
    """A word of the vocabulary that answers to an asked one."""

    asked: str
    id: int
    term: str
    passages: int
    is_exact: bool


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """What a role's table knows about the words of a question."""

    passage_count: int
    average_length: float
    found: tuple[FoundTerm, ...]


# Latin words that the vocabulary lacks are answered by the most similar ones that it has. There is
# always at least one row, for the size of the table.
SELECT_TERMS = sql.SQL("""
with size as (
    select count(*) as passage_count, coalesce(avg(length), 1)::float8 as average_length
    from {passages}
),
found as (
    select asked.term as asked, known.id, known.term, known.passages, true as is_exact
    from unnest(%(terms)s::text[]) as asked (term)
    join {terms} as known on known.term = asked.term
    union all
    select asked.term, similar_term.id, similar_term.term, similar_term.passages, false
    from unnest(%(guessable)s::text[]) as asked (term)
    cross join lateral (
        select id, term, passages
        from {terms}
        where is_latin
          and term %% asked.term
        order by similarity(term, asked.term) desc, passages desc, term
        limit 8
    ) as similar_term
    where not exists (select from {terms} as known where known.term = asked.term)
)
select size.*, found.*
from size
left join found on true
""")


def look_up_terms(
    pool: ConnectionPool, table_name: str, terms: Sequence[str], guessable: Sequence[str]
) -> Vocabulary:
    """The vocabulary's words for the asked ones; similar words answer to `guessable` ones."""
    parameters = {"terms": list(terms), "guessable": list(guessable)}
    with pool.connection() as connection:
        rows = connection.execute(with_tables(SELECT_TERMS, table_name), parameters).fetchall()
    found: list[FoundTerm] = []
    for _, _, asked, term_id, term, passages, is_exact in rows:
        if asked is not None:
            found_term = FoundTerm(
                asked=asked, id=term_id, term=term, passages=passages, is_exact=is_exact
            )
            found.append(found_term)
    passage_count, average_length = rows[0][:2]
    return Vocabulary(
        passage_count=passage_count, average_length=average_length, found=tuple(found)
    )


@dataclass(frozen=True, kw_only=True)
class RecalledPassage:
    """A passage that at least one path found."""

    id: str
    content: str
    title: str
    summary: str
    source: str
    locator: str
    language: str
    bm25_rank: int | None
    bm25_score: float | None
    vector_rank: int | None
    vector_score: float | None


# Okapi BM25 with k1 = 1.2 and b = 0.75 (Robertson and Zaragoza 2009); the weight holds the idf.
RECALL = sql.SQL("""
with asked as (
    select *
    from unnest(%(term_ids)s::integer[], %(weights)s::real[]) as asked (term_id, weight)
),
word_scores as (
    select
        posting.passage as number,
        sum(
            asked.weight * posting.frequency * 2.2
            / (posting.frequency
               + 1.2 * (0.25 + 0.75 * posting.length / %(average_length)s::float8))
        ) as score
    from asked
    join {postings} as posting using (term_id)
    group by posting.passage
    order by score desc, number
    limit %(depth)s
),
word_hits as (
    select number, score, row_number() over (order by score desc, number) as rank
    from word_scores
),
vector_scores as (
    select number, embedding <=> %(vector)s::halfvec(384) as distance
    from {passages}
    where embedding is not null
      and %(vector)s::halfvec(384) is not null
    order by embedding <=> %(vector)s::halfvec(384)
    limit %(depth)s
),
vector_hits as (
    select number, 1 - distance as score, row_number() over (order by distance, number) as rank
    from vector_scores
)
select
    passage.id,
    passage.content,
    passage.metadata ->> 'title' as title,
    passage.metadata ->> 'summary' as summary,
    passage.metadata ->> 'source' as source,
    passage.metadata ->> 'locator' as locator,
    passage.metadata ->> 'language' as language,
    word_hits.rank as bm25_rank,
    word_hits.score as bm25_score,
    vector_hits.rank as vector_rank,
    vector_hits.score as vector_score
from word_hits
full join vector_hits using (number)
join {passages} as passage using (number)
""")

SET_HNSW_CANDIDATES = """
select set_config('hnsw.ef_search', %(candidates)s, true)
"""


def recall_passages(
    pool: ConnectionPool,
    table_name: str,
    *,
    weight_by_term_id: dict[int, float],
    average_length: float,
    vector: Sequence[float] | None,
    depth: int,
) -> list[RecalledPassage]:
    """The best `depth` passages of each path; without a vector or terms that path stays empty."""
    parameters = {
        "term_ids": list(weight_by_term_id.keys()),
        "weights": list(weight_by_term_id.values()),
        "average_length": average_length,
        "vector": None if vector is None else vector_literal(vector),
        "depth": depth,
    }
    with pool.connection() as connection:
        if vector is not None:
            candidates = str(max(HNSW_CANDIDATES, depth))
            connection.execute(SET_HNSW_CANDIDATES, {"candidates": candidates})
        cursor = connection.cursor(row_factory=class_row(RecalledPassage))
        return cursor.execute(with_tables(RECALL, table_name), parameters).fetchall()


RECALL_BY_VECTOR = sql.SQL("""
select
    id,
    content,
    metadata ->> 'title' as title,
    metadata ->> 'summary' as summary,
    metadata ->> 'source' as source,
    metadata ->> 'locator' as locator,
    metadata ->> 'language' as language,
    null::bigint as bm25_rank,
    null::float8 as bm25_score,
    row_number() over (order by embedding <=> %(vector)s::halfvec(384)) as vector_rank,
    1 - (embedding <=> %(vector)s::halfvec(384)) as vector_score
from {passages}
where embedding is not null
order by embedding <=> %(vector)s::halfvec(384)
limit %(depth)s
""")


def recall_by_vector(
    pool: ConnectionPool, table_name: str, vector: Sequence[float], depth: int
) -> list[RecalledPassage]:
    """The nearest passages alone, without a look at the words, for when those cannot be read."""
    parameters = {"vector": vector_literal(vector), "depth": depth}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(RecalledPassage))
        return cursor.execute(with_tables(RECALL_BY_VECTOR, table_name), parameters).fetchall()


def vector_literal(vector: Sequence[float]) -> str:
    """The vector as pgvector reads it."""
    return "[" + ",".join(f"{value:.6g}" for value in vector) + "]"
