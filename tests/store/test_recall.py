"""Recall: what was said is embedded after the answer, kept without secrets, found for its owner."""

import asyncio
import threading
from collections.abc import Iterator, Sequence

import pytest
from psycopg_pool import ConnectionPool

from meetmind.config.settings import PROJECT_ROOT
from meetmind.database import sessions
from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.embedding import Embedder, EncodedText
from meetmind.knowledge.models.folders import E5_SMALL, model_folder
from meetmind.server.accounts import Accounts
from meetmind.server.recall import Recall
from tests.store.embedders import LoadingEmbedder, WordEmbedder, e5
from tests.support.long_talk import store_talk

KEY = "ghp_" + "a1B2c3" * 6
EVERYTHING = 10**9
SHIPPING = {
    "en": (
        "The free shipping threshold stays at 49.90 euros. Below that customers pay 4.90 euros, "
        "and the cart shows how much is missing."
    ),
    "zh": "满 59 元包邮不变，不到的收 8 元运费，购物车里提示还差多少。秋季活动前我不建议下调。",
}
OTHERS = {
    "en": (
        "Screen readers announce the error summary first; the focus then goes to the first field.",
        "We load test with 12,000 users and stop at an error rate of 1 %.",
        "Reviews with photos are checked by a person before they are shown.",
    ),
    "zh": (
        "读屏软件先读错误汇总，焦点再到第一个出错的字段。",
        "压测用 12000 个用户，错误率到 1% 就停。",
        "带图评价要人工审核后才展示，出现儿童面部的不予通过。",
    ),
}
QUESTIONS = {"en": "From which amount on is shipping free?", "zh": "满多少钱包邮？"}
UNRELATED = {"en": "How do we recruit two more designers?", "zh": "怎么再招两位设计师？"}


@pytest.fixture
def owner_id(pool: ConnectionPool) -> str:
    accounts = Accounts(pool)
    accounts.ensure_first_account()
    return accounts.sign_in("admin", "admin").id


@pytest.fixture(scope="module")
def real_e5() -> Embedder:
    cache = PROJECT_ROOT / "models"
    try:
        model_folder(E5_SMALL, cache)
    except EmbeddingUnavailable:
        pytest.skip("the models are made by the first start of the app")
    embedder = Embedder("e5small", E5_SMALL, cache)
    assert embedder.wait_until_loaded(120), embedder.problem
    return embedder


@pytest.fixture
def recalls() -> Iterator[list[Recall]]:
    opened: list[Recall] = []
    yield opened
    for recall in opened:
        recall.close()


def caught_up(recalls: list[Recall], pool: ConnectionPool, embedder: Embedder | None) -> Recall:
    recall = Recall(pool, lambda: embedder)
    recalls.append(recall)
    recall.start()
    assert recall.wait_until_idle(30)
    return recall


def talk_of(pool: ConnectionPool, owner_id: str, *utterances: str, brief: str = "Hello") -> str:
    session_id = sessions.create_session(pool, owner_id=owner_id, title="Talk")
    store_talk(pool, owner_id, session_id, utterances, brief=brief, language="en")
    return session_id


def vectors(pool: ConnectionPool) -> list[tuple[str, str, str]]:
    with pool.connection() as connection:
        return connection.execute(
            "select message_id, model, content from message_vectors order by message_id"
        ).fetchall()


def found(recall: Recall, owner_id: str, session_id: str, question: str) -> list[str]:
    rows = recall.find(
        owner_id=owner_id, session_id=session_id, question=question, through_seq=EVERYTHING
    )
    return [row.content for row in rows]


@pytest.mark.parametrize("asked", ["en", "zh"])
@pytest.mark.parametrize("said", ["en", "zh"])
def test_what_answers_a_question_is_recalled_across_languages_and_nothing_else_first(
    pool: ConnectionPool,
    owner_id: str,
    recalls: list[Recall],
    real_e5: Embedder,
    asked: str,
    said: str,
) -> None:
    session_id = talk_of(pool, owner_id, *OTHERS[said], SHIPPING[said], brief=OTHERS[said][0])
    recall = caught_up(recalls, pool, real_e5)
    recalled = recall.find(
        owner_id=owner_id,
        session_id=session_id,
        question=QUESTIONS[asked],
        through_seq=EVERYTHING,
    )
    if asked == said:
        assert recalled[0].content == SHIPPING[said]
        assert 0.8 < recalled[0].score < 1
    unrelated = found(recall, owner_id, session_id, UNRELATED[asked])
    assert len(unrelated) < 2


def test_what_was_said_before_the_start_is_caught_up_with(
    pool: ConnectionPool, owner_id: str, recalls: list[Recall]
) -> None:
    session_id = talk_of(pool, owner_id, *[f"words number {n}" for n in range(60)])
    recall = caught_up(recalls, pool, e5())
    assert len(vectors(pool)) == 61
    talk_of(pool, owner_id, "coupon given back")
    recall.wake()
    assert recall.wait_until_idle(30)
    assert len(vectors(pool)) == 63
    assert session_id


def test_secrets_are_gone_before_anything_is_stored(
    pool: ConnectionPool, owner_id: str, recalls: list[Recall]
) -> None:
    embedder = e5()
    talk_of(pool, owner_id, f"The key is {KEY}, keep it.", brief=f"Use {KEY}")
    caught_up(recalls, pool, embedder)
    assert len(vectors(pool)) == 2
    assert not any(KEY in content for _, _, content in vectors(pool))
    assert not any(KEY in passage for passage in embedder.encoder.passages)


def test_only_the_owners_rows_of_this_discussion_up_to_the_boundary_are_read(
    pool: ConnectionPool, owner_id: str, recalls: list[Recall]
) -> None:
    mine = talk_of(pool, owner_id, "refund coupon stock", "cart")
    talk_of(pool, owner_id, "refund coupon stock of another talk")
    recall = caught_up(recalls, pool, e5())
    question = "refund coupon stock"
    assert found(recall, owner_id, mine, question) == ["refund coupon stock"]
    stranger = "00000000-0000-0000-0000-000000000001"
    assert found(recall, stranger, mine, question) == []
    before = recall.find(owner_id=owner_id, session_id=mine, question=question, through_seq=0)
    assert before == ()


def test_another_model_reads_everything_anew(
    pool: ConnectionPool, owner_id: str, recalls: list[Recall]
) -> None:
    talk_of(pool, owner_id, "refund")
    caught_up(recalls, pool, e5())
    other = WordEmbedder("other-multilingual", 32, reads_chinese=True)
    caught_up(recalls, pool, other)
    assert {model for _, model, _ in vectors(pool)} == {other.key}
    assert len(vectors(pool)) == 2


def test_nothing_is_embedded_and_nothing_waits_without_a_model(
    pool: ConnectionPool, owner_id: str, recalls: list[Recall]
) -> None:
    session_id = talk_of(pool, owner_id, "refund")
    recall = caught_up(recalls, pool, None)
    assert vectors(pool) == []
    assert found(recall, owner_id, session_id, "refund") == []
    loading = Recall(pool, LoadingEmbedder)
    assert asyncio.run(recalled_of(loading, owner_id, session_id)) == ()


def test_a_turn_does_not_wait_for_an_encoder_that_is_busy(
    pool: ConnectionPool, owner_id: str
) -> None:
    session_id = talk_of(pool, owner_id, "refund")
    is_over = threading.Event()

    class BusyEmbedder(WordEmbedder):
        def encode_query(self, text: str) -> EncodedText:
            is_over.wait(20)
            return super().encode_query(text)

    recall = Recall(pool, lambda: BusyEmbedder(reads_chinese=True))

    async def ask() -> tuple[object, ...]:
        try:
            async with asyncio.timeout(5):
                return await recalled_of(recall, owner_id, session_id)
        finally:
            is_over.set()

    assert asyncio.run(ask()) == ()


class ChokingEmbedder(WordEmbedder):
    """Fails inside on one word, as an encoder does that runs out of memory."""

    def encode_passages(self, texts: Sequence[str]) -> list[EncodedText]:
        if any("poison" in text for text in texts):
            raise RuntimeError("inside")
        return super().encode_passages(texts)

    def encode_query(self, text: str) -> EncodedText:
        raise RuntimeError("inside")


def test_a_message_that_cannot_be_embedded_keeps_nothing_else_from_it(
    pool: ConnectionPool, owner_id: str, recalls: list[Recall]
) -> None:
    talk_of(pool, owner_id, *[f"words number {n}" for n in range(60)], "poison")
    recall = caught_up(recalls, pool, ChokingEmbedder(reads_chinese=True))
    assert len(vectors(pool)) == 61
    talk_of(pool, owner_id, "coupon given back")
    recall.wake()
    assert recall.wait_until_idle(30)
    assert len(vectors(pool)) == 63


def test_an_encoder_that_fails_inside_costs_no_turn(pool: ConnectionPool, owner_id: str) -> None:
    session_id = talk_of(pool, owner_id, "refund")
    recall = Recall(pool, lambda: ChokingEmbedder(reads_chinese=True))
    assert asyncio.run(recalled_of(recall, owner_id, session_id)) == ()


def test_a_deleted_discussion_leaves_no_vectors(
    pool: ConnectionPool, owner_id: str, recalls: list[Recall]
) -> None:
    gone = talk_of(pool, owner_id, "refund")
    talk_of(pool, owner_id, "coupon")
    caught_up(recalls, pool, e5())
    sessions.delete_session(pool, owner_id=owner_id, session_id=gone)
    assert len(vectors(pool)) == 2
    assert not any("refund" in content for _, _, content in vectors(pool))


async def recalled_of(recall: Recall, owner_id: str, session_id: str) -> tuple[object, ...]:
    return await recall.recalled(
        owner_id=owner_id, session_id=session_id, question="refund", through_seq=EVERYTHING
    )
