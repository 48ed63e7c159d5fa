"""Each tablet's own language: what it chose, else what its browser asks for, else English."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote, urlencode

from flask import Flask, redirect, request
from flask_babel import Babel, get_locale
from werkzeug.wrappers import Response as AnyResponse

from tilekeeper.companion.languages import DEFAULT_LANGUAGE, LANGUAGES, language_of, translations_of
from tilekeeper.engine import language

COOKIE = "tilekeeper-language"
"""Set where a page is asked for with `?language=de`, which leads to the page itself."""
COOKIE_AGE_S = 365 * 24 * 3600
NO_PAGES = ("/api/", "/events")
"""What is asked for here in a language gets it and no cookie."""


def speak_languages(app: Flask) -> None:
    """Let an app answer each request in the language of the tablet that asks."""
    Babel(app, locale_selector=_wanted)
    app.before_request(_speak)
    # In the way of the scripts and of Python: values in braces.
    words: dict[str, Callable[..., str]] = {
        name: getattr(language, name) for name in ("gettext", "ngettext", "pgettext")
    }
    app.jinja_env.globals |= words | {"_": language.gettext, "language": asked_language, "languages": LANGUAGES}


def asked_language() -> str:
    """The language of the tablet whose request this is, a code of `LANGUAGES`."""
    locale = get_locale()
    return DEFAULT_LANGUAGE if locale is None else locale.language


def _wanted() -> str:
    """The language of a request, by its query `language`, its cookie, or what its browser prefers."""
    chosen = language_of(request.args.get("language")) or language_of(request.cookies.get(COOKIE))
    return chosen or request.accept_languages.best_match(LANGUAGES, DEFAULT_LANGUAGE)


def keep_choice(app: Flask) -> None:
    """Let an app keep the language that a tablet chooses; whoever is kept out must be before that."""
    app.before_request(_keep_choice)


def _speak() -> None:
    # Each request speaks anew, so nothing is left of it for the next one that the same thread answers.
    language.set_language(translations_of(asked_language()))


def _keep_choice() -> AnyResponse | None:
    chosen = language_of(request.args.get("language"))
    if chosen is None or request.method != "GET" or request.path.startswith(NO_PAGES):
        return None
    rest = [(name, value) for name, value in request.args.items(multi=True) if name != "language"]
    # Quoted: an address may hold line breaks, and nothing of it may become a header or another host.
    response = redirect(quote(f"/{request.path.lstrip('/')}") + (f"?{urlencode(rest)}" if rest else ""))
    response.set_cookie(COOKIE, chosen, max_age=COOKIE_AGE_S, httponly=True, samesite="Lax")
    return response
