"""Pages that show how a tablet can trust this computer's certificates; with `--https` only these use http."""

from __future__ import annotations

import plistlib
import uuid
from typing import TYPE_CHECKING

from flask import Blueprint, Flask, Response, current_app, render_template, request

from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext

if TYPE_CHECKING:
    from tilekeeper.companion.storage.certificates import Certificates

blueprint = Blueprint("trust", __name__)

CERTIFICATES = "TILEKEEPER_CERTIFICATES"
"""The key of the certificates in the app's configuration; their value is None without https."""
GOES_ON_TO = "TILEKEEPER_AFTER_TRUST"
"""The key, in the app's configuration, of the path to open once a tablet trusts the authority."""
CERTIFICATE_TYPE = "application/x-x509-ca-cert"
PROFILE_TYPE = "application/x-apple-aspen-config"
_SEEN = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'


@blueprint.get("/trust")
def page() -> str:
    """The page with the steps to trust the authority, for each kind of tablet; it notices when a tablet does."""
    certificates = _certificates()
    secure = f"https://{request.host}"
    return render_template(
        "trust.html",
        secure=secure,
        goes_on_to=current_app.config[GOES_ON_TO],
        title=certificates.title,
        fingerprint=certificates.fingerprint.split(),
        platform=_platform(request.user_agent.string),
    )


@blueprint.get("/trust/tilekeeper.crt")
def certificate() -> Response:
    """The certificate of the authority as a file, for Android and computers."""
    return _to_save(_certificates().authority_der(), CERTIFICATE_TYPE, "tilekeeper.crt")


@blueprint.get("/trust/tilekeeper.mobileconfig")
def profile() -> Response:
    """The certificate of the authority as a configuration profile, for iPhones and iPads."""
    return _to_save(_profile(_certificates()), PROFILE_TYPE, "tilekeeper.mobileconfig")


@blueprint.get("/trust/seen.svg")
def seen() -> Response:
    """An empty image, which a browser can load over https only once it trusts the authority.

    The page `/trust`, on plain http, requests this image; for the browser they are different sites.
    """
    _certificates()
    headers = {"Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "cross-origin"}
    return Response(_SEEN, mimetype="image/svg+xml", headers=headers)


def serve_trust(app: Flask, certificates: Certificates | None, goes_on_to: str) -> None:
    """Set what the page `/trust` of an app shows.

    Args:
        app: the app.
        certificates: the app's certificates; None without https.
        goes_on_to: the path to open once a tablet trusts the authority.
    """
    app.config[CERTIFICATES], app.config[GOES_ON_TO] = certificates, goes_on_to


def trust_address(address: str) -> str:
    """Return the address of the page `/trust`, on plain http, for the app's https address."""
    return f"{address.replace('https://', 'http://', 1)}trust"


def _certificates() -> Certificates:
    certificates: Certificates | None = current_app.config[CERTIFICATES]
    if certificates is None:
        raise Refused(gettext("There is nothing to set up: the app runs without a secure connection."), "not-found")
    return certificates


def _platform(browser: str) -> str:
    """Return the kind of device by its user agent; an iPad may claim to be a Mac, which the page's script corrects."""
    if "Android" in browser:
        return "android"
    return "apple" if any(name in browser for name in ("iPhone", "iPad", "iPod")) else "computer"


def _to_save(data: bytes, kind: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(data, mimetype=kind, headers=headers)


def _profile(certificates: Certificates) -> bytes:
    """Return a configuration profile with one root certificate (Apple's `com.apple.security.root`)."""
    fingerprint = certificates.fingerprint
    inner, outer = (
        str(uuid.uuid5(uuid.NAMESPACE_OID, f"{fingerprint} {part}")).upper() for part in ("root", "profile")
    )
    root = {
        "PayloadType": "com.apple.security.root",
        "PayloadVersion": 1,
        "PayloadIdentifier": f"tilekeeper.{inner}",
        "PayloadUUID": inner,
        "PayloadDisplayName": certificates.title,
        "PayloadContent": certificates.authority_der(),
    }
    return plistlib.dumps(
        {
            "PayloadType": "Configuration",
            "PayloadVersion": 1,
            "PayloadIdentifier": f"tilekeeper.{outer}",
            "PayloadUUID": outer,
            "PayloadDisplayName": certificates.title,
            "PayloadDescription": "Lets this device reach Tilekeeper in the same network over https. "
            "It vouches for addresses of the house and for nothing else.",
            "PayloadContent": [root],
        }
    )
