import socket

from meetmind.config.settings import Settings
from meetmind.web.serving import address_text, port_is_free, streamlit_options


def test_the_address_is_told_in_one_line() -> None:
    assert address_text(Settings()) == "MeetMind is at http://127.0.0.1:8501"
    assert address_text(Settings(host="::1", port=9000)) == "MeetMind is at http://[::1]:9000"


def test_only_loopback_names_are_answered_on_a_loopback_address() -> None:
    options = streamlit_options(Settings())
    assert options["server.address"] == "127.0.0.1"
    assert "localhost" in options["server.allowedHosts"]
    assert "server.allowedHosts" not in streamlit_options(Settings(host="0.0.0.0"))


def test_a_taken_port_is_seen() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        assert not port_is_free("127.0.0.1", port)
    assert port_is_free("127.0.0.1", port)
