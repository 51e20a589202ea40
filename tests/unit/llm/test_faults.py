"""Every fault has one plain sentence, and waiting times are read as the standard writes them."""

import socket
import ssl
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meetmind.errors import ModelUnavailable
from meetmind.llm.fault_causes import error_in_body, retry_after_seconds, translated_os_error
from meetmind.llm.faults import FAULT_KINDS, model_error
from meetmind.llm.server_habits import Endpoint

HERE = Endpoint(name="m-1", base_url="https://user:password@models.example:8443/v1?key=secret")
NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize("fault", sorted(FAULT_KINDS))
def test_every_fault_has_a_plain_sentence(fault: str) -> None:
    error = model_error(fault, HERE)
    assert error.fault == fault
    assert str(error).endswith(".")
    assert "{" not in str(error)
    assert "password" not in str(error)
    assert "secret" not in str(error)
    assert error.details["host"] == "models.example:8443"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        ("0.5", 0.5),
        ("-3", 0),
        ("Mon, 30 Nov 2026 12:01:30 GMT", 90),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0),
        ("soon", 0),
        ("", 0),
    ],
)
def test_retry_after_is_read_in_seconds_and_as_a_date(header: str, seconds: float) -> None:
    assert retry_after_seconds({"retry-after": header}, NOW) == seconds


@given(st.text())
def test_any_retry_after_is_survived(header: str) -> None:
    assert retry_after_seconds({"retry-after": header}, NOW) >= 0


def test_a_missing_retry_after_is_no_wait() -> None:
    assert retry_after_seconds({}, NOW) == 0


def test_the_bottom_of_a_failed_connection_is_found() -> None:
    causes = {
        "unknown_host": socket.gaierror(-3, "Temporary failure in name resolution"),
        "refused": ConnectionRefusedError(),
        "tls": ssl.SSLCertVerificationError("certificate verify failed"),
        "connection": ConnectionResetError(),
    }
    for fault, cause in causes.items():
        outer = OSError("all connection attempts failed")
        outer.__cause__ = ExceptionGroup("tries", [cause])
        assert translated_os_error(outer, HERE).fault == fault


def test_a_closed_line_during_the_handshake_is_tried_again() -> None:
    assert isinstance(translated_os_error(ssl.SSLEOFError("eof"), HERE), ModelUnavailable)


def test_a_timeout_is_a_timeout() -> None:
    assert translated_os_error(TimeoutError(), HERE).fault == "timeout"


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({"code": 429, "message": "slow down"}, "rate_limited"),
        ({"code": "server_error"}, "server_error"),
        ({"code": 400, "message": "maximum context length is 4096"}, "too_long"),
        ("anything", "server_error"),
    ],
)
def test_an_error_inside_a_reply_is_read(body: object, fault: str) -> None:
    assert error_in_body(body, HERE).fault == fault
