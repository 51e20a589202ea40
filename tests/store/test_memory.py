"""What a person wants the roles to know, and its versions."""

import pytest
from psycopg_pool import ConnectionPool

from meetmind.database.memory import get_version
from meetmind.database.users import find_user_by_name, insert_user
from meetmind.errors import MemoryTooLong
from meetmind.server.memory import MEMORY_CHARACTERS, Memory


def new_person(pool: ConnectionPool, name: str) -> str:
    insert_user(pool, name, "!")
    user = find_user_by_name(pool, name)
    assert user is not None
    return user.id


@pytest.fixture
def memory(pool: ConnectionPool) -> Memory:
    return Memory(pool)


@pytest.fixture
def lin(pool: ConnectionPool) -> str:
    return new_person(pool, "lin")


def test_nobody_has_a_memory_at_first(memory: Memory, lin: str) -> None:
    assert memory.get_memory(lin) is None
    assert memory.list_versions(lin) == []


def test_the_newest_version_holds_and_the_older_ones_are_kept(memory: Memory, lin: str) -> None:
    first = memory.save_memory(lin, "I look after payments.")
    second = memory.save_memory(lin, "我负责支付。")

    assert memory.get_memory(lin) == second
    assert memory.list_versions(lin) == [second, first]


def test_an_unchanged_memory_gets_no_new_version(memory: Memory, lin: str) -> None:
    first = memory.save_memory(lin, "I look after payments.")

    assert memory.save_memory(lin, "I look after payments.\n") == first


def test_a_memory_can_be_emptied(memory: Memory, lin: str) -> None:
    memory.save_memory(lin, "I look after payments.")
    memory.save_memory(lin, "")

    newest = memory.get_memory(lin)
    assert newest is not None
    assert newest.content == ""


def test_characters_that_cannot_be_stored_are_left_out(memory: Memory, lin: str) -> None:
    assert memory.save_memory(lin, "a\x00b\ud83dc😀").content == "abc😀"


def test_a_memory_beyond_the_limit_is_refused_and_nothing_is_saved(
    memory: Memory, lin: str
) -> None:
    memory.save_memory(lin, "字" * MEMORY_CHARACTERS)

    with pytest.raises(MemoryTooLong, match="8001 characters"):
        memory.save_memory(lin, "字" * (MEMORY_CHARACTERS + 1))

    assert len(memory.list_versions(lin)) == 1


def test_nobody_reads_the_memory_of_another_person(
    memory: Memory, lin: str, pool: ConnectionPool
) -> None:
    version = memory.save_memory(lin, "Only mine.")
    eve = new_person(pool, "eve")

    assert memory.get_memory(eve) is None
    assert memory.list_versions(eve) == []
    assert get_version(pool, eve, version.id) is None
    assert get_version(pool, lin, version.id) == version
