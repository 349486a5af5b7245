"""ECDSA on P-256 with SHA-256, in Python alone: for tests, whose keys protect nothing. It takes no care to take the same time for every key."""

import base64
import hashlib
import json
import secrets

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296, 0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    if not all(letter.isascii() and (letter.isalnum() or letter in "-_") for letter in text):
        raise ValueError("not base64url")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def add(one, other):
    """The sum of two points; None is the point at infinity."""
    if one is None or other is None:
        return one or other
    if one[0] == other[0]:
        if (one[1] + other[1]) % P == 0:
            return None
        slope = 3 * (one[0] * one[0] - 1) * pow(2 * one[1], -1, P)
    else:
        slope = (other[1] - one[1]) * pow(other[0] - one[0], -1, P)
    x = (slope * slope - one[0] - other[0]) % P
    return x, (slope * (one[0] - x) - one[1]) % P


def times(factor, point):
    total = None
    while factor:
        if factor & 1:
            total = add(total, point)
        point, factor = add(point, point), factor >> 1
    return total


def digest(message):
    return int.from_bytes(hashlib.sha256(message).digest(), "big")


class Key:
    def __init__(self):
        self.secret = secrets.randbelow(N - 1) + 1
        x, y = times(self.secret, G)
        self.jwk = {"kty": "EC", "crv": "P-256", "x": encode(x.to_bytes(32, "big")), "y": encode(y.to_bytes(32, "big"))}

    def sign(self, message):
        """r and s, 32 bytes each."""
        while True:
            nonce = secrets.randbelow(N - 1) + 1
            r = times(nonce, G)[0] % N
            s = pow(nonce, -1, N) * (digest(message) + r * self.secret) % N
            if r and s:
                return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def jwt(self, header, claims):
        text = ".".join(encode(json.dumps(part).encode()) for part in (header, claims))
        return f"{text}.{encode(self.sign(text.encode()))}"


def verifies(jwk, message, signature):
    """Whether `signature`, r and s, is one of `message` by the key."""
    try:
        x, y = (int.from_bytes(decode(jwk[name]), "big") for name in "xy")
    except (KeyError, TypeError, ValueError):
        return False
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    if (y * y - x**3 + 3 * x - B) % P or len(signature) != 64 or not (0 < r < N and 0 < s < N):
        return False
    inverse = pow(s, -1, N)
    point = add(times(digest(message) * inverse % N, G), times(r * inverse % N, (x, y)))
    return point is not None and point[0] % N == r
