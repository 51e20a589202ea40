"""What paths, stages and settings are called on the Rerank page."""

from collections.abc import Collection

from meetmind.config.retrieval_settings import RetrievalSettings
from meetmind.i18n.translate import has_text
from meetmind.search_trace import SearchTrace, SkippedPath
from meetmind.ui.language import known_text, text
from meetmind.ui.safe_text import safe_label
from meetmind.ui.search_view import ACROSS, was_reranked
from meetmind.ui.session import current_services


def stage_name(stage: str) -> str:
    """A path by its short name, or the fusion or the rerank; plain text."""
    key = f"rerank.stage_{stage}"
    if has_text(key):
        return text(key)
    if stage.endswith(ACROSS):
        return text("rerank.stage_across", model=stage_name(stage.removesuffix(ACROSS)))
    return current_services().library.model_names().get(stage, stage)


def rung_text(trace: SearchTrace) -> str:
    """Who put the candidates in their last order, safe inside Markdown."""
    if not was_reranked(trace):
        return text("rerank.not_reranked")
    return safe_label(known_text("ranker", trace.ranker_key))


def skipped_text(skipped: SkippedPath) -> str:
    """Which path or rung had no say and why, safe inside Markdown."""
    key = f"rerank.skipped_{skipped.reason}_{skipped.name}"
    if not has_text(key):
        key = f"rerank.skipped_{skipped.reason}"
    name = safe_label(stage_name(skipped.name))
    if has_text(key):
        return text(key, name=name)
    reason = safe_label(known_text("degraded", skipped.reason))
    return text("rerank.skipped_other", name=name, reason=reason)


def settings_text(
    settings: RetrievalSettings, language: str, paths: Collection[str] | None = None
) -> str:
    """The settings in a line, with the weights for a question in this language.

    `paths` are those that played a part; the weights of others are left out.
    """
    weights: list[str] = []
    for weight in settings.path_weights:
        if paths is not None and not _took_part(weight.path, paths):
            continue
        name = stage_name(weight.path)
        weights.append(f"{name} {weight.for_language(language):g}")
    parts = [
        text("rerank.said_depth", count=settings.recall_depth),
        text("rerank.said_top", count=settings.retrieve_top_n),
        text("rerank.said_answer", count=settings.rerank_top_n),
        text(f"rerank.reranking_{settings.reranking}"),
    ]
    if weights:
        listed = text("unit.list_separator").join(weights)
        parts.append(text("rerank.said_weights", weights=listed))
    if settings.half_life_days > 0:
        parts.append(text("rerank.said_half_life", count=settings.half_life_days))
    return safe_label(" · ".join(parts))


def _took_part(path: str, paths: Collection[str]) -> bool:
    """Whether a path was searched, over passages in either language."""
    return path in paths or f"{path}{ACROSS}" in paths


def cut_text(cut_by: str, settings: RetrievalSettings) -> str:
    """By which rule a passage was cut, or that it was answered; plain text."""
    if cut_by == "fusion":
        return text("rerank.cut_fusion", count=settings.retrieve_top_n)
    if cut_by == "answer":
        return text("rerank.cut_answer", count=settings.rerank_top_n)
    return text("rerank.cut_none")
