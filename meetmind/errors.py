"""Everything that can go wrong, as one tree.

MeetMindError
├── SettingsError                a setting is missing or wrong
├── DatabaseError
│   ├── DatabaseUnreachable      nobody answers at PG_URL
│   ├── DatabaseUnfit            the server answers but lacks something that is needed
│   └── EmbeddedServerError      the embedded PostgreSQL could not be unpacked or started
├── AccountError
│   ├── SignInRefused            wrong name or password, or a disabled account
│   ├── PasswordRefused          a new password is too short or equals the old one
│   └── MemoryTooLong            a personal memory beyond its limit
├── NotFound                     no such discussion, run or call for this person
├── RunError
│   ├── RunIsOver                the run has ended and takes nothing more
│   ├── RunIsBusy                another run of the discussion is still going on
│   ├── LostTheRun               another executor has taken the run over
│   ├── BriefRefused             an empty or far too long brief
│   ├── BudgetRefused            limits under which no discussion is possible
│   ├── ArgumentsRefused         arguments that a person changed do not fit the tool or its policy
│   └── UndoRefused              a change of a file that cannot be taken back any more
├── ModelError                   one plain sentence for every fault of a chat model
│   ├── ModelMisconfigured       401, 403, 404, unknown host: trying again cannot help
│   ├── ModelUnavailable         still failing after all tries
│   ├── ModelBusy                no free place within the time to wait
│   ├── ModelAnswerBroken        cut, empty or unreadable answer
│   └── ToolsRefused             the server does not take tools with a request
├── ToolError                    a tool could not do what was asked
│   ├── PathRefused              a path that no file tool may touch
│   └── AddressRefused           an address that may not be fetched
└── KnowledgeError
    ├── DocumentUnreadable       a document that cannot be read, with its reason
    ├── EditRefused              a change of the knowledge that is not possible or not allowed
    ├── DatasetUnreadable        a set of judged questions that cannot be read: file and line
    └── EmbeddingUnavailable     the embedding model cannot be loaded

`code` is a key of the text catalogue (`error.<code>` in meetmind/i18n), `details` fills its
placeholders; `str(error)` is the English sentence for logs.
"""

from typing import ClassVar


class MeetMindError(Exception):
    """The base of every error that MeetMind raises itself."""

    code: ClassVar[str] = "unknown"

    def __init__(self, message: str, **details: str | int | float) -> None:
        super().__init__(message)
        self.details = details


class SettingsError(MeetMindError):
    """A setting is missing or wrong."""

    code = "settings"


class DatabaseError(MeetMindError):
    """PostgreSQL is not usable."""

    code = "database"


class DatabaseUnreachable(DatabaseError):
    """Nobody answers at the database's address."""

    code = "database_unreachable"


class DatabaseUnfit(DatabaseError):
    """The server answers but lacks something that MeetMind needs."""

    code = "database_unfit"


class EmbeddedServerError(DatabaseError):
    """The embedded PostgreSQL could not be unpacked or started."""

    code = "embedded_server"


class AccountError(MeetMindError):
    """Something about an account is refused."""

    code = "account"


class SignInRefused(AccountError):
    """The name or the password is wrong, or the account is disabled."""

    code = "sign_in_refused"


class PasswordRefused(AccountError):
    """The new password is too short or equals the old one."""

    code = "password_refused"


class MemoryTooLong(AccountError):
    """The personal memory is longer than its limit."""

    code = "memory_too_long"


class NotFound(MeetMindError):
    """Nothing of this id belongs to this person."""

    code = "not_found"


class RunError(MeetMindError):
    """A run cannot do what was asked."""

    code = "run"


class RunIsOver(RunError):
    """The run has ended and takes nothing more."""

    code = "run_is_over"


class RunIsBusy(RunError):
    """Another run of the same discussion is still going on."""

    code = "run_is_busy"


class LostTheRun(RunError):
    """Another executor has taken the run over; this one must stop."""

    code = "lost_the_run"


class BriefRefused(RunError):
    """The brief is empty or far too long."""

    code = "brief_refused"


class BudgetRefused(RunError):
    """Limits under which no discussion is possible."""

    code = "budget_refused"


class ArgumentsRefused(RunError):
    """Arguments that a person changed do not fit the tool or its policy; the message says why."""

    code = "arguments_refused"


class UndoRefused(RunError):
    """The file has changed since, or what it was before was not kept."""

    code = "undo_refused"


class ModelError(MeetMindError):
    """The chat model failed; `code` names the sentence for people."""

    code = "model"

    def __init__(self, message: str, *, fault: str = "model", **details: str | int | float) -> None:
        super().__init__(message, **details)
        self.fault = fault
        """A finer key for the text catalogue: `fault.<fault>`, such as `unauthorised`."""


class ModelMisconfigured(ModelError):
    """Address, key or model name is wrong: trying again cannot help."""

    code = "model_misconfigured"


class ModelUnavailable(ModelError):
    """The model still failed after all tries."""

    code = "model_unavailable"


class ModelBusy(ModelError):
    """No free place for a call within the time to wait."""

    code = "model_busy"


class ModelAnswerBroken(ModelError):
    """The answer was cut, empty or unreadable."""

    code = "model_answer_broken"


class ToolsRefused(ModelError):
    """The server does not take tools with a request."""

    code = "tools_refused"


class ToolError(MeetMindError):
    """A tool could not do what was asked; the message is meant for the role."""

    code = "tool"

    def __init__(self, message: str, *, reason: str = "", **details: str | int | float) -> None:
        super().__init__(message, **details)
        self.reason = reason or self.code
        """What the policy counts as "failed the same way": a short word such as `no_such_file`."""


class PathRefused(ToolError):
    """No file tool may touch this path; nothing was opened."""

    code = "bad_path"


class AddressRefused(ToolError):
    """This address may not be fetched; no connection was made to it."""

    code = "bad_address"


class KnowledgeError(MeetMindError):
    """Something about documents or retrieval failed."""

    code = "knowledge"


class DocumentUnreadable(KnowledgeError):
    """A document cannot be read; the message says why."""

    code = "document_unreadable"

    def __init__(self, message: str, *, reason: str = "", **details: str | int | float) -> None:
        super().__init__(message, **details)
        self.reason = reason
        """A finer key for the text catalogue: `document_reason.<reason>`, such as `empty`."""


class EditRefused(KnowledgeError):
    """A change of the knowledge is not possible or not allowed; the message says why."""

    code = "edit_refused"

    def __init__(self, message: str, *, refusal: str = "", **details: str | int | float) -> None:
        super().__init__(message, **details)
        self.refusal = refusal
        """A finer key for the text catalogue: `knowledge.refused_<refusal>`, such as `empty`."""


class DatasetUnreadable(KnowledgeError):
    """A set of judged questions cannot be read; the message names the file and the line."""

    code = "dataset_unreadable"


class EmbeddingUnavailable(KnowledgeError):
    """The embedding model cannot be loaded."""

    code = "embedding_unavailable"
