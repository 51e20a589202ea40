"""Translates the exceptions of the openai package into our own tree."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import openai

from meetmind.errors import ModelError
from meetmind.llm.fault_causes import (
    error_in_body,
    fault_of_connection,
    fault_of_status,
    retry_after_seconds,
)
from meetmind.llm.faults import model_error
from meetmind.llm.server_habits import Endpoint

logger = logging.getLogger(__name__)


@contextmanager
def translated_faults(endpoint: Endpoint) -> Iterator[None]:
    """Within the block, whatever openai raises becomes a `ModelError`.

    A reply that has the form of no answer (a word where an object belongs, a number as an id) trips
    up the code that reads it. The original is not chained: its text repeats what the server wrote,
    keys included.
    """
    try:
        yield
    except openai.OpenAIError as error:
        raise translated(error, endpoint) from None
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        logger.warning("A reply could not be read: %s", type(error).__name__)
        raise model_error("unreadable", endpoint) from None


def translated(error: openai.OpenAIError, endpoint: Endpoint) -> ModelError:
    """The error of our own tree for one of openai's."""
    if isinstance(error, openai.APIStatusError):
        status = error.status_code
        fault = fault_of_status(status, words_of(error))
        retry_after = retry_after_seconds(error.response.headers, datetime.now(UTC))
        return model_error(fault, endpoint, status=status, retry_after_seconds=retry_after)
    if isinstance(error, openai.APITimeoutError):
        return model_error("timeout", endpoint)
    if isinstance(error, openai.APIConnectionError):
        return model_error(fault_of_connection(error), endpoint)
    if isinstance(error, openai.APIError):
        return error_in_body(error.body, endpoint)
    return model_error("unreadable", endpoint)


def words_of(error: openai.APIError) -> str:
    """What the server wrote, in lower case."""
    return f"{error.message} {error.body}".lower()
