"""The language of each tablet: the language chosen there, else its browser's preference, else English."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from urllib.parse import quote, urlencode

from babel import Locale, UnknownLocaleError
from flask import Flask, g, redirect, request
from flask_babel import Babel, get_locale
from werkzeug.wrappers import Response as AnyResponse

from tilekeeper.companion.languages import DEFAULT_LANGUAGE, LANGUAGES, language_of, translations_of
from tilekeeper.engine import language

COOKIE = "tilekeeper-language"
"""The cookie with a tablet's language. A request for a page with `?language=de` sets the cookie and is redirected."""
COOKIE_AGE_S = 365 * 24 * 3600
NO_PAGES = ("/api/", "/events")
"""Requests to addresses that begin so are answered in the language of `?language=de`, but set no cookie."""


def speak_languages(app: Flask, is_of_cards: Callable[[], bool] = lambda: False) -> None:
    """Let an app answer each request in the language of the requesting tablet.

    Args:
        app: the app.
        is_of_cards: returns whether cards are played with now, so that the app does not speak of tiles.
    """
    Babel(app, locale_selector=_select_language)

    # Each request sets the language, so that a thread never uses the language of an earlier request.
    @app.before_request
    def set_language() -> None:
        g.of_cards = is_of_cards()
        language.set_language(translations_of(asked_language(), g.of_cards))

    # Templates use the engine's gettext functions, so that values stand in braces as in Python and in scripts.
    words: dict[str, Callable[..., str]] = {
        name: getattr(language, name) for name in ("gettext", "ngettext", "pgettext")
    }
    app.jinja_env.globals |= words | {"_": language.gettext, "language": asked_language, "languages": LANGUAGES}
    app.jinja_env.globals["of_cards"] = lambda: asked_words()[1]


def asked_language() -> str:
    """Return the language of the requesting tablet, a code of `LANGUAGES`."""
    locale = get_locale()
    return DEFAULT_LANGUAGE if locale is None else locale.language


def asked_locale() -> Locale:
    """Return the language of the requesting tablet with the region of its browser: `en-GB` writes other dates."""
    chosen = asked_language()
    for wanted in request.accept_languages.values():
        with suppress(ValueError, UnknownLocaleError):
            locale = Locale.parse(wanted, sep="-")
            if locale.language == chosen:
                return locale
    return Locale(chosen)


def asked_words() -> tuple[str, bool]:
    """Return the language of the requesting tablet, and whether it speaks of cards instead of tiles."""
    return asked_language(), bool(g.get("of_cards"))


def words_of(of_cards: bool) -> AbstractContextManager[None]:
    """Speak of cards, or of tiles, in the language of the requesting tablet inside a `with` block."""
    return language.use_language(translations_of(asked_language(), of_cards))


def _select_language() -> str:
    """Return a request's language: its query `language`, else its cookie, else the browser's preference."""
    chosen = language_of(request.args.get("language")) or language_of(request.cookies.get(COOKIE))
    return chosen or request.accept_languages.best_match(LANGUAGES, DEFAULT_LANGUAGE)


def keep_choice(app: Flask) -> None:
    """Let an app store the language that a tablet chooses in a cookie; call this after the access checks are set up."""
    app.before_request(_keep_choice)


def _keep_choice() -> AnyResponse | None:
    chosen = language_of(request.args.get("language"))
    if chosen is None or request.method != "GET" or request.path.startswith(NO_PAGES):
        return None
    query = [(name, value) for name, value in request.args.items(multi=True) if name != "language"]
    # The path is quoted, since line breaks in it must not add a header, nor slashes lead to another host.
    response = redirect(quote(f"/{request.path.lstrip('/')}") + (f"?{urlencode(query)}" if query else ""))
    response.set_cookie(COOKIE, chosen, max_age=COOKIE_AGE_S, httponly=True, samesite="Lax")
    return response
