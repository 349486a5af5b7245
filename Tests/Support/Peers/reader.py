"""Verifies a token as an app would, with PyJWT and the keys at {"keys"}. Prints {"claims"} or {"error": its class} for each of {"tries"}.

A try overrides the defaults: {"token", "audience", "issuer", "leeway"}. With "forge": "none" or "hs256", the token's claims are first re-signed that way.
"""

import base64
import hashlib
import hmac
import json

import jwt

from common import settings, tell

options = settings()


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def forged(token, kind, keys):
    header, claims, _ = token.split(".")
    kid = jwt.get_unverified_header(token)["kid"]
    head = base64url(json.dumps({"alg": "none" if kind == "none" else "HS256", "typ": "JWT", "kid": kid}).encode())
    if kind == "none":
        return f"{head}.{claims}."
    from cryptography.hazmat.primitives import serialization

    public = keys.get_signing_key(kid).key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return f"{head}.{claims}." + base64url(hmac.new(public, f"{head}.{claims}".encode(), hashlib.sha256).digest())


for attempt in options["tries"]:
    attempt = {**options, **attempt}
    keys = jwt.PyJWKClient(attempt["keys"])
    try:
        token = attempt["token"]
        if "forge" in attempt:
            token = forged(token, attempt["forge"], keys)
        key = keys.get_signing_key_from_jwt(token)
        claims = jwt.decode(
            token,
            key.key,
            algorithms=["ES256"],
            audience=attempt["audience"],
            issuer=attempt["issuer"],
            leeway=attempt.get("leeway", 0),
            options={"require": ["iss", "aud", "sub", "iat", "exp", "jti"], **attempt.get("options", {})},
        )
        tell(claims=claims, header=jwt.get_unverified_header(token))
    except Exception as error:
        tell(error=type(error).__name__)
