"""What became of the summary file, in words, by the result of the call that writes it."""

from meetmind.llm.offline.room import Room

WRITE = "Write"


def written_or_not(room: Room) -> str:
    """What became of the summary file, by the result of the call."""
    voice = room.voice
    results = [result for result in room.sections.tool_results if result.tool == WRITE]
    if not results:
        return voice.text("closing", "write_none")
    result = results[-1]
    reason = f"（{result.text}）" if room.language == "zh" else f" ({result.text})"
    shown_reason = reason if result.text else ""
    if result.status == "ok":
        return voice.text("closing", "write_ok", path=_path_of(result.text))
    slot = f"write_{result.status}"
    if result.status == "unsure":
        return voice.text("closing", slot)
    return voice.text("closing", slot, reason=shown_reason)


def _path_of(result_text: str) -> str:
    """The path in a result such as `{"path": "summary-x.md"}` or `summary-x.md (120 bytes)`."""
    for word in result_text.replace('"', " ").replace(",", " ").split():
        if word.endswith(".md"):
            return word
    return result_text
