"""What a person wants every role to know: Markdown that its owner edits, with its versions."""

from psycopg_pool import ConnectionPool

from meetmind.clean_text import clean_bad_chars
from meetmind.database import memory as memory_table
from meetmind.database.memory import MemoryVersion
from meetmind.errors import MemoryTooLong

MEMORY_CHARACTERS = 8_000


class Memory:
    """The personal memories of everybody, each under its owner's id."""

    def __init__(self, pool: ConnectionPool) -> None:
        self._pool = pool

    def get_memory(self, owner_id: str) -> MemoryVersion | None:
        """The memory that holds now, or None when there never was one."""
        return memory_table.get_memory(self._pool, owner_id)

    def save_memory(self, owner_id: str, content: str) -> MemoryVersion:
        """Store `content` as the newest version; an unchanged memory gets no new one.

        Raises `MemoryTooLong` beyond `MEMORY_CHARACTERS`.
        """
        cleaned = clean_bad_chars(content).strip()
        if len(cleaned) > MEMORY_CHARACTERS:
            raise MemoryTooLong(
                f"The memory has {len(cleaned)} characters and may have {MEMORY_CHARACTERS}. "
                "Shorten it; nothing was saved.",
                characters=len(cleaned),
                limit=MEMORY_CHARACTERS,
            )
        current = self.get_memory(owner_id)
        if current is not None and current.content == cleaned:
            return current
        return memory_table.insert_version(self._pool, owner_id, cleaned)

    def list_versions(self, owner_id: str) -> list[MemoryVersion]:
        """Every version, the newest first."""
        return memory_table.list_versions(self._pool, owner_id)
