"""Long discussions with facts planted among real sentences, stored as an executor would."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from psycopg_pool import ConnectionPool

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.database import run_events, runs
from meetmind.events import FloorTaken, RunEnded, UtteranceEnded
from meetmind.knowledge.sentences import split_sentences
from meetmind.knowledge.words import detect_language
from meetmind.llm.token_counts import estimate_tokens

SEEDS = Path(__file__).resolve().parents[2] / "data" / "seed"


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A sentence that is said once, and what of it has to stand in a summary."""

    sentence: str
    keys: tuple[str, ...]

    def stands_in(self, text: str) -> bool:
        """Whether all that has to be there is there."""
        return all(key in text for key in self.keys)


FACTS = {
    "en": (
        Fact(
            sentence="Shipping stays free from 49.90 euros on, for German addresses only.",
            keys=("49.90",),
        ),
        Fact(
            sentence="We decided to hide the new form behind guest_form_v2 until spring.",
            keys=("guest_form_v2",),
        ),
        Fact(
            sentence="What we tick off stands in docs/guest-acceptance-list.md.",
            keys=("docs/guest-acceptance-list.md",),
        ),
        Fact(
            sentence=(
                "My trial run stopped with `psycopg.errors.LockNotAvailable: canceling statement "
                "due to lock timeout`. With lock_timeout at 30 seconds it then went through."
            ),
            keys=(
                "psycopg.errors.LockNotAvailable: canceling statement due to lock timeout",
                "30 seconds",
            ),
        ),
        Fact(
            sentence="Maria Lindqvist has the last word on the legal texts.",
            keys=("Maria Lindqvist", "legal texts"),
        ),
        Fact(
            sentence="The pilot in Austria opens on 14 September 2027.",
            keys=("14 September 2027",),
        ),
        Fact(sentence="No more than 3 attempts, with 250 ms between two.", keys=("3", "250 ms")),
        Fact(
            sentence="Redis streams are out, the outbox table stays: nobody wants to run both.",
            keys=("Redis", "outbox"),
        ),
        Fact(
            sentence="For the penetration test 18,400 euros are set aside.", keys=("18,400 euros",)
        ),
        Fact(
            sentence="Version 4.7.2 of the payment kit is the oldest one that keeps working.",
            keys=("4.7.2",),
        ),
        Fact(
            sentence="Nothing about a person may leave the data centre in Frankfurt.",
            keys=("Frankfurt",),
        ),
        Fact(
            sentence="Tomás Rivera looks after scripts/rollback_checkout.sh from Monday on.",
            keys=("Rivera", "scripts/rollback_checkout.sh"),
        ),
    ),
    "zh": (
        Fact(sentence="满 59 元包邮，只限江浙沪地址。", keys=("59 元", "江浙沪")),
        Fact(
            sentence="大家商定先用开关 guest_form_v2 挡住新表单，开春再放开。",
            keys=("guest_form_v2",),
        ),
        Fact(sentence="逐条勾选的清单放在 docs/游客下单验收.md。", keys=("docs/游客下单验收.md",)),
        Fact(
            sentence=(
                "我试跑时停在“Lock wait timeout exceeded; try restarting transaction”。"
                "随后把等待时间调到 30 秒就过了。"
            ),
            keys=("Lock wait timeout exceeded; try restarting transaction", "30 秒"),
        ),
        Fact(sentence="法务文案最后由王琳负责签字。", keys=("王琳",)),
        Fact(sentence="奥地利试点在 2027年9月14日 开放。", keys=("2027年9月14日",)),
        Fact(sentence="最多试 3 次，两次之间隔 250 毫秒。", keys=("3 次", "250 毫秒")),
        Fact(
            sentence="Redis 流不用了，保留发件箱表，没人愿意两套都养。", keys=("Redis", "发件箱表")
        ),
        Fact(sentence="渗透测试留出 18400 元。", keys=("18400 元",)),
        Fact(sentence="支付组件 4.7.2 是还能继续用的最旧版本。", keys=("4.7.2",)),
        Fact(sentence="任何个人信息都不得离开法兰克福机房。", keys=("法兰克福",)),
        Fact(
            sentence="下周一起 scripts/rollback_checkout.sh 交给赵敏维护。",
            keys=("scripts/rollback_checkout.sh", "赵敏"),
        ),
    ),
}
BRIEFS = {
    "en": "Let customers check out as guests, without an account. What has to change?",
    "zh": "让顾客不注册也能下单，需要改哪些地方？",
}


@dataclass(frozen=True, kw_only=True)
class StoredDiscussion:
    """Where a long talk lies."""

    session_id: str
    run_id: str
    utterance_ids: tuple[str, ...]


def store_talk(
    pool: ConnectionPool,
    owner_id: str,
    session_id: str,
    utterances: Sequence[str],
    *,
    brief: str,
    language: str,
    is_over: bool = True,
) -> StoredDiscussion:
    """A run in which the roles say these words one after another."""
    run_id = runs.create_run(
        pool,
        owner_id=owner_id,
        session_id=session_id,
        brief=brief,
        mode="team",
        language=language,
        memory_id=None,
        max_iterations=100,
        model_name="offline",
    )
    epoch = runs.claim_run(pool, run_id)
    assert epoch is not None
    ids = []
    for iteration, content in enumerate(utterances):
        agent_name = AGENT_NAMES[iteration % len(AGENT_NAMES)]
        utterance_id = f"{run_id}.{iteration}.{agent_name}"
        floor = FloorTaken(utterance_id=utterance_id, agent_name=agent_name, iteration=iteration)
        run_events.append_event(pool, run_id=run_id, epoch=epoch, event=floor)
        ended = UtteranceEnded(
            utterance_id=utterance_id,
            agent_name=agent_name,
            iteration=iteration,
            content=content,
            next_agent="",
            done=False,
            used_rag=0,
        )
        run_events.store_utterance(pool, run_id=run_id, epoch=epoch, event=ended)
        ids.append(utterance_id)
    if is_over:
        end = RunEnded(status="done", reason="closed_by_architect")
        run_events.close_run(pool, run_id=run_id, epoch=epoch, event=end)
    return StoredDiscussion(session_id=session_id, run_id=run_id, utterance_ids=tuple(ids))


def talk_with_facts(
    language: str, tokens: int, utterance_tokens: int = 450, *, cited_of_three: int = 2
) -> list[str]:
    """Utterances of real sentences of so many tokens in all, a fact in the middle of twelve.

    Of three real sentences `cited_of_three` carry a citation, as what roles say mostly does.
    """
    filler = real_sentences(language)
    utterances = []
    position = 0
    while tokens > 0:
        words: list[str] = []
        length = 0
        while length < utterance_tokens:
            sentence = filler[position % len(filler)]
            if position % 3 < cited_of_three:
                sentence += f" [{AGENT_NAMES[position % 5]}_{position % len(filler):012x}]"
            words.append(sentence)
            length += estimate_tokens(words[-1])
            position += 1
        utterances.append(words)
        tokens -= length
    facts = FACTS[language]
    for number, fact in enumerate(facts):
        place = number * (len(utterances) - 4) // len(facts)
        words = utterances[place]
        words.insert(len(words) // 2, fact.sentence)
    joint = "" if language == "zh" else " "
    return [joint.join(words) for words in utterances]


def facts_within(language: str, text: str) -> list[Fact]:
    """The planted facts that stand in a text, all that has to be there of each."""
    return [fact for fact in FACTS[language] if fact.stands_in(text)]


@cache
def real_sentences(language: str) -> tuple[str, ...]:
    """Sentences of the seed documents, in an order that goes through all of them in turn."""
    by_file = [tuple(_sentences_of(path, language)) for path in sorted(SEEDS.rglob("*.*"))]
    mixed = []
    longest = max(len(sentences) for sentences in by_file)
    for place in range(longest):
        for sentences in by_file:
            if place < len(sentences):
                mixed.append(sentences[place])
    return tuple(mixed)


def _sentences_of(path: Path, language: str) -> Iterator[str]:
    if path.suffix not in (".md", ".txt"):
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        plain = re.sub(r"^[\s#>*|-]+", "", line).strip()
        for sentence in split_sentences(plain):
            if len(sentence) >= 12 and detect_language(sentence) == language:
                yield sentence
