"""Which embedding models the tables have columns for, and which of them are searched."""

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind.database.agent_tables import list_agent_tables
from meetmind.database.connection import long_work
from meetmind.database.embedding_columns import drop_columns, ensure_columns

FILLING = "filling"
IN_FORCE = "in_force"
LEAVING = "leaving"


@dataclass(frozen=True, kw_only=True)
class EmbeddingModelRow:
    """A model that the tables have columns for."""

    key: str
    name: str
    dimensions: int
    token_frame: bytes | None
    """How its token vectors are stored, as an npz archive."""
    state: str
    """`filling`: not searched yet; `in_force`: searched; `leaving`: searched until replaced."""

    @property
    def is_searched(self) -> bool:
        """Whether questions go to its vectors."""
        return self.state in (IN_FORCE, LEAVING)


SELECT_MODELS = """
select key, name, dimensions, token_frame, state
from embedding_models
order by created_at, key
"""


def list_embedding_models(pool: ConnectionPool) -> list[EmbeddingModelRow]:
    """Every model with columns, the oldest first."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(EmbeddingModelRow))
        return cursor.execute(SELECT_MODELS).fetchall()


INSERT_MODEL = """
insert into embedding_models (key, name, dimensions, token_frame, state)
values (%(key)s, %(name)s, %(dimensions)s, %(token_frame)s, %(state)s)
on conflict (key) do nothing
"""


def add_embedding_model(
    pool: ConnectionPool, table_names: Sequence[str], model: EmbeddingModelRow
) -> None:
    """Give every role's table columns for a model."""
    for table_name in table_names:
        ensure_columns(pool, table_name, model.key, model.dimensions)
    parameters = {
        "key": model.key,
        "name": model.name,
        "dimensions": model.dimensions,
        "token_frame": model.token_frame,
        "state": model.state,
    }
    with pool.connection() as connection:
        connection.execute(INSERT_MODEL, parameters)


UPDATE_STATE = """
update embedding_models
set state = %(state)s
where key = any(%(keys)s)
"""


def set_model_states(pool: ConnectionPool, keys: Sequence[str], state: str) -> None:
    """Mark models as filling, in force or leaving."""
    with pool.connection() as connection:
        connection.execute(UPDATE_STATE, {"keys": list(keys), "state": state})


DELETE_MODELS = """
delete from embedding_models
where key = any(%(keys)s)
"""


def swap_models(pool: ConnectionPool, *, coming: Sequence[str], going: Sequence[str]) -> None:
    """Search the coming models from now on and remove the going ones, in one transaction."""
    table_names = list_agent_tables(pool)
    with long_work(pool) as connection:
        connection.execute(UPDATE_STATE, {"keys": list(coming), "state": IN_FORCE})
        connection.execute(DELETE_MODELS, {"keys": list(going)})
        for table_name in table_names:
            for key in going:
                drop_columns(connection, table_name, key)
