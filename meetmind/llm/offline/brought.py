"""What a person brings to a brief beside its words: attached files, and links to pages."""

import re

from meetmind.llm.prompt_sections import PromptSections

MOST_FILES = 3
MOSTLINKS = 2

_ADDRESS = r"(?<![A-Za-z0-9])https?://[^\s<>\[\]\"'`“”‘’\u3000-\u9fff\uff00-\uffef]+"
_FILE = (
    r"(?<![A-Za-z0-9/.@_-])@?[\w-][\w./-]*"
    r"\.(?:md|txt|csv|tsv|json|ya?ml|toml|log|sql|html?|xml|py|js|ts|pdf|docx|xlsx|pptx)(?![A-Za-z0-9])"
)
LINK = re.compile(_ADDRESS, re.IGNORECASE)
LINK_END = ".,;:!?*"
LEADS_ELSEWHERE = re.compile(r"This page redirects to (https?://\S+)")
"""All that `web_fetch` says of a page that leads to another host."""
FILE_NAME = re.compile(_FILE, re.ASCII)
SAYS_ATTACHED = re.compile(
    r"\battach(?:ed|ment|ments)\b|\benclosed\b|\buploaded (?:the |a |some )?files?\b"
    r"|附件|附上|附了|随附|附带的文件|上传的文件|上传了",
    re.IGNORECASE,
)


def links_in(brief: str) -> list[str]:
    """The addresses that stand in a brief, each once, at most two."""
    links = [_without_end_signs(link) for link in LINK.findall(brief)]
    return list(dict.fromkeys(links))[:MOSTLINKS]


def _without_end_signs(link: str) -> str:
    """Punctuation behind an address belongs to the sentence; so does a bracket it did not open."""
    trimmed = link.rstrip(LINK_END)
    while trimmed.endswith(")") and trimmed.count(")") > trimmed.count("("):
        trimmed = trimmed[:-1].rstrip(LINK_END)
    return trimmed


def redirect_target(content: str) -> str:
    """The address to which a page leads, where that is all that was read of it; else ''."""
    leads = LEADS_ELSEWHERE.fullmatch(content)
    return "" if leads is None else leads[1]


def named_files(sections: PromptSections) -> list[str]:
    """The files that the brief names: attached ones, else whatever looks like a file's path."""
    brief = sections.brief.casefold()
    attached = []
    for path in sections.files:
        file_name = path.rpartition("/")[2]
        if file_name.casefold() in brief:
            attached.append(path)
    if attached or sections.files:
        return attached[:MOST_FILES]
    paths = FILE_NAME.findall(LINK.sub(" ", sections.brief))
    return list(dict.fromkeys(paths))[:MOST_FILES]


def speaks_of_files(sections: PromptSections) -> bool:
    """Whether files are attached, or the brief says that they are."""
    return bool(sections.files) or SAYS_ATTACHED.search(sections.brief) is not None
