"""Makes a page of a real browser a stale one, which does not notice what others do."""

from playwright.sync_api import Page, WebSocketRoute


def hears_only_of(page: Page, sign: bytes) -> None:
    """From its second request on the server hears of this page only what holds the sign.

    So the page learns nothing by itself, as one that acts in the same moment as another.
    """

    def on_socket(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        heard = 0

        def on_message(message: bytes) -> None:
            nonlocal heard
            heard += 1
            if heard == 1 or sign in message:
                server.send(message)

        socket.on_message(on_message)

    page.route_web_socket("**/_stcore/stream", on_socket)
