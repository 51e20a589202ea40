"""Ordinary text in files with odd names: they are shown on one line, bounded and harmless."""

from tests.support.odd_documents import OddDocument
from tests.support.odd_texts import ENGLISH

NAMES = (
    "退款 handbook – café №5.txt",
    "🧾🍵 receipts.md",
    "a" * 5_000 + ".txt",
    "指" * 300 + ".md",
    "invoice\u202etxt.exe.md",
    "\u200fעברית\u2067.txt",
    "two\nlines\r\nand\ttabs.txt",
    ".hidden.md",
    "..md",
    ".md",
    "-rf --help.txt",
    "../../etc/passwd.txt",
    "nul\x00in\x00name.txt",
    "half\ud800sign.txt",
    "   spaces   .txt",
    "CAPITALS.TXT",
    "two.pdf.txt",
    "%2e%2e%2f{0}$(id)`id`;'\"<b>.md",
    "zero\u200bwidth\ufeff.txt",
    "bell\x07and\x1b[31m.txt",
)


def odd_names() -> list[OddDocument]:
    """One file of each name; those without a suffix that is known are refused."""
    documents: list[OddDocument] = []
    for name in NAMES:
        is_refused = name == ".md"
        documents.append(
            OddDocument(
                name=name,
                make=ENGLISH.encode,
                words=() if is_refused else (ENGLISH,),
                refused="no suffix" if is_refused else "",
            )
        )
    return documents
