"""The routes beside the app: the sign-in cookie is set and cleared here, and health is told."""

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

if TYPE_CHECKING:
    from meetmind.server.services import Services

COOKIE_NAME = "meetmind_session"
LANGUAGE_COOKIE = "meetmind_language"
COOKIE_SECONDS = 30 * 24 * 3600
HOME = "/"
OWN_PLACE = re.compile(r"/[a-z_]{0,40}(?:\?d=[0-9a-f-]{1,40})?")

Endpoint = Callable[[Request], Awaitable[Response]]


def build_routes(current_services: "Callable[[], Services | None]") -> list[Route]:
    """The routes; `current_services` gives None while the services are not open."""
    return [
        Route("/healthz", _health(current_services)),
        Route("/auth/enter", _enter(current_services)),
        Route("/auth/leave", _leave(current_services)),
    ]


def _health(current_services: "Callable[[], Services | None]") -> Endpoint:
    async def health(_: Request) -> Response:
        if current_services() is None:
            return JSONResponse({"state": "starting"}, status_code=503)
        return JSONResponse({"state": "ready"})

    return health


def _enter(current_services: "Callable[[], Services | None]") -> Endpoint:
    async def enter(request: Request) -> Response:
        """Turn a one-time ticket into the cookie and go back to where the person was."""
        services = current_services()
        if services is None or _comes_from_elsewhere(request):
            return _refused()
        ticket = request.query_params.get("ticket", "")
        token = await run_in_threadpool(services.accounts.redeem_ticket, ticket)
        response = _redirect(request.query_params.get("to", HOME))
        if token is not None:
            response.set_cookie(
                COOKIE_NAME,
                token,
                max_age=COOKIE_SECONDS,
                httponly=True,
                samesite="lax",
                secure=request.url.scheme == "https",
            )
        return response

    return enter


def _leave(current_services: "Callable[[], Services | None]") -> Endpoint:
    async def leave(request: Request) -> Response:
        """End the sign-in of this browser and clear the cookie."""
        if _comes_from_elsewhere(request):
            return _refused()
        services = current_services()
        token = request.cookies.get(COOKIE_NAME)
        response = _redirect(HOME)
        if services is not None and token is not None:
            person = await run_in_threadpool(services.accounts.person_for_token, token)
            if person is not None and person.language is not None:
                _keep_language(response, person.language)
            await run_in_threadpool(services.accounts.sign_out, token)
        response.delete_cookie(COOKIE_NAME, httponly=True, samesite="lax")
        return response

    return leave


def _keep_language(response: Response, language: str) -> None:
    """Let the sign-in page speak the language of whoever was here last."""
    response.set_cookie(
        LANGUAGE_COOKIE, language, max_age=COOKIE_SECONDS, httponly=True, samesite="lax"
    )


def _redirect(place: str) -> RedirectResponse:
    """To a page of our own, and to no other address."""
    target = place if OWN_PLACE.fullmatch(place) else HOME
    response = RedirectResponse(target, status_code=303)
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def _comes_from_elsewhere(request: Request) -> bool:
    """Whether another site sent the browser here, to sign somebody in or out unasked.

    https://developer.mozilla.org/docs/Web/HTTP/Headers/Sec-Fetch-Site
    """
    return request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")


def _refused() -> Response:
    return PlainTextResponse("Open MeetMind and sign in there.", status_code=403)
