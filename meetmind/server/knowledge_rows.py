"""The rows of the knowledge that the front doors draw and that the database's modules define."""

from meetmind.database.aliases import Alias
from meetmind.database.documents import DocumentSummary
from meetmind.database.passages import PassageRow, SortBy
from meetmind.database.removal import DeletedPassage

__all__ = ["Alias", "DeletedPassage", "DocumentSummary", "PassageRow", "SortBy"]
