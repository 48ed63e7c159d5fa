"""A certificate authority for this machine, and the server certificate that it signs, for https in the local network.

A user lets each tablet trust the authority once. Name constraints limit the authority to private addresses and this
machine's own names, so a stolen key is useless for other sites. The server certificate is short-lived, as browsers
demand. It is renewed before it expires, or when a client connects to a new address of this machine.
"""

from __future__ import annotations

import ipaddress
import ssl
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, TypeAlias

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from tilekeeper.companion.storage.folder import StoreUnusable
from tilekeeper.companion.storage.own_names import HOST_NAME, own_host, own_names
from tilekeeper.companion.storage.private_files import write_private
from tilekeeper.engine.language import lazy_gettext

AUTHORITY_LIVES: Final = timedelta(days=3650)
LIVES: Final = timedelta(days=397)
"""The lifetime of a server certificate. Safari refuses more than 398 days (825 if users have added the authority)."""
RENEWED_BEFORE: Final = timedelta(days=30)
"""The server certificate is renewed when it expires within this time."""
CLOCKS_DIFFER: Final = timedelta(days=1)
"""Certificates are valid from this time ago, since a tablet's clock may be behind."""
NETWORKS: Final = (
    *("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10"),
    *("::1/128", "fc00::/7", "fe80::/10"),
)
"""The private address ranges, which no machine on the internet has (RFC 1918, 3927, 4193, 4291, 6598)."""
_AUTHORITY, _AUTHORITY_KEY, _SERVER = "authority.crt", "authority.key", "server.pem"

Name: TypeAlias = x509.DNSName | x509.IPAddress


class Certificates:
    """The authority and the server certificate in a folder; several threads may use it."""

    def __init__(
        self,
        folder: Path,
        names: Iterable[str] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Load the authority from a folder, or create one.

        Args:
            folder: the folder; it is created if it is missing, and made readable only for this user.
            names: the host names and addresses of this machine; None for `own_names`.
            now: returns the current time, with its time zone.

        Raises:
            StoreUnusable: if the folder can't be written.
        """
        self._folder = folder
        self._now = now
        self._names: frozenset[Name] = frozenset(filter(None, map(_name, own_names() if names is None else names)))
        self._lock = threading.Lock()
        self._context: ssl.SSLContext | None = None
        self._in_use: x509.Certificate | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder.chmod(0o700)
            self._key, self.authority = self._load_authority() or self._make_authority()
        except OSError as error:
            raise StoreUnusable(
                lazy_gettext(
                    "the certificate can't be saved in {folder}: {reason}", folder=folder, reason=error.strerror
                )
            ) from None

    @property
    def fingerprint(self) -> str:
        """The authority's SHA-256 digest as tablets show it: pairs of hexadecimal digits separated by spaces."""
        return self.authority.fingerprint(hashes.SHA256()).hex(" ").upper()

    @property
    def title(self) -> str:
        """The authority's name, as tablets show it in their settings."""
        return _title(self.authority)

    def authority_der(self) -> bytes:
        """Return the authority's certificate in DER, the form that tablets install."""
        return self.authority.public_bytes(Encoding.DER)

    def context(self, reached_at: str = "") -> ssl.SSLContext:
        """Return the TLS context for a connection, after renewing the server certificate if necessary.

        Args:
            reached_at: the address of this machine to which the client connects; it is added to the certificate.

        Returns:
            The context; the same object as before unless the certificate was renewed.

        Raises:
            OSError: if a new certificate can't be stored.
        """
        with self._lock:
            if not self._has_begun(self.authority):  # it was made while the clock was ahead
                self._key, self.authority = self._make_authority()
                self._in_use = None
            new_name = _name(reached_at)
            if new_name is not None and new_name not in self._names:
                self._names |= {new_name}
            names: frozenset[Name] = frozenset(name for name in self._names if self._may_vouch_for(name))
            if self._context is None or not self._is_good(self._in_use, names):
                self._in_use = self._load_certificate(names) or self._make_certificate(names)
                self._context = _context(self._folder / _SERVER)
            return self._context

    def server_pem(self) -> bytes:
        """Return the server certificate and its key as PEM, for a server other than this app.

        Raises:
            OSError: if a new certificate can't be stored.
        """
        self.context()
        return (self._folder / _SERVER).read_bytes()

    def authority_pem(self) -> str:
        """Return the authority's certificate as PEM."""
        return self.authority.public_bytes(Encoding.PEM).decode()

    def vouches_for(self, host: str) -> bool:
        """Return whether the authority's name constraints allow a host name or address."""
        name = _name(host)
        return name is not None and self._may_vouch_for(name)

    def _load_authority(self) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate] | None:
        """Return the stored key and authority; None if they are missing, damaged, not valid yet, or expire too soon.

        The authority must be valid for longer than a new server certificate.
        """
        try:
            key = load_pem_private_key((self._folder / _AUTHORITY_KEY).read_bytes(), None)
            authority = x509.load_pem_x509_certificate((self._folder / _AUTHORITY).read_bytes())
        except (FileNotFoundError, ValueError):
            return None
        if not isinstance(key, ec.EllipticCurvePrivateKey) or key.public_key() != authority.public_key():
            return None
        is_good = self._has_begun(authority) and self._now() + LIVES < authority.not_valid_after_utc
        return (key, authority) if is_good else None

    def _make_authority(self) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
        key = ec.generate_private_key(ec.SECP256R1())
        host = own_host() or "this machine"
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Tilekeeper on {host}"[:64])])
        permitted: list[x509.GeneralName] = [x509.IPAddress(ipaddress.ip_network(network)) for network in NETWORKS]
        permitted += [x509.DNSName(name) for name in ("localhost", "local", *filter(None, [own_host()]))]
        authority = (
            self._builder(subject, subject, key, AUTHORITY_LIVES)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs=True), critical=True)
            .add_extension(x509.NameConstraints(permitted, None), critical=True)
            .sign(key, hashes.SHA256())
        )
        write_private(self._folder / _AUTHORITY_KEY, _private(key))
        write_private(self._folder / _AUTHORITY, authority.public_bytes(Encoding.PEM))
        return key, authority

    def _load_certificate(self, names: frozenset[Name]) -> x509.Certificate | None:
        try:
            certificate = x509.load_pem_x509_certificate((self._folder / _SERVER).read_bytes())
            certificate.verify_directly_issued_by(self.authority)
        except (FileNotFoundError, ValueError, TypeError, InvalidSignature):
            return None
        return certificate if self._is_good(certificate, names) else None

    def _make_certificate(self, names: frozenset[Name]) -> x509.Certificate:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Tilekeeper")])
        certificate = (
            self._builder(subject, self.authority.subject, key, LIVES)
            .add_extension(x509.SubjectAlternativeName(sorted(names, key=str)), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self.authority.public_key()),  # type: ignore[arg-type]
                critical=False,
            )
            .sign(self._key, hashes.SHA256())
        )
        write_private(self._folder / _SERVER, certificate.public_bytes(Encoding.PEM) + _private(key))
        return certificate

    def _builder(
        self, subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, lives: timedelta
    ) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(self._now() - CLOCKS_DIFFER)
            .not_valid_after(self._now() - CLOCKS_DIFFER + lives)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        )

    def _is_good(self, certificate: x509.Certificate | None, names: frozenset[Name]) -> bool:
        if certificate is None or self._now() + RENEWED_BEFORE > certificate.not_valid_after_utc:
            return False
        covered = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        return self._has_begun(certificate) and names <= frozenset(covered)

    def _has_begun(self, certificate: x509.Certificate) -> bool:
        """Return whether a certificate's validity has begun; it has not if the clock was ahead when it was made."""
        return self._now() >= certificate.not_valid_before_utc

    def _may_vouch_for(self, name: Name) -> bool:
        constraints = self.authority.extensions.get_extension_for_class(x509.NameConstraints).value
        permitted = constraints.permitted_subtrees or ()
        if isinstance(name, x509.DNSName):
            domains = [entry.value for entry in permitted if isinstance(entry, x509.DNSName)]
            return any(name.value == domain or name.value.endswith(f".{domain}") for domain in domains)
        networks = [entry.value for entry in permitted if isinstance(entry, x509.IPAddress)]
        return any(name.value in network for network in networks)  # type: ignore[operator]  # all are networks


def stored_authority(folder: Path) -> x509.Certificate | None:
    """Return the stored certificate of the authority in a folder, even an expired one; None if it can't be read."""
    try:
        return x509.load_pem_x509_certificate((folder / _AUTHORITY).read_bytes())
    except (OSError, ValueError):
        return None


def _name(text: str) -> Name | None:
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return x509.DNSName(text) if HOST_NAME.fullmatch(text) else None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return None if address.is_unspecified else x509.IPAddress(address)


def _title(certificate: x509.Certificate) -> str:
    return str(certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value)


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _context(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    context.load_cert_chain(certificate)
    return context


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
