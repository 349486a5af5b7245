"""A device's P-256 key that signs as described in docs/biometric-login.md."""

import base64
import hashlib
import json
import time
import uuid

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Key:
    """A P-256 key that signs JWTs in the compact form."""

    def __init__(self):
        self.private = ec.generate_private_key(ec.SECP256R1())
        point = self.private.public_key().public_numbers()
        self.jwk = {"kty": "EC", "crv": "P-256", "x": base64url(point.x.to_bytes(32, "big")), "y": base64url(point.y.to_bytes(32, "big"))}

    def sign(self, header, payload):
        text = ".".join(base64url(json.dumps(part).encode()) for part in ({"alg": "ES256", **header}, payload))
        r, s = decode_dss_signature(self.private.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{text}.{base64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"

    def proof(self, method, address, token=None):
        """Returns a DPoP proof (RFC 9449)."""
        claims = {"jti": str(uuid.uuid4()), "htm": method, "htu": address, "iat": int(time.time())}
        if token:
            claims["ath"] = base64url(hashlib.sha256(token.encode()).digest())
        return self.sign({"typ": "dpop+jwt", "jwk": self.jwk}, claims)
