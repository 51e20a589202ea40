"""Documents read in a process of their own."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from meetmind.errors import DocumentUnreadable
from meetmind.i18n.document_notes import Note
from meetmind.knowledge.reading import DocumentReader
from tests.support.odd_pdfs import pdf, pdf_files

ENGLISH = "Unpaid orders are cancelled after 30 minutes."
DEADLINE_SECONDS = 20.0
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def reader():
    with DocumentReader() as reader:
        yield reader


def slow_pdf() -> bytes:
    """A PDF whose page takes far longer to read than any test waits."""
    for odd in pdf_files():
        if odd.name == "slow.pdf":
            return odd.make()
    raise AssertionError("There is no slow PDF in the odd set.")


def wait_until(is_so, what: str) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # One whose end nobody has asked for yet is no running process.
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"


def test_a_document_is_read_and_split_in_one_child_that_is_kept(reader: DocumentReader) -> None:
    document, pieces = reader.read_and_split("plan.pdf", pdf(ENGLISH, title="Plan"))
    child = reader._child
    second = reader.read("plan.pdf", pdf("Another text."))

    assert document.title == "Plan"
    assert [piece.content for piece in pieces] == [ENGLISH]
    assert second.sections[0].blocks[0].text == "Another text."
    assert child is not None
    assert reader._child is child


def test_a_small_text_needs_no_child(reader: DocumentReader) -> None:
    document, pieces = reader.read_and_split("a.txt", ENGLISH.encode())

    assert document.sections[0].blocks[0].text == pieces[0].content == ENGLISH
    assert reader._child is None


def test_a_pdf_with_the_name_of_a_text_goes_to_the_child(reader: DocumentReader) -> None:
    document = reader.read("a.txt", pdf(ENGLISH))
    named = Note(reason="named_otherwise", details={"named": ".txt", "suffix": ".pdf"})
    assert document.notes == (named,)
    assert reader._child is not None


def test_the_reason_of_a_refusal_comes_through(reader: DocumentReader) -> None:
    with pytest.raises(DocumentUnreadable, match="not a PDF file") as caught:
        reader.read("a.pdf", b"text")
    assert caught.value.reason == "not_pdf"
    with pytest.raises(DocumentUnreadable, match="not a Word document") as caught:
        reader.read("a.docx", b"text")
    assert caught.value.details == {"fault": "File is not a zip file"}


def test_a_reading_that_takes_too_long_is_stopped_and_the_next_one_works() -> None:
    with DocumentReader(time_limit=0.5) as reader:
        reader.read("a.pdf", pdf(ENGLISH))
        with pytest.raises(DocumentUnreadable, match=r"longer than 0\.5 seconds"):
            reader.read("slow.pdf", slow_pdf())
        assert reader._child is None


def test_a_new_child_follows_one_that_was_killed(reader: DocumentReader) -> None:
    reader.read("a.pdf", pdf(ENGLISH))
    first = reader._child
    assert first is not None
    first.kill()
    first.wait()

    assert reader.read("a.pdf", pdf(ENGLISH)).sections
    assert reader._child is not first


def test_a_reading_that_breaks_off_is_told() -> None:
    with DocumentReader() as reader:
        reader.read("a.pdf", pdf(ENGLISH))
        child = reader._child
        assert child is not None
        os.kill(child.pid, signal.SIGSTOP)
        killer = threading.Timer(0.2, child.kill)
        killer.start()
        with pytest.raises(DocumentUnreadable, match="broke off"):
            reader.read("a.pdf", pdf(ENGLISH))
        killer.join()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the address space")
def test_a_reading_that_takes_too_much_memory_is_stopped_and_the_next_one_works() -> None:
    entry = b'{"a": [1.5, 2.5, {"b": "c"}]},'
    with DocumentReader(memory_limit=300_000_000) as reader:
        with pytest.raises(DocumentUnreadable, match="too much memory"):
            reader.read("a.json", b"[" + entry * 600_000 + b"{}]")
        assert reader.read("a.pdf", pdf(ENGLISH)).sections


def test_threads_wait_for_each_other(reader: DocumentReader) -> None:
    titles: list[str] = []

    def read(number: int) -> None:
        document = reader.read(f"{number}.pdf", pdf(ENGLISH, title=f"Plan {number}"))
        titles.append(document.title)

    threads = [threading.Thread(target=read, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(titles) == [f"Plan {number}" for number in range(6)]


def test_a_closed_reader_leaves_no_process_and_can_be_used_again() -> None:
    reader = DocumentReader()
    reader.read("a.pdf", pdf(ENGLISH))
    child = reader._child
    assert child is not None
    reader.close()
    reader.close()

    assert child.returncode is not None
    assert reader.read("a.pdf", pdf(ENGLISH)).sections
    reader.close()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_child_dies_with_the_process_that_started_it() -> None:
    program = (
        "import os, sys\n"
        "from meetmind.knowledge.reading import DocumentReader\n"
        "reader = DocumentReader()\n"
        "try:\n"
        "    reader.read('a.pdf', b'text')\n"
        "except Exception:\n"
        "    pass\n"
        "print(reader._child.pid, flush=True)\n"
        "os._exit(1)\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False
    )
    child_pid = int(finished.stdout)

    wait_until(
        lambda: not Path(f"/proc/{child_pid}").exists() or not is_running(child_pid), "lives"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_child_gets_no_secrets(reader: DocumentReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_API_KEY", "sk-secret")
    reader.read("a.pdf", pdf(ENGLISH))

    assert reader._child is not None
    environment = Path(f"/proc/{reader._child.pid}/environ").read_bytes()
    assert b"sk-secret" not in environment


def test_the_child_imports_no_model_and_no_page() -> None:
    program = (
        "import sys, meetmind.knowledge.reading_child\n"
        "print([name for name in ('torch', 'streamlit', 'psycopg', 'pypdf', 'docx') "
        "if name in sys.modules])"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True
    )

    assert finished.stdout.strip() == "[]"
