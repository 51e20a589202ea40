"""The offline model's answer to the task `compact`."""

from meetmind.llm.offline.compaction import CallOutcome, FoldedTalk, extractive_summary
from meetmind.llm.offline.talk_sentences import SaidWords
from meetmind.llm.prompt_sections import PromptSections, ToolResult

STANDARD_TOKENS = 1500


def summary_of(sections: PromptSections) -> str:
    """The summary that a prompt asks for."""
    talk = tuple(SaidWords(by=said.by, text=said.text) for said in sections.talk)
    outcomes = tuple(_outcome(result) for result in sections.tool_results)
    folded = FoldedTalk(
        language=sections.language,
        earlier_summary=sections.summary,
        talk=talk,
        outcomes=outcomes,
    )
    return extractive_summary(folded, sections.length_tokens or STANDARD_TOKENS)


def _outcome(result: ToolResult) -> CallOutcome:
    """`status` is how the call ended, `call_id` holds its target here, the text the message."""
    message, _, next_step = result.text.partition("\n")
    return CallOutcome(
        tool=result.tool,
        target=result.call_id,
        outcome=result.status,
        message=message.strip(),
        next_step=next_step.strip(),
    )
