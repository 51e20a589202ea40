"""Passages as people see them: filtered, sorted and in pages; each with its neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from psycopg import sql
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind.database.agent_tables import check_table_name, with_tables
from meetmind.database.embedding_columns import embedding_column, seen_column

SortBy = Literal["document", "title", "newest", "longest"]


@dataclass(frozen=True, kw_only=True)
class PassageCounts:
    """How much a role's table holds."""

    passages: int
    chinese_passages: int
    english_passages: int
    characters: int
    embedded_passages: int
    """Passages that a search by meaning can find: with a vector, and not kept out."""
    seen_passages: int
    """Passages that every one of the models has looked at, also those that it cannot read."""


COUNT_PASSAGES = sql.SQL("""
select
    count(*) as passages,
    count(*) filter (where metadata ->> 'language' = 'zh') as chinese_passages,
    count(*) filter (where metadata ->> 'language' = 'en') as english_passages,
    coalesce(sum(char_length(content)), 0) as characters,
    count(*) filter (where ({has_vector}) and not is_disabled) as embedded_passages,
    count(*) filter (where {is_seen}) as seen_passages
from {passages}
""")


def count_passages(
    pool: ConnectionPool, table_name: str, model_keys: Sequence[str]
) -> PassageCounts:
    """Passages, characters and languages of a role, and what the models made of them."""
    check_table_name(table_name)
    is_seen: list[sql.Composable] = [sql.SQL("true" if model_keys else "false")]
    has_vector: list[sql.Composable] = [sql.SQL("false")]
    for key in model_keys:
        is_seen.append(sql.Identifier(seen_column(key)))
        has_vector.append(sql.SQL("{} is not null").format(sql.Identifier(embedding_column(key))))
    statement = COUNT_PASSAGES.format(
        passages=sql.Identifier(table_name),
        is_seen=sql.SQL(" and ").join(is_seen),
        has_vector=sql.SQL(" or ").join(has_vector),
    )
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(PassageCounts))
        counts = cursor.execute(statement).fetchone()
    assert counts is not None
    return counts


@dataclass(frozen=True, kw_only=True)
class PassageFilter:
    """Which passages are wanted; None and an empty text want all."""

    source: str | None = None
    language: str | None = None
    words: str = ""
    """Stand in the title or the text, as they are, in any case."""
    only_disabled: bool = False
    only_edited: bool = False


@dataclass(frozen=True, kw_only=True)
class PassageRow:
    """A passage of a role's table, under one of its documents."""

    id: str
    title: str
    source: str
    locator: str
    language: str
    content: str
    position: int
    is_disabled: bool
    is_edited: bool
    other_sources: int
    """In how many other documents the same text stands."""


@dataclass(frozen=True, kw_only=True)
class PassagePage:
    """Some of the passages that were asked for, and how many there are in all."""

    passages: tuple[PassageRow, ...]
    total: int


SELECT_FIELDS = """
select
    passage.id,
    link.title,
    link.source,
    link.locator,
    passage.metadata ->> 'language' as language,
    passage.content,
    link.position,
    passage.is_disabled,
    exists (
        select
        from passage_edits as edit
        where edit.table_name = link.table_name
          and edit.edited_id = passage.id
    ) as is_edited,
    (
        select count(*)
        from passage_sources as other
        where other.table_name = link.table_name
          and other.passage_id = passage.id
          and other.source <> link.source
    ) as other_sources
from passage_sources as link
join {passages} as passage on passage.id = link.passage_id
"""

WANTED = """
where link.table_name = %(table_name)s
  and (%(source)s::text is null or link.source = %(source)s)
  and (%(language)s::text is null or passage.metadata ->> 'language' = %(language)s)
  and (
      %(pattern)s::text is null
      or passage.content ilike %(pattern)s
      or link.title ilike %(pattern)s
  )
  and (not %(only_disabled)s or passage.is_disabled)
  and (
      not %(only_edited)s
      or exists (
          select
          from passage_edits as edit
          where edit.table_name = link.table_name
            and edit.edited_id = passage.id
      )
  )
"""

COUNT_FROM = """
select count(*)
from passage_sources as link
join {passages} as passage on passage.id = link.passage_id
"""

COUNT_WANTED = sql.SQL(COUNT_FROM + WANTED)

ORDER_BY = {
    "document": sql.SQL("order by link.source, link.position"),
    "title": sql.SQL("order by link.title, link.source, link.position"),
    "newest": sql.SQL("order by passage.number desc, link.source"),
    "longest": sql.SQL("order by char_length(passage.content) desc, passage.id, link.source"),
}
SELECT_WANTED = sql.SQL(SELECT_FIELDS + WANTED + "{order_by}\nlimit %(limit)s\noffset %(offset)s")


def find_passages(
    pool: ConnectionPool,
    table_name: str,
    wanted: PassageFilter,
    *,
    sort_by: SortBy = "document",
    offset: int = 0,
    limit: int = 50,
) -> PassagePage:
    """The wanted passages, a page at a time; one with two sources stands under both."""
    check_table_name(table_name)
    pattern = None
    if wanted.words.strip():
        pattern = f"%{_escaped(wanted.words.strip())}%"
    parameters = {
        "table_name": table_name,
        "source": wanted.source,
        "language": wanted.language,
        "pattern": pattern,
        "only_disabled": wanted.only_disabled,
        "only_edited": wanted.only_edited,
        "offset": offset,
        "limit": limit,
    }
    passages = sql.Identifier(table_name)
    statement = SELECT_WANTED.format(passages=passages, order_by=ORDER_BY[sort_by])
    with pool.connection() as connection:
        counted = connection.execute(COUNT_WANTED.format(passages=passages), parameters).fetchone()
        cursor = connection.cursor(row_factory=class_row(PassageRow))
        rows = cursor.execute(statement, parameters).fetchall()
    return PassagePage(passages=tuple(rows), total=0 if counted is None else counted[0])


def _escaped(words: str) -> str:
    """The words as they are, for `ilike`."""
    return words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


SELECT_BY_ID = sql.SQL(
    SELECT_FIELDS
    + """
where link.table_name = %(table_name)s
  and link.passage_id = %(passage_id)s
order by link.source, link.position
"""
)


def find_passage(pool: ConnectionPool, table_name: str, passage_id: str) -> list[PassageRow]:
    """A passage under each of its documents; nothing when there is none of this id."""
    check_table_name(table_name)
    statement = SELECT_BY_ID.format(passages=sql.Identifier(table_name))
    parameters = {"table_name": table_name, "passage_id": passage_id}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(PassageRow))
        return cursor.execute(statement, parameters).fetchall()


SELECT_NEIGHBOURS = sql.SQL(
    SELECT_FIELDS
    + """
where link.table_name = %(table_name)s
  and link.source = %(source)s
  and link.position between %(position)s - %(reach)s and %(position)s + %(reach)s
order by link.position
"""
)


def neighbours(
    pool: ConnectionPool, table_name: str, source: str, position: int, reach: int = 1
) -> list[PassageRow]:
    """What stands around a place of a document, the place included, in the order of the text."""
    check_table_name(table_name)
    statement = SELECT_NEIGHBOURS.format(passages=sql.Identifier(table_name))
    parameters = {
        "table_name": table_name,
        "source": source,
        "position": position,
        "reach": reach,
    }
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(PassageRow))
        return cursor.execute(statement, parameters).fetchall()


UPDATE_DISABLED = sql.SQL("""
update {passages}
set is_disabled = %(is_disabled)s
where id = %(passage_id)s
""")


REMEMBER_DISABLED = """
insert into disabled_passages (table_name, passage_id)
values (%(table_name)s, %(passage_id)s)
on conflict do nothing
"""

FORGET_DISABLED = """
delete from disabled_passages
where table_name = %(table_name)s
  and passage_id = %(passage_id)s
"""


def set_disabled(pool: ConnectionPool, table_name: str, passage_id: str, is_disabled: bool) -> bool:
    """Keep a passage out of every search, or let it be found again; False when it is not there.

    Holds over every later reading, also for a passage that is still to be read.
    """
    parameters = {
        "table_name": table_name,
        "passage_id": passage_id,
        "is_disabled": is_disabled,
    }
    with pool.connection() as connection:
        connection.execute(REMEMBER_DISABLED if is_disabled else FORGET_DISABLED, parameters)
        statement = with_tables(UPDATE_DISABLED, table_name)
        return connection.execute(statement, parameters).rowcount == 1


@dataclass(frozen=True, kw_only=True)
class PassageVector:
    """A passage as a point of a map."""

    id: str
    title: str
    source: str
    language: str
    vector: Sequence[float]


SELECT_VECTORS = sql.SQL("""
select
    id,
    metadata ->> 'title' as title,
    metadata ->> 'source' as source,
    metadata ->> 'language' as language,
    {embedding}::vector::real[] as vector
from {passages}
where {embedding} is not null
order by id
limit %(limit)s
""")


def passage_vectors(
    pool: ConnectionPool, table_name: str, key: str, limit: int
) -> list[PassageVector]:
    """The vectors of a role's passages by the model `key`, (dimensions,) each."""
    check_table_name(table_name)
    statement = SELECT_VECTORS.format(
        embedding=sql.Identifier(embedding_column(key)), passages=sql.Identifier(table_name)
    )
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(PassageVector))
        return cursor.execute(statement, {"limit": limit}).fetchall()
