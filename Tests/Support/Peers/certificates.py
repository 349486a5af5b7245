"""Creates a test authority and its certificates in the folder {"folder": …}.

ca.pem; localhost.pem, elsewhere.pem, expired.pem with their *.key.
"""

import datetime
import ipaddress
import pathlib

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from common import settings

folder = pathlib.Path(settings()["folder"])
now = datetime.datetime.now(datetime.timezone.utc)
day = datetime.timedelta(days=1)


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def build(subject, key, issuer, days):
    return (
        x509.CertificateBuilder()
        .subject_name(name(subject))
        .issuer_name(name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - 10 * day)
        .not_valid_after(now + days * day)
    )


def write_key(key, file):
    (folder / file).write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


authority_key = ec.generate_private_key(ec.SECP256R1())
authority = (
    build("Test authority", authority_key, "Test authority", 30)
    .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    .sign(authority_key, hashes.SHA256())
)
(folder / "ca.pem").write_bytes(authority.public_bytes(serialization.Encoding.PEM))

for file, names, days in [
    ("localhost", [x509.DNSName("localhost"), x509.DNSName("hooks.test"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))], 30),
    ("elsewhere", [x509.DNSName("elsewhere.example")], 30),
    ("expired", [x509.DNSName("localhost")], -1),
]:
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = (
        build(file, key, "Test authority", days)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    (folder / f"{file}.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    write_key(key, f"{file}.key")
