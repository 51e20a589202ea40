"""All documents of the odd set, put together."""

from tests.support.odd_archives import archives
from tests.support.odd_documents import OddDocument
from tests.support.odd_encodings import encoded_texts, foreign_encodings
from tests.support.odd_honest import honest_files
from tests.support.odd_markup import markup_files
from tests.support.odd_names import odd_names
from tests.support.odd_office import office_files
from tests.support.odd_pdfs import pdf_files
from tests.support.odd_tables import table_files
from tests.support.odd_texts import json_files, text_files
from tests.support.odd_wrong_kinds import wrong_kinds


def hostile_documents() -> list[OddDocument]:
    """Files that are broken, mislabelled, bottomless or dangerous."""
    return [
        *text_files(),
        *json_files(),
        *foreign_encodings(),
        *markup_files(),
        *table_files(),
        *archives(),
        *office_files(),
        *pdf_files(),
        *wrong_kinds(),
        *odd_names(),
    ]


def honest_documents() -> list[OddDocument]:
    """Ordinary files of every format, in every encoding that is read, in both languages."""
    return [*honest_files(), *encoded_texts()]
