"""What the models of one run are shown of the talk."""

import asyncio

from psycopg_pool import ConnectionPool

from meetmind.agents.prompt_room import RECALLED_SHARE, PromptRoom
from meetmind.agents.run_context import RecalledMessage, ShownTalk
from meetmind.config.settings import Settings
from meetmind.database.session_summaries import StoredTalk
from meetmind.llm.client import CallListener, ModelClient
from meetmind.server.recall import Recall
from meetmind.server.stream import RunIdentity
from meetmind.server.talk_folding import FoldingRun, TalkFolder
from meetmind.server.talk_limits import TalkCounter, limits_of


class RunTalk:
    """The `TalkMemory` of a run."""

    def __init__(
        self,
        pool: ConnectionPool,
        identity: RunIdentity,
        *,
        settings: Settings,
        client: ModelClient,
        language: str,
        listener: CallListener,
        recall: Recall | None = None,
    ) -> None:
        self._identity = identity
        self._listener = listener
        self._recall = recall
        self._limits = limits_of(settings)
        self._counter = TalkCounter(client.name, settings.embedding_cache_dir)
        self.room = PromptRoom(context=self._limits.context, count=self._counter.text)
        self._folder = TalkFolder(
            pool,
            owner_id=identity.owner_id,
            session_id=identity.session_id,
            client=client,
            limits=self._limits,
            counter=self._counter,
        )
        self._run = FoldingRun(run_id=identity.run_id, language=language, epoch=identity.epoch)

    async def shown(self, question: str, *, beside: str = "", round_from: str = "") -> ShownTalk:
        """The talk as a model may see it now; near the model's limit it is compacted first.

        Raises `LostTheRun` when another executor has the run by now.
        """
        talk = await self._folder.stored_talk()
        tokens = await asyncio.to_thread(self._counter.talk, talk)
        beside_tokens = await asyncio.to_thread(self._counter.text, beside)
        limits = self._limits.beside(beside_tokens + self.room.beside_the_talk)
        if tokens > limits.talk:
            folder = self._folder.within(limits)
            await folder.fold(
                talk, self._run, by="limit", listener=self._listener, round_from=round_from
            )
            talk = await self._folder.stored_talk()
            if self._recall is not None:
                self._recall.wake()
        if talk.summary is None:
            return ShownTalk(messages=talk.messages)
        return ShownTalk(
            messages=talk.messages,
            summary=talk.summary.summary,
            recalled=await self._recalled(talk, question),
        )

    async def _recalled(self, talk: StoredTalk, question: str) -> tuple[RecalledMessage, ...]:
        """Earlier passages of the talk, where the model for it is at hand."""
        if self._recall is None or talk.summary is None:
            return ()
        recalled = await self._recall.recalled(
            owner_id=self._identity.owner_id,
            session_id=self._identity.session_id,
            question=question,
            through_seq=talk.summary.summarized_through_seq,
        )
        return tuple(self.room.fitting(recalled, RECALLED_SHARE, lambda one: one.content))
