"""`AssistantAgent`: answers chat and knowledge questions alone; no member of the team."""

from collections.abc import Sequence

from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig

from meetmind.agents.base import AgentResponse, knows_something
from meetmind.agents.citations import check_citations
from meetmind.agents.listening import LogListener
from meetmind.agents.roster import ASSISTANT, team_lines
from meetmind.agents.run_context import PersonWords, RunContext, ShownTalk, Turn
from meetmind.agents.situation import (
    LANGUAGE_NAMES,
    found_passages,
    situation,
    system_text,
    tool_result_lines,
)
from meetmind.agents.tool_loop import run_tool_loop
from meetmind.i18n.translate import translate
from meetmind.prompts.loader import load_prompt


class AssistantAgent:
    """One answer: the same tool loop as the roles have, then plain streamed text."""

    def __init__(self, context: RunContext) -> None:
        self.context = context

    async def answer(
        self,
        conversation_history: ShownTalk,
        *,
        turn: Turn,
        said: Sequence[PersonWords] = (),
        config: RunnableConfig,
    ) -> AgentResponse:
        """The answer to the brief, or to what a person has said since (`said`).

        Raises `ModelError` when the model cannot be had.
        """
        system = system_text(self.context, self._prompt())
        known = situation(self.context, turn, conversation_history, (), said)
        findings = await run_tool_loop(
            self.context,
            turn,
            tools=self.context.register.given_to(ASSISTANT.tools),
            system=system,
            human=load_prompt("answer_look_up", situation=known),
            config=config,
        )
        human = load_prompt(
            "answer",
            situation=known,
            passages=found_passages(self.context, findings),
            tool_results=tool_result_lines(self.context, findings),
        )
        answer = await self.context.client.stream_text(
            [SystemMessage(content=system), HumanMessage(content=human)],
            listener=LogListener(self.context.log, turn.utterance_id, self.context.steering),
        )
        cited = check_citations(answer.text, findings.passages, conversation_history.texts)
        return AgentResponse(
            agent_name=ASSISTANT.name,
            content=cited.content.strip() or translate("talk.no_words", self.context.language),
            next_agent="",
            done=True,
            used_rag=findings.searches,
            evidence=cited.cited,
            removed_citations=cited.removed,
            knows_something=knows_something(findings),
            input_tokens=findings.usage.input_tokens + answer.usage.input_tokens,
            output_tokens=findings.usage.output_tokens + answer.usage.output_tokens,
        )

    def _prompt(self) -> str:
        return load_prompt(
            "system",
            role_prompt=load_prompt(ASSISTANT.prompt_file),
            name=ASSISTANT.name,
            title=ASSISTANT.title,
            team=team_lines(),
            language=self.context.language,
            language_name=LANGUAGE_NAMES[self.context.language],
        )
