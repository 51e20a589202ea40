"""Where one passage stands on every path, however far down: why it was not found."""

from collections.abc import Sequence

from psycopg import sql
from psycopg_pool import ConnectionPool

from meetmind.config.retrieval_settings import WORDS_PATH
from meetmind.database.agent_tables import with_tables
from meetmind.database.embedding_columns import embedding_column, in_language, vector_literal
from meetmind.database.retrieval import VectorLeg, WordLeg
from meetmind.events import PathScore

LOCATE_BY_WORDS = sql.SQL("""
with scores as (
    select
        passage.id,
        sum(
            asked.weight * posting.frequency * 2.2
            / (posting.frequency
               + 1.2 * (0.25 + 0.75 * posting.length / %(average_length)s::float8))
        ) as score
    from unnest(%(term_ids)s::integer[], %(weights)s::real[]) as asked (term_id, weight)
    join {postings} as posting using (term_id)
    join {passages} as passage on passage.number = posting.passage
    where not passage.is_disabled
    group by passage.id
)
select
    (select count(*) from scores as better where better.score > own.score) + 1,
    own.score
from scores as own
where own.id = %(passage_id)s
""")

LOCATE_BY_VECTOR = sql.SQL("""
with own as (
    select {embedding} <=> %(vector)s::halfvec as distance
    from {passages}
    where id = %(passage_id)s
      and {embedding} is not null
      and not is_disabled
      and {in_language}
)
select
    (
        select count(*)
        from {passages} as other
        where other.{embedding} is not null
          and not other.is_disabled
          and {in_language}
          and other.{embedding} <=> %(vector)s::halfvec < own.distance
    ) + 1,
    1 - own.distance
from own
""")


def locate_passage(
    pool: ConnectionPool,
    table_name: str,
    passage_id: str,
    *,
    words: WordLeg | None,
    vectors: Sequence[VectorLeg],
) -> list[PathScore]:
    """The passage's rank and score on each path, counted over the whole table.

    A path on which it has no score at all (none of the words, no vector) is left out.
    """
    places: list[PathScore] = []
    with pool.connection() as connection:
        if words is not None:
            parameters = {
                "passage_id": passage_id,
                "term_ids": list(words.weight_by_term_id.keys()),
                "weights": list(words.weight_by_term_id.values()),
                "average_length": words.average_length,
            }
            statement = with_tables(LOCATE_BY_WORDS, table_name)
            row = connection.execute(statement, parameters).fetchone()
            if row is not None:
                places.append(PathScore(path=WORDS_PATH, rank=row[0], score=row[1]))
        for leg in vectors:
            statement = LOCATE_BY_VECTOR.format(
                passages=sql.Identifier(table_name),
                embedding=sql.Identifier(embedding_column(leg.key)),
                in_language=in_language(leg.language),
            )
            parameters = {"passage_id": passage_id, "vector": vector_literal(leg.vector)}
            row = connection.execute(statement, parameters).fetchone()
            if row is not None:
                places.append(PathScore(path=leg.path, rank=row[0], score=row[1]))
    return places
