"""Recall of passages in one statement: words by BM25 over the postings, vectors by cosine."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from psycopg import sql
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind.config.retrieval_settings import ACROSS, WORDS_PATH
from meetmind.database.agent_tables import with_tables
from meetmind.database.embedding_columns import (
    embedding_column,
    in_language,
    tokens_column,
    vector_literal,
    with_columns,
)

HNSW_CANDIDATES = 100
MOST_HNSW_CANDIDATES = 1_000


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
class WordLeg:
    """The asked words of a table's vocabulary, weighted by their idf."""

    weight_by_term_id: Mapping[int, float]
    average_length: float


@dataclass(frozen=True, kw_only=True)
class VectorLeg:
    """A question's vector by the model `key`, among all passages or those in one language."""

    key: str
    vector: Sequence[float]
    language: str = ""
    """Only passages in this language; empty for all."""
    is_across: bool = False
    """Whether that language is another one than the question's: a path of its own."""

    @property
    def path(self) -> str:
        """The name of the path."""
        return f"{self.key}{ACROSS}" if self.is_across else self.key


@dataclass(frozen=True, kw_only=True)
class RecalledPassage:
    """A passage that at least one path found, with its rank and score on each of `paths`."""

    number: int
    id: str
    content: str
    title: str
    summary: str
    source: str
    locator: str
    language: str
    dated: str
    paths: Sequence[str]
    ranks: Sequence[int]
    scores: Sequence[float]

    @property
    def is_across(self) -> bool:
        """Whether a path that looks across languages found it."""
        return any(path.endswith(ACROSS) for path in self.paths)

    def rank_on(self, path: str) -> int | None:
        """The passage's rank on the path, from 1; None where the path did not find it."""
        if path not in self.paths:
            return None
        return self.ranks[self.paths.index(path)]

    def score_on(self, path: str) -> float | None:
        """The passage's score on the path; None where the path did not find it."""
        if path not in self.paths:
            return None
        return self.scores[self.paths.index(path)]


# Okapi BM25 with k1 = 1.2 and b = 0.75 (Robertson and Zaragoza 2009); the weight holds the idf.
WORD_SCORES = sql.SQL("""
words as (
    select
        posting.passage as number,
        sum(
            asked.weight * posting.frequency * 2.2
            / (posting.frequency
               + 1.2 * (0.25 + 0.75 * posting.length / %(average_length)s::float8))
        ) as score
    from unnest(%(term_ids)s::integer[], %(weights)s::real[]) as asked (term_id, weight)
    join {postings} as posting using (term_id)
    where not exists (
        select
        from {passages} as passage
        where passage.number = posting.passage
          and passage.is_disabled
    )
    group by posting.passage
    order by score desc, number
    limit %(depth)s
)""")

# Sorted by the distance alone: only then the index answers.
VECTOR_SCORES = sql.SQL("""
{path} as (
    select number, 1 - distance as score
    from (
        select number, {embedding} <=> {vector}::halfvec as distance
        from {passages}
        where {embedding} is not null
          and not is_disabled
          and {in_language}
        order by {embedding} <=> {vector}::halfvec
        limit %(depth)s
    ) as nearest
)""")

HITS = sql.SQL("""
    select
        number,
        {name} as path,
        score,
        row_number() over (order by score desc, number) as rank
    from {path}
""")

RECALL = sql.SQL("""
with {scores},
hits as ({hits}),
found as (
    select
        number,
        array_agg(path) as paths,
        array_agg(rank) as ranks,
        array_agg(score::float8) as scores
    from hits
    group by number
)
select
    passage.number,
    passage.id,
    passage.content,
    passage.metadata ->> 'title' as title,
    passage.metadata ->> 'summary' as summary,
    passage.metadata ->> 'source' as source,
    passage.metadata ->> 'locator' as locator,
    passage.metadata ->> 'language' as language,
    coalesce(passage.metadata ->> 'dated', '') as dated,
    found.paths,
    found.ranks,
    found.scores
from found
join {passages} as passage using (number)
""")

SET_HNSW_CANDIDATES = """
select set_config('hnsw.ef_search', %(candidates)s, true)
"""


def recall_passages(
    pool: ConnectionPool,
    table_name: str,
    *,
    words: WordLeg | None,
    vectors: Sequence[VectorLeg],
    depth: int,
) -> list[RecalledPassage]:
    """The best `depth` passages of each path, in no order; needs at least one path."""
    statement = _recall_statement(table_name, words is not None, vectors)
    parameters = _recall_parameters(words, vectors, depth)
    with pool.connection() as connection:
        if vectors:
            candidates = str(min(max(HNSW_CANDIDATES, depth), MOST_HNSW_CANDIDATES))
            connection.execute(SET_HNSW_CANDIDATES, {"candidates": candidates})
        cursor = connection.cursor(row_factory=class_row(RecalledPassage))
        return cursor.execute(statement, parameters).fetchall()


def _recall_statement(
    table_name: str, has_words: bool, vectors: Sequence[VectorLeg]
) -> sql.Composed:
    scores: list[sql.Composable] = []
    paths: list[str] = []
    if has_words:
        scores.append(with_tables(WORD_SCORES, table_name))
        paths.append(WORDS_PATH)
    for leg in vectors:
        scores.append(_vector_scores(table_name, leg))
        paths.append(leg.path)
    hits = [HITS.format(name=sql.Literal(path), path=sql.Identifier(path)) for path in paths]
    return RECALL.format(
        scores=sql.SQL(",").join(scores),
        hits=sql.SQL(" union all ").join(hits),
        passages=sql.Identifier(table_name),
    )


def _vector_scores(table_name: str, leg: VectorLeg) -> sql.Composed:
    return VECTOR_SCORES.format(
        path=sql.Identifier(leg.path),
        embedding=sql.Identifier(embedding_column(leg.key)),
        vector=sql.Placeholder(f"vector_{leg.path}"),
        in_language=in_language(leg.language),
        passages=sql.Identifier(table_name),
    )


def _recall_parameters(
    words: WordLeg | None, vectors: Sequence[VectorLeg], depth: int
) -> dict[str, object]:
    parameters: dict[str, object] = {"depth": depth}
    if words is not None:
        parameters["term_ids"] = list(words.weight_by_term_id.keys())
        parameters["weights"] = list(words.weight_by_term_id.values())
        parameters["average_length"] = words.average_length
    for leg in vectors:
        parameters[f"vector_{leg.path}"] = vector_literal(leg.vector)
    return parameters


@dataclass(frozen=True, kw_only=True)
class SeenPassage:
    """What a model made of a passage, as it is looked at for reranking."""

    number: int
    tokens: bytes
    """Empty for a passage whose token vectors were not asked for."""
    cosine: float


SELECT_SEEN = sql.SQL("""
select
    number,
    case when number = any(%(known_numbers)s) then ''::bytea else {tokens} end as tokens,
    1 - ({embedding} <=> %(vector)s::halfvec) as cosine
from {passages}
where number = any(%(numbers)s)
  and {embedding} is not null
  and {tokens} is not null
""")


def seen_passages(
    pool: ConnectionPool,
    table_name: str,
    leg: VectorLeg,
    numbers: Sequence[int],
    known_numbers: Iterable[int] = (),
) -> list[SeenPassage]:
    """The compressed token vectors and the cosines of those passages that the model has seen.

    Token vectors are some ten thousand bytes a passage: those of `known_numbers` are left out.
    """
    statement = SELECT_SEEN.format(
        tokens=sql.Identifier(tokens_column(leg.key)),
        embedding=sql.Identifier(embedding_column(leg.key)),
        passages=sql.Identifier(table_name),
    )
    parameters = {
        "vector": vector_literal(leg.vector),
        "numbers": list(numbers),
        "known_numbers": list(known_numbers),
    }
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(SeenPassage), binary=True)
        return cursor.execute(statement, parameters).fetchall()


SELECT_COHORT_NUMBERS = sql.SQL("""
select number
from {passages}
where {embedding} is not null
  and {tokens} is not null
  and metadata ->> 'language' = %(language)s
order by md5(id)
limit %(size)s
""")


def cohort_numbers(
    pool: ConnectionPool, table_name: str, key: str, language: str, size: int
) -> list[int]:
    """Some passages in a language, the same ones every time: what any passage scores."""
    statement = with_columns(SELECT_COHORT_NUMBERS, table_name, key)
    with pool.connection() as connection:
        rows = connection.execute(statement, {"language": language, "size": size}).fetchall()
    return [number for (number,) in rows]
