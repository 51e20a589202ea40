"""`BaseAgent`: the one class of a role's turn, first looking things up, then speaking."""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from pydantic import ValidationError

from meetmind import faults
from meetmind.agents.citations import check_citations
from meetmind.agents.listening import LogListener
from meetmind.agents.roster import ARCHITECT, Role, team_lines
from meetmind.agents.run_context import PersonWords, RunContext, ShownTalk, Turn, TurnFindings
from meetmind.agents.schemas import ModelOutput, model_output_schema
from meetmind.agents.situation import (
    LANGUAGE_NAMES,
    cited_passages,
    current_points,
    earlier_evidence,
    found_passages,
    situation,
    system_text,
    tool_result_lines,
)
from meetmind.agents.stances import on_known_points
from meetmind.agents.tool_loop import run_tool_loop
from meetmind.config.roster_names import AGENT_NAMES
from meetmind.events import PassageEvidence, Point, Stance, UtteranceEnded
from meetmind.i18n.translate import translate
from meetmind.llm.client import StructuredAnswer
from meetmind.prompts.loader import load_prompt, section

OPENING_SCOPE = 'Search once with scope "all" to see which colleague knows something on the brief.'
LATER_SCOPE = 'Use scope "all" only to find out which colleague to hand over to.'


@dataclass(frozen=True, kw_only=True)
class AgentResponse:
    """What a role said and whom it proposes next; `created_at` comes with the stored row."""

    agent_name: str
    content: str
    next_agent: str
    done: bool
    used_rag: int
    handover_reason: str = ""
    stances: tuple[Stance, ...] = ()
    points: tuple[Point, ...] = ()
    asks_first_opinions: bool = False
    evidence: tuple[PassageEvidence, ...] = ()
    removed_citations: tuple[str, ...] = ()
    knows_something: bool = True
    """False when the turn searched and no passage covers the question."""
    rung: str = ""
    input_tokens: int = 0
    output_tokens: int = 0


NOTHING_KNOWN_COVERAGE = 0.25
"""Below this share of covered words a passage is no answer (measured on the seed documents)."""


class BaseAgent:
    """One role in one run: `invoke` makes its turn."""

    def __init__(self, role: Role, context: RunContext) -> None:
        self.role = role
        self.context = context

    async def invoke(
        self,
        requirement: str,
        conversation_history: ShownTalk,
        *,
        turn: Turn,
        utterances: Sequence[UtteranceEnded],
        said: Sequence[PersonWords] = (),
        guard_notes: Sequence[str] = (),
        config: RunnableConfig,
    ) -> AgentResponse:
        """The role's turn on `requirement` (the standalone question).

        `conversation_history` is what the role may see of the discussion, `utterances` this run's
        part of it with evidence and points, whole; `said` is what a person wants answered, and
        `guard_notes` what a rule found. Raises `ModelError` when the model cannot be had.
        """
        system = system_text(self.context, self._role_prompt())
        known = situation(self.context, turn, conversation_history, utterances, said)
        if guard_notes:
            known += "\n" + section("guard", "\n".join(guard_notes))
        findings = await run_tool_loop(
            self.context,
            turn,
            tools=self.context.register.given_to(self.role.tools),
            system=system,
            human=self._look_up_prompt(known, utterances),
            config=config,
        )
        faults.reach("turn.looked_up", turn.agent_name)
        human = self._user_prompt(known, findings, utterances)
        answer = await self.context.client.stream_structured(
            [SystemMessage(content=system), HumanMessage(content=human)],
            self._schema(utterances),
            listener=LogListener(self.context.log, turn.utterance_id, self.context.steering),
        )
        faults.reach("turn.answered", turn.agent_name)
        known_texts = [requirement, *conversation_history.texts]
        return self._build_agent_response(answer, findings, utterances, known_texts)

    def without_the_talk(
        self, turn: Turn, utterances: Sequence[UtteranceEnded], said: Sequence[PersonWords]
    ) -> str:
        """The prompt of this turn but for the talk and for what the turn brings home."""
        known = situation(self.context, turn, ShownTalk(messages=()), utterances, said)
        human = self._user_prompt(known, TurnFindings(envelopes=()), utterances)
        return f"{system_text(self.context, self._role_prompt())}\n{human}"

    def _role_prompt(self) -> str:
        return load_prompt(
            "system",
            role_prompt=load_prompt(self.role.prompt_file),
            name=self.role.name,
            title=self.role.title,
            team=team_lines(),
            language=self.context.language,
            language_name=LANGUAGE_NAMES[self.context.language],
        )

    def _look_up_prompt(self, known: str, utterances: Sequence[UtteranceEnded]) -> str:
        heard = [utterance.agent_name for utterance in utterances]
        is_opening = self.role.name == ARCHITECT and ARCHITECT not in heard
        scope_advice = OPENING_SCOPE if is_opening else LATER_SCOPE
        heard_section = f"<heard>{', '.join(_in_order(heard))}</heard>"
        return load_prompt(
            "look_up", situation=f"{known}\n{heard_section}", scope_advice=scope_advice
        )

    def _user_prompt(
        self, known: str, findings: TurnFindings, utterances: Sequence[UtteranceEnded]
    ) -> str:
        return load_prompt(
            "speak",
            situation=known,
            passages=found_passages(self.context, findings),
            tool_results=tool_result_lines(self.context, findings),
            earlier_evidence=cited_passages(self.context, utterances),
            routing=self._routing_prompt(utterances),
        )

    def _routing_prompt(self, utterances: Sequence[UtteranceEnded]) -> str:
        heard = _in_order([utterance.agent_name for utterance in utterances])
        is_architect = self.role.name == ARCHITECT
        closing = "closing_architect" if is_architect else "closing_others"
        return load_prompt(
            "routing",
            heard=", ".join(heard),
            names=", ".join(self._colleagues()),
            closing_rule=load_prompt(closing),
        )

    def _colleagues(self) -> list[str]:
        return [name for name in AGENT_NAMES if name != self.role.name]

    def _schema(self, utterances: Sequence[UtteranceEnded]) -> dict[str, object]:
        return model_output_schema(
            self._colleagues(),
            with_points=self.role.name == ARCHITECT,
            points_so_far=len(current_points(utterances, self.context.carried_points)),
        )

    def _build_agent_response(
        self,
        answer: StructuredAnswer,
        findings: TurnFindings,
        utterances: Sequence[UtteranceEnded],
        known_texts: Sequence[str],
    ) -> AgentResponse:
        """Read the model's answer; a text that is no structure is kept, and routing falls back."""
        output = read_output(answer)
        evidence = (*earlier_evidence(utterances), *findings.passages)
        tool_texts = [envelope.to_json() for _, envelope in findings.envelopes]
        cited = check_citations(output.content, evidence, [*known_texts, *tool_texts])
        content = cited.content.strip() or translate("talk.no_words", self.context.language)
        points = output.point_values() if self.role.name == ARCHITECT else ()
        framed = current_points(utterances, self.context.carried_points)
        known_points = (*framed, *points)
        return AgentResponse(
            agent_name=self.role.name,
            content=content,
            next_agent=output.next_agent,
            done=output.done,
            used_rag=findings.searches,
            handover_reason=output.handover_reason,
            stances=on_known_points(output.stance_values(), known_points),
            points=points,
            asks_first_opinions=output.first_opinions and self.role.name == ARCHITECT,
            evidence=cited.cited,
            removed_citations=cited.removed,
            knows_something=knows_something(findings),
            rung=answer.rung,
            input_tokens=findings.usage.input_tokens + answer.usage.input_tokens,
            output_tokens=findings.usage.output_tokens + answer.usage.output_tokens,
        )


def read_output(answer: StructuredAnswer) -> ModelOutput:
    """The validated structure, or the raw text as content with nothing else."""
    if answer.value is not None:
        try:
            return ModelOutput.model_validate(answer.value)
        except ValidationError:
            content = answer.value.get("content")
            if isinstance(content, str):
                return ModelOutput(content=content)
    return ModelOutput(content=answer.raw_text)


def knows_something(findings: TurnFindings) -> bool:
    """False only when searches came back and nothing in them covers what was asked."""
    if findings.searches == 0:
        return True
    best = max((passage.coverage for passage in findings.passages), default=0.0)
    return best >= NOTHING_KNOWN_COVERAGE


def _in_order(names: Sequence[str]) -> list[str]:
    return [name for name in AGENT_NAMES if name in names]
